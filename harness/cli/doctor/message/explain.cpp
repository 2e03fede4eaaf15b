// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "doctor/message/cut.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/message.hpp"
#include "doctor/message/origin.hpp"
#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

struct Hit {
    const KnownError* error = nullptr;
    std::size_t at = 0;
    Rank rank = Rank::notice;
};

bool is_there(const std::vector<std::string>& words, std::string_view around) {
    return std::ranges::any_of(words, [&](const auto& one) { return contains(around, one); });
}

bool is_this_error(const KnownError& error, std::string_view text, std::size_t at) {
    const auto line = line_around(text, at);
    return (!error.applies || error.applies(text, at)) &&
           (error.near.empty() || is_there(error.near, text_near(text, at, 3000, 1500))) &&
           (error.in_line.empty() || is_there(error.in_line, line)) && !is_there(error.not_in_line, line);
}

struct Entry {
    const KnownError* error;
    std::string_view needle;
};

// Needles by their first letters, whatever their case. Most places of a text are told by one bit that none begins
// there.
template <class Word>
class Needles {
public:
    void add(const Entry& entry) {
        const auto place = hash(entry.needle.data());
        by_hash[place].push_back(entry);
        is_any[place / 64] |= std::uint64_t{1} << place % 64;
    }
    // Those that may begin there, where at least that many letters are.
    const std::vector<Entry>& at(const char* text) const {
        const auto place = hash(text);
        return (is_any[place / 64] >> place % 64 & 1U) != 0 ? by_hash[place] : none;
    }

private:
    static constexpr unsigned bits = 15;
    std::array<std::uint64_t, (std::size_t{1} << bits) / 64> is_any{};
    std::vector<std::vector<Entry>> by_hash{std::size_t{1} << bits};
    std::vector<Entry> none{};

    static std::size_t hash(const char* letters) {
        Word word = 0;
        std::memcpy(&word, letters, sizeof word);
        const auto small = static_cast<std::uint64_t>(word) | 0x2020202020202020U;
        return small * 0x9e3779b97f4a7c15U >> (64 - bits);
    }
};

// Finds the needles in one pass. People retype what they read, so that case does not count.
class Search {
public:
    explicit Search(const std::vector<KnownError>& known) {
        for (const auto& error : known)
            for (const std::string_view needle : error.needles)
                if (needle.size() < sizeof(std::uint64_t)) by_four.add({&error, needle});
                else by_eight.add({&error, needle});
    }

    // The hit with the highest rank; of several with the same rank the first.
    Hit best(std::string_view text) const {
        Hit best;
        for (std::size_t at = 0; at + sizeof(std::uint32_t) <= text.size() && best.rank != Rank::cause; ++at) {
            if (at + sizeof(std::uint64_t) <= text.size()) take_better(by_eight.at(text.data() + at), text, at, best);
            take_better(by_four.at(text.data() + at), text, at, best);
        }
        return best;
    }

private:
    static char small(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 32) : letter; }

    static bool begins_with(std::string_view text, std::string_view needle) {
        return text.size() >= needle.size() &&
               std::ranges::equal(text.substr(0, needle.size()), needle, {}, small, small);
    }

    static void take_better(const std::vector<Entry>& some, std::string_view text, std::size_t at, Hit& best) {
        for (const auto& [error, needle] : some) {
            if (best.error && error->rank <= best.rank) continue;
            if (!begins_with(text.substr(at), needle)) continue;
            const auto line = line_around(text, at);
            const auto rank = is_mention(line)                                 ? Rank::notice
                              : error->rank == Rank::cause && is_warning(line) ? Rank::warned
                                                                               : error->rank;
            if (best.error && rank <= best.rank) continue;
            if (!is_this_error(*error, text, at)) continue;
            best = {error, at, rank};
        }
    }

    Needles<std::uint32_t> by_four{};
    Needles<std::uint64_t> by_eight{};
};

