// tocuda, Apache-2.0.
// Packages that each want another PyTorch, as pip, uv and conda say it.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "doctor/message/dump_lines.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/wheels.hpp"

namespace tocuda::doctor {
namespace {

struct Conflict {
    std::string_view package, version, wanted, here;
};

// "torchvision 0.18.0 requires torch==2.3.0, but you have torch 2.2.1 which is incompatible."
std::optional<Conflict> conflict_in(std::string_view line) {
    auto here = between(line, "but you have torch ", " ");
    if (!here) here = between(line, "but you'll have torch ", " ");
    if (!here) return std::nullopt;
    for (const std::string_view label : {" requires torch", " has requirement torch"}) {
        const auto middle = line.find(label);
        if (middle == std::string_view::npos) continue;
        const auto words = line.substr(0, middle);
        const auto space = words.rfind(' ');
        if (space == std::string_view::npos) continue;
        const auto name = words.substr(0, space).rfind(' ') + 1;  // npos + 1 is 0
        const auto rest = line.substr(middle + label.size());
        return Conflict{words.substr(name, space - name), words.substr(space + 1),
                        rest.substr(0, rest.find(", but you")), *here};
    }
    return std::nullopt;
}

std::string without_build(std::string_view version) { return std::string(version.substr(0, version.find('+'))); }

std::string_view build_in(std::string_view version) {
    const auto plus = version.find("+cu");
    return plus == std::string_view::npos ? "" : version.substr(plus + 1);
}

// The packages of the text that belong to torch's own release, as pip takes them: " torchvision==0.17.*
// torchaudio==2.2.*"
std::string companions(std::string_view text, std::pair<int, int> torch) {
    std::string all;
    if (contains(text, "torchvision"))
        all += fmt::format(" torchvision==0.{}.*", torch.first == 2 ? torch.second + 15 : torch.second + 1);
    if (contains(text, "torchaudio"))
        all += torch.first == 2 ? fmt::format(" torchaudio==2.{}.*", torch.second)
                                : fmt::format(" torchaudio==0.{}.*", torch.second);
    return all;
}

bool is_of_family(std::string_view package) {
    return package.starts_with("torchvision") || package.starts_with("torchaudio");
}

// What else wants that torch, of other packages than PyTorch's own three: "vllm, xformers"; empty if only one does.
std::string wanted_by_several(std::string_view text, std::string_view wanted) {
    std::vector<std::string_view> packages;
    for (auto at = text.find("but you have torch "); at != std::string_view::npos;
         at = text.find("but you have torch ", at + 1))
        if (const auto one = conflict_in(line_around(text, at));
            one && one->wanted == wanted && !is_of_family(one->package))
            packages.push_back(one->package);
    if (packages.size() < 2) return "";
    return fmt::format("{} and {}", packages[0], packages[1]);
}

void tell_of_xformers(std::string_view torch, std::string_view version, Explanation& told) {
    const auto fitting = xformers_for(torch);
    if (fitting.empty()) return;
    told.remedies.emplace_back(
        fmt::format(
            "pip install --no-deps xformers=={}   (the one that is built for torch {}; undo: pip install --no-deps "
            "xformers=={})",
            fitting, without_build(torch), version),
        Scope::environment);
}

void tell_of_nightlies(Explanation& told) {
    told.arithmetic.emplace_back(
        "these are nightly builds of different days, and only those of one day fit one another");
    told.remedies = {
        "python3 -m venv fresh && fresh/bin/pip install --pre torch torchvision torchaudio --index-url "
        "https://download.pytorch.org/whl/nightly/cu128   (all in one command, in a new environment)",
        {"pip index versions torchvision --pre --index-url https://download.pytorch.org/whl/nightly/cu128   "
         "(which days there are)",
         Scope::look}};
}

void read_conflict(std::string_view text, std::size_t at, Explanation& told) {
    const auto conflict = conflict_in(line_around(text, at));
    if (!conflict || !is_version(conflict->here)) return;
    const auto& [package, version, wanted, here] = *conflict;
    told.arithmetic.push_back(fmt::format("{} {} wants torch {}, and {} is there", package, version, wanted, here));
    if (contains(here, ".dev") && contains(wanted, ".dev")) return tell_of_nightlies(told);
    const auto build = build_in(here).empty() ? build_in(version) : build_in(here);
    const auto index = build.empty() ? "" : fmt::format(" --index-url https://download.pytorch.org/whl/{}", build);
    const auto undo = fmt::format("(undo: pip install {}=={} torch=={}{})", package, version, here,
                                  index.empty() ? "" : " with the same index");
    const bool replaced_by_plain = !build_in(version).empty() && build_in(here).empty();
    const auto take_wanted = fmt::format(
        "pip install torch=={}{}   {}",
        without_build(wanted.substr(std::min(wanted.find_first_not_of("=<>~! "), wanted.size()))), index, undo);
    const bool one_wanted = wanted.starts_with("==");
    const auto several = wanted_by_several(text, wanted);
    if (one_wanted && !several.empty()) {
        told.arithmetic.push_back(fmt::format("{} both want that torch", several));
        told.remedies.emplace_back(take_wanted, Scope::environment);
    }
    if (package == "xformers") {
        tell_of_xformers(here, version, told);
        if (one_wanted) told.remedies.emplace_back(take_wanted, Scope::environment);
    } else if (is_of_family(package)) {
        const auto keep = fmt::format("pip install torch=={}{}{}   {}", without_build(here),
                                      companions(text, version_of(here)), index, undo);
        if (replaced_by_plain)
            told.arithmetic.emplace_back(
                "the torch that is there now is PyPI's, in place of a build for this CUDA: on Windows, one for the "
                "CPU");
        told.remedies.emplace_back(replaced_by_plain ? take_wanted : keep, Scope::environment);
        told.remedies.emplace_back(replaced_by_plain ? keep : take_wanted, Scope::environment);
    } else {
        told.remedies.emplace_back(
            fmt::format("use the version of {} that is made for torch {}, or {} in an environment "
                        "of its own",
                        package, without_build(here), package));
        if (one_wanted) told.remedies.emplace_back(take_wanted, Scope::environment);
    }
    told.remedies.emplace_back("pip check   (what else does not fit?)", Scope::look);
}

// "vllm 0.5.4 depends on torch==2.4.0" of pip, "torchvision==0.18.0 depends on torch==2.3.0" of uv.
struct Request {
    std::string_view package, wanted;  // "vllm 0.5.4", "==2.4.0"
};

std::vector<Request> requests_in(std::string_view text) {
    constexpr std::string_view label = " depends on torch";
    std::vector<Request> requests;
    for (auto at = text.find(label); at != std::string_view::npos; at = text.find(label, at + 1)) {
        const auto line = line_around(text, at);
        const auto place = static_cast<std::size_t>(text.data() + at - line.data());
        const auto begin = line.substr(0, place).find_first_not_of(" \t");
        auto package = line.substr(std::min(begin, place), place - std::min(begin, place));
        if (const auto uv = package.rfind(' '); uv != std::string_view::npos && contains(package.substr(uv), "=="))
            package.remove_prefix(uv + 1);
        const auto rest = line.substr(place + label.size());
        const auto wanted = rest.substr(0, rest.find_first_of(" ,;({"));
        if (wanted.empty() || std::string_view("=<>~!").find(wanted.front()) == std::string_view::npos) continue;
        const auto same = [&](const Request& one) { return one.package == package && one.wanted == wanted; };
        if (std::ranges::none_of(requests, same)) requests.push_back({package, wanted});
    }
    return requests;
}

void read_requests(std::string_view text, std::size_t, Explanation& told) {
    const auto requests = requests_in(text);
    auto asked = leading_version(between(text, "requested torch==", "\n").value_or(""));
    if (asked.empty()) asked = leading_version(between(text, "you require torch==", "\n").value_or(""));
    if (!asked.empty()) told.arithmetic.push_back(fmt::format("torch {} is asked for", asked));
    for (const auto& [package, wanted] : requests)
        if (told.arithmetic.size() < 5) told.arithmetic.push_back(fmt::format("{} wants torch {}", package, wanted));
    for (const auto& [package, wanted] : requests) {
        if (is_of_family(package) || !wanted.starts_with("==") || wanted.substr(2) == asked) continue;
        const auto torch = wanted.substr(2);
        if (package.starts_with("xformers") && !xformers_for(asked).empty())
            told.remedies.emplace_back(
                fmt::format("xformers=={}   (in requirements.txt: the one that is built for torch {})",
                            xformers_for(asked), asked));
        else if (is_version(torch))
            told.remedies.emplace_back(fmt::format(
                "torch=={}{}   (in requirements.txt: what {} is built for; the others take it, or leave their "
                "versions out)",
                torch, companions(text, version_of(torch)), package));
        break;
    }
    for (const auto& [package, wanted] : requests) {
        if (!told.remedies.empty() || !is_of_family(package) || asked.empty()) continue;
        told.remedies.emplace_back(
            fmt::format("torch=={}{}   (in requirements.txt: those that were published together)", asked,
                        companions(text, version_of(asked))));
    }
    if (told.remedies.empty()) return;
    told.certain = true;
    told.remedies.emplace_back("take the version off all but one of them   (pip and uv then choose those that fit)");
    told.remedies.emplace_back(
        "{torch} torchvision torchaudio   (PyTorch's own three in one command, in a new environment; "
        "the rest after it)");
}

bool is_about_torch(std::string_view text, std::size_t at) {
    return contains_any(text_near(text, at, 2500, 2500),
                        {"on torch", "torch==", "requested torch", "torch>=", "torch<"});
}

// "pytorch 1.0.1* -> cudatoolkit >=10.0.130,<10.1.0a0", "torchaudio-2.0.2-py310_cu117 requires pytorch-cuda 11.7.*"
void read_conda(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 300, 4000);
    for (const std::string_view label : {"cudatoolkit >=", "cudatoolkit[version='>=", "cudatoolkit[version=\">="}) {
        const auto found = message.find(label);
        if (found == std::string_view::npos) continue;
        const auto cuda = version_of(leading_version(message.substr(found + label.size())));
        const auto version = fmt::format("{}.{}", cuda.first, cuda.second);
        told.arithmetic.push_back(fmt::format("the pytorch that is asked for is built with cudatoolkit {}", version));
        const auto torch = leading_version(
            between(message, "pytorch ", "->").value_or(between(message, "pytorch=", "->").value_or("")));
        if (!is_version(torch)) return;
        told.remedies.emplace_back(
            fmt::format("conda create -n fresh -c pytorch -c nvidia -c conda-forge python=3.{} pytorch={} torchvision "
                        "cudatoolkit={}   (those that belong together, in a new environment)",
                        pythons_of(version_of(torch)).second, torch, version));
        break;
    }
    for (const std::string_view label : {"requires pytorch-cuda ", "would require\n   │  └─ pytorch-cuda "})
        if (const auto cuda = between(message, label, " ")) {
            const auto line = line_around(message, message.find(label));
            const auto name = between(line, "package ", " requires");
            told.arithmetic.push_back(
                fmt::format("{} is built for pytorch-cuda {}: its version and that of CUDA have to belong together",
                            name.value_or("a package"), cuda->substr(0, cuda->find_first_of(",*") - 1)));
            break;
        }
    if (contains(message, "libtinfo5")) told.remedies.clear();
    told.remedies.emplace_back(
        "conda create -n fresh python=3.12 pip && conda run -n fresh pip install torch torchvision torchaudio   (a new "
        "environment with pip's builds: the channel \"pytorch\" ended with 2.5)");
    told.remedies.emplace_back(
        "conda create -n fresh -c conda-forge pytorch-gpu   (conda-forge's build: all from one "
        "channel)");
    told.remedies.emplace_back("conda config --show channels channel_priority; conda info | grep -E '__cuda|platform'",
                               Scope::look);
}

bool is_conda_of_torch(std::string_view text, std::size_t at) {
    return contains_any(text_near(text, at, 1500, 5000),
                        {"pytorch", "cudatoolkit", "cuda-version", "cuda-toolkit", "pyg", "cudnn"});
}

bool is_about_torch_itself(std::string_view text, std::size_t at) {
    return is_about_torch(text, at) && !contains(text_near(text, at, 1500, 1500), "there is no version of nvidia-");
}

}  // namespace

Functions conflict_functions() {
    return {
        .readings = {{"read_conflict", read_conflict}, {"read_requests", read_requests}, {"read_conda", read_conda}},
        .conditions = {{"is_about_torch_itself", is_about_torch_itself}, {"is_conda_of_torch", is_conda_of_torch}}};
}

}  // namespace tocuda::doctor
