// tocuda, Apache-2.0.
// The table that nvidia-smi prints without options.
#include <algorithm>
#include <array>

#include "doctor/message/dump_lines.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/gpu_dump.hpp"
#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

constexpr std::string_view error_sign = "ERR!";

// "| 0  NVIDIA H100 | 00000000:3B:00.0 Off | 0 |": the three between the bars.
std::vector<std::string> cells_of(std::string_view line) {
    if (line.starts_with('|')) line.remove_prefix(1);
    return parts_of(line, '|');
}

class GpuTableReader {
public:
    std::vector<GpuDump> dumps{};

    void read(std::string_view line) {
        if (contains(line, "NVIDIA-SMI ") && !read_version(line, {"Driver Version", "KMD Version"}).empty())
            return read_header(line);
        if (is_gpu(line)) return read_gpu(line);
        if (dumps.empty()) return;
        if (contains(line, "MIG devices:")) return begin(Part::mig);
        if (contains(line, "Processes:")) return begin(Part::processes);
        if (part == Part::mig) return read_mig(line);
        if (part == Part::processes) return read_process(line);
        if (line.starts_with("+-")) row = 0;
        if (row == 1) read_second(line);
        if (row == 2) read_third(line);
        if (row > 0) ++row;
    }

    void finish() {
        if (!dumps.empty()) close_mig(false);
    }

private:
    enum class Part { gpus, mig, processes };
    Part part = Part::gpus;
    int row = 0;  // of a GPU's three
    bool body = false;
    std::vector<int> instances{};  // the GPU of each
    bool has_none = false;

    static std::string read_version(std::string_view line, std::initializer_list<std::string_view> keys) {
        for (const auto key : keys)
            if (const auto value = value_of_key(line, key))
                return std::string(value->substr(0, value->find_first_of(" |")));
        return "";
    }

    static bool is_gpu(std::string_view line) {
        const auto cells = cells_of(line);
        const auto words = words_of(cells.front());
        return cells.size() > 2 && words.size() > 1 && whole_number<int>(words.front()) &&
               !bus_address_in(cells[1]).empty();
    }

    void read_header(std::string_view line) {
        finish();
        dumps.push_back({.tool = read_version(line.substr(0, line.find("Version")), {}),
                         .driver = read_version(line, {"Driver Version", "KMD Version"}),
                         .cuda = read_version(line, {"CUDA Version", "CUDA UMD Version"})});
        const auto words = words_of(line.substr(line.find("NVIDIA-SMI ")));
        if (words.size() > 1) dumps.back().tool = words[1];
        begin(Part::gpus);
        instances.clear();
        has_none = false;
    }

    void begin(Part next) {
        if (part == Part::mig && next == Part::processes) close_mig(true);
        part = next;
        body = false;
        row = 0;
    }

    void read_gpu(std::string_view line) {
        const auto cells = cells_of(line);
        auto words = words_of(cells[0]);
        const auto index = *whole_number<int>(words.front());
        const bool again = !dumps.empty() && std::ranges::any_of(dumps.back().gpus, [&](const PastedGpu& one) {
            return one.health.index == index;
        });
        if (dumps.empty() || again) {
            finish();
            dumps.emplace_back();
        }
        begin(Part::gpus);
        PastedGpu gpu{.health = {.index = index, .pci = std::string(bus_address_in(cells[1]))}};
        const auto last = words.back();
        if (last == "On" || last == "Off" || last == "N/A" || last == "TCC" || last == "WDDM" || last == "MCDM")
            words.pop_back();
        gpu.windows = last == "WDDM" || last == "MCDM";
        std::string name;
        for (std::size_t at = 1; at < words.size(); ++at) name += (name.empty() ? "" : " ") + std::string(words[at]);
        if (name == error_sign) gpu.unreadable.emplace_back("name");
        else gpu.health.name = name;
        const auto ecc = words_of(cells[2]);
        if (!ecc.empty() && ecc.front() == error_sign) gpu.unreadable.emplace_back("ECC");
        else if (!ecc.empty()) gpu.health.uncorrected_errors = whole_number<std::int64_t>(ecc.front());
        dumps.back().gpus.push_back(std::move(gpu));
        row = 1;
    }