// What is said of a new environment is not true of a program's own Python: "(in a new environment: brings a newer
// NCCL)" becomes "(installs into the program's own Python; brings a newer NCCL; undo: ...)".
void tell_of_own_python(std::string& remedy, const Origin& origin) {
    constexpr std::string_view begin_of_note = "   (", new_one = "a new environment";
    const auto found = remedy.find(new_one);
    const auto begin = found == std::string::npos ? found : remedy.rfind(begin_of_note, found);
    const auto end = begin == std::string::npos ? begin : remedy.find(')', found);
    std::string rest;
    if (end != std::string::npos) {
        const auto note = begin + begin_of_note.size();
        auto before = std::string_view(remedy).substr(note, found - note);
        auto after = std::string_view(remedy).substr(found + new_one.size(), end - found - new_one.size());
        if (before.ends_with("in ")) before.remove_suffix(3);
        before = before.substr(0, before.find_last_not_of(" ,;:") + 1);
        after.remove_prefix(std::min(after.find_first_not_of(" ,;:"), after.size()));
        if (after == "the old one stays as it is") after = {};
        for (const auto part : {before, after})
            if (!part.empty()) rest += fmt::format("{}; ", part);
    }
    const auto note = fmt::format(
        "   (installs into the program's own Python{}; {}undo: the versions that pip list "
        "showed before)",
        origin.own_python == "PYTHON" ? ": python_embeded\\python, or that of its venv" : "", rest);
    if (end == std::string::npos) remedy += note;
    else remedy.replace(begin, end + 1 - begin, note);
}

// "{torch}" and "{torch cu126}" become the command that installs it.
void fill(Remedy& remedy, const Origin& origin) {
    constexpr std::string_view begin = "{torch";
    auto& text = remedy.what;
    const auto at = text.find(begin);
    if (at == std::string::npos) return;
    if (!origin.uses_torch()) {
        text = origin.program->anew;
        return;
    }
    const auto end = text.find('}', at);
    const auto build = text.substr(at + begin.size(), end - at - begin.size());
    text.replace(at, end + 1 - at, install_torch(origin, build.empty() ? "" : build.substr(1)));
    if (origin.own_python.empty()) return;
    remedy.scope = Scope::environment;
    tell_of_own_python(text, origin);
}

// "EXTENSION" becomes the one that the text is about. Of one that pip gets from its sources there are no versions.
void name_extension(std::string& command, const std::string& extension) {
    constexpr std::string_view word = "EXTENSION";
    const auto at = command.find(word);
    if (extension.empty() || at == std::string::npos) return;
    const bool of_sources = contains(extension, "/");
    if (of_sources && command.substr(at + word.size()).starts_with("==VERSION"))
        command.erase(at + word.size(), std::string_view("==VERSION").size());
    command.replace(at, word.size(), extension);
    const auto next = command.find(word, at + extension.size());
    if (next != std::string::npos && !of_sources) command.replace(next, word.size(), extension);
}

// Without a GPU of NVIDIA's it is the same for whatever asks for CUDA.
void tell_of_other_gpu(const Origin& origin, Explanation& told) {
    constexpr auto elsewhere = "run it on a machine with an NVIDIA GPU   (what has no other way than CUDA)";
    if (origin.macos) {
        told.meaning =
            "macOS has no CUDA. PyTorch uses Apple's GPUs as the device 'mps'; what needs CUDA itself does not run "
            "there.";
        told.remedies = {
            "device = 'mps' if torch.backends.mps.is_available() else 'cpu'   (where the program says "
            "'cuda' or .cuda())",
            elsewhere};
    } else if (origin.amd) {
        told.meaning =
            "The GPU that the text names is one of AMD, and CUDA is for those of NVIDIA. PyTorch uses it by a build "
            "for ROCm, in which the device is called 'cuda' too.";
        if (!origin.uses_torch()) {
            told.meaning = "The GPU that the text names is one of AMD, and CUDA is for those of NVIDIA.";
            told.remedies = {"use the program's version for AMD   (ROCm, Vulkan or OpenCL, if it has one)", elsewhere};
            return;
        }
        told.remedies = {
            "python3 -m venv fresh && fresh/bin/pip install torch --index-url https://download.pytorch.org/whl/rocm6.4 "
            "  (Linux and a GPU that ROCm lists)",
            "HSA_OVERRIDE_GFX_VERSION=10.3.0 python ...   (ROCm and a GPU that it does not list: the nearest that it "
            "does)",
            "use the program's version for AMD   (DirectML, ZLUDA or Vulkan; ComfyUI: --directml)", elsewhere};
    } else {
        told.meaning =
            "The only GPU that the text names is one of Intel, and CUDA is for those of NVIDIA: no driver or container "
            "runtime of NVIDIA's changes that.";
        told.remedies = {"use 'cpu' as the device   (many programs: --device cpu, or a build without GPU)",
                         "x.to('xpu')   (Arc and newer, with a PyTorch build for XPU)", elsewhere};
    }
}

bool asks_for_cuda(const KnownError& error) {
    return error.name != "torch is not installed" && error.name != "no such PyTorch build" &&
           error.rank != Rank::notice && std::ranges::any_of(error.remedies, [](const Remedy& one) {
               return contains_any(one.what, {"{torch", "nvidia-smi", "nvcc", "bitsandbytes", "flash-attn",
                                              "nvidia-ctk", "nvidia-uvm", "DGGML_CUDA", "run --gpus"});
           });
}

void add_remedies(const KnownError& error, std::string_view text, Explanation& told) {
    const auto origin = origin_of(text);
    if ((origin.macos || origin.amd || origin.intel) && asks_for_cuda(error)) return tell_of_other_gpu(origin, told);
    if (told.remedies.empty() && !error.hints.empty()) {
        const auto small = lower(text);
        for (const auto& [sign, remedy] : error.hints)
            if (contains(small, sign)) told.remedies.emplace_back(remedy.what, remedy.scope);
    }
    if (told.remedies.empty())
        for (const auto& [what, scope] : error.remedies) told.remedies.emplace_back(what, scope);
    const auto extension = extension_in(text);
    for (auto& remedy : told.remedies) {
        fill(remedy, origin);
        name_extension(remedy.what, extension);
        remedy.what = fitting(remedy.what, origin);
        if (origin.own_python.size() > 1 && origin.own_python != "PYTHON" && remedy.what.starts_with("python -c "))
            remedy.what.replace(0, std::string_view("python").size(), origin.own_python);
    }
    std::vector<Remedy> once;
    for (const auto& remedy : told.remedies)
        if (!remedy.what.empty() && std::ranges::find(once, remedy) == once.end()) once.push_back(remedy);
    told.remedies = std::move(once);
    if (told.remedies.empty()) told.remedies.emplace_back("nvidia-smi   (does it see the GPU?)", Scope::look);
    std::stable_partition(told.remedies.begin(), told.remedies.end(),
                          [](const Remedy& one) { return one.scope != Scope::others; });
}

// Where the last boot, or the last load of the driver, begins in a kernel's log; 0 if it has no more than one.
std::size_t last_start_in(std::string_view text) {
    std::size_t last = 0;
    for (const std::string_view banner :
         {"] Linux version ", "kernel: Linux version ", "nvidia-nvlink: Nvlink Core is being initialized"}) {
        const auto first = text.find(banner);
        if (first == std::string_view::npos) continue;
        if (const auto found = text.rfind(banner); found != first) last = std::max(last, found);
    }
    return last == 0 ? 0 : text.rfind('\n', last) + 1;
}

const Search& search_of_all() {
    static const Search search(all_known_errors());
    return search;
}

// Errors of CUDA of which only that is known.
bool is_without_name(const Explanation& told) { return told.error.starts_with("error of CUDA "); }

std::optional<Explanation> explain_part(std::string_view text) {
    const auto& search = search_of_all();
    const auto first = search.best(text);
    if (!first.error) return std::nullopt;
    const auto& error = *first.error;
    Explanation told;
    told.error = error.name;
    told.line = 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, first.at), '\n'));
    told.quoted = quote(text, first.at);
    told.meaning = error.meaning;
    told.certain = error.certain && error.rank != Rank::symptom;
    told.harmless = error.harmless;
    told.claims.assign(error.claims.begin(), error.claims.end());
    if (error.read) error.read(text, first.at, told);
    add_remedies(error, text, told);
    return told;
}

}  // namespace

std::optional<Explanation> explain(std::string_view text) {
    const auto start = last_start_in(text);
    auto told = explain_part(text.substr(start));
    if (told && is_without_name(*told)) {
        if (auto cut = explain_cut(text)) return cut;
        if (const auto words = cut_words_in(text); !words.empty())
            told->arithmetic.push_back(
                fmt::format("the text seems cut after \"{}\": paste that line to its end", words));
    }
    if (start == 0) return told;
    if (told) told->line += static_cast<std::size_t>(std::ranges::count(text.substr(0, start), '\n'));
    else if (told = explain_part(text.substr(0, start)); told)
        told->arithmetic.emplace_back(
            "this was before the driver's last start in this log, after which it does not show itself again");
    return told;
}

std::optional<Explanation> explain_cut(std::string_view text) {
    for (const auto& one : completions_of(text, all_known_errors())) {
        auto told = explain_part(one.text);
        if (!told || told->error != one.error->name) continue;
        told->quoted = quote(text, one.at);
        told->meaning.insert(0, "The text seems cut; it looks like this: ");
        told->certain = false;
        return told;
    }
    return std::nullopt;
}

}  // namespace tocuda::doctor