    // "| N/A   54C    P8    16W /  80W |    816MiB /  6144MiB |      3%      Default |"
    void read_second(std::string_view line) {
        auto& gpu = dumps.back().gpus.back();
        const auto cells = cells_of(line);
        const auto words = words_of(cells.front());
        constexpr auto fields = std::to_array<std::string_view>({"fan", "temperature", "performance state", "power"});
        for (std::size_t at = 0; at < std::min(words.size(), fields.size()); ++at)
            if (words[at] == error_sign) gpu.unreadable.emplace_back(fields[at]);
        if (words.size() > 1 && words[1].ends_with('C'))
            gpu.celsius = whole_number<int>(words[1].substr(0, words[1].size() - 1));
        if (const auto slash = line.find("MiB /"); slash != std::string_view::npos && slash > 0) {
            const auto from = line.find_last_not_of("0123456789", slash - 1) + 1;
            gpu.used_mib = whole_number(line.substr(from, slash - from));
            gpu.total_mib = number_after(line, "MiB /");
        }
        if (cells.size() < 3) return;
        if (contains(cells[2], error_sign)) gpu.unreadable.emplace_back("utilization");
        for (const auto& [words_of_mode, mode] :
             {std::pair{"Default", ComputeMode::shared}, std::pair{"E. Process", ComputeMode::exclusive_process},
              std::pair{"E. Thread", ComputeMode::exclusive_thread}, std::pair{"Prohibited", ComputeMode::prohibited}})
            if (contains(cells[2], words_of_mode)) gpu.health.compute_mode = static_cast<int>(mode);
    }

    void read_third(std::string_view line) {
        if (contains(line, "Enabled")) dumps.back().gpus.back().health.mig = true;
        if (contains(line, "Disabled")) dumps.back().gpus.back().health.mig = false;
    }

    // "|  0    1   0   0  |     12MiB / 19968MiB  | 14      0 |  1   0    0    0    0 |"
    void read_mig(std::string_view line) {
        if (contains(line, "No MIG devices found")) has_none = true;
        const auto cells = cells_of(line);
        const auto words = words_of(cells.front());
        if (words.size() == 4 &&
            std::ranges::all_of(words, [](auto each) { return whole_number<int>(each).has_value(); }))
            instances.push_back(*whole_number<int>(words.front()));
    }

    // How many instances a GPU without any has, only a list with an end tells.
    void close_mig(bool list_ended) {
        for (auto& gpu : dumps.back().gpus) {
            if (!gpu.health.mig.value_or(false)) continue;
            const auto number = static_cast<int>(std::ranges::count(instances, gpu.health.index));
            if (number > 0 || has_none || (list_ended && !instances.empty())) gpu.health.mig_instances = number;
        }
        instances.clear();
        has_none = false;
    }

    // "0 N/A N/A 48211 C python 78530MiB", without the instances before 450; the type is C, G, C+G or M+C.
    void add_process(const std::vector<std::string_view>& words) {
        const auto is_type = [](std::string_view word) {
            return word.find_first_not_of("CGM+") == std::string_view::npos;
        };
        const auto type = std::find_if(words.begin() + 2, words.end(), is_type);
        if (type == words.end() || words.end() - type < 3) return;
        const auto pid = whole_number(*(type - 1));
        if (!pid) return;
        std::string name;
        for (auto word = type + 1; word != words.end() - 1; ++word)
            name += (name.empty() ? "" : " ") + std::string(*word);
        name.erase(0, name.find_last_of("/\\") + 1);
        std::optional<std::int64_t> used;
        if (words.back().ends_with("MiB")) used = whole_number(words.back().substr(0, words.back().size() - 3));
        dumps.back().running.push_back(
            {.gpu = *whole_number<int>(words.front()), .pid = *pid, .name = std::move(name), .used_mib = used});
    }

    void read_process(std::string_view line) {
        auto& list = dumps.back().processes;
        if (contains(line, "No running processes found")) list = ProcessList::empty;
        const auto cells = cells_of(line);
        const auto words = words_of(cells.front());
        if (body && words.size() > 2 && whole_number<int>(words.front())) {
            list = ProcessList::filled;
            add_process(words);
        }
        if (contains(line, "Not Supported")) body = false;
        if (body && line.starts_with("+-") && list == ProcessList::not_pasted) list = ProcessList::empty;
        if (contains(line, "====")) body = true;
    }
};

}  // namespace

std::vector<GpuDump> read_gpu_tables(const Lines& lines) {
    GpuTableReader reader;
    for (const auto line : lines) reader.read(line);
    reader.finish();
    return std::move(reader.dumps);
}

}  // namespace tocuda::doctor
