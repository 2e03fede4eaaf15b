// tocuda, Apache-2.0.
// What nvidia-smi prints about GPUs, as its table and with -q.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/message/dump_lines.hpp"
#include "machine/health.hpp"

namespace tocuda::doctor {

struct PastedGpu {
    GpuHealth health{};  // a negative index: it is not in the paste
    std::optional<std::int64_t> used_mib{};
    std::optional<std::int64_t> total_mib{};
    std::optional<int> celsius{};
    bool windows = false;                   // of whose programs the driver has no figures
    std::vector<std::string> unreadable{};  // "fan", "power": ERR! instead of a value
};

struct PastedProcess {
    int gpu = 0;
    std::int64_t pid = 0;
    std::string name{};  // without its folders
    std::optional<std::int64_t> used_mib{};
};

enum class ProcessList { not_pasted, empty, filled };

struct GpuDump {
    std::string tool{};    // that printed the driver's version; another one in WSL
    std::string driver{};  // "550.90.07"
    std::string cuda{};    // "12.4", "N/A", "ERR!"; empty: not in the paste
    std::optional<int> attached{};
    std::vector<PastedGpu> gpus{};
    ProcessList processes = ProcessList::not_pasted;
    std::vector<PastedProcess> running{};

    bool is_wsl() const { return !tool.empty() && !driver.empty() && tool != driver; }
};

std::vector<GpuDump> read_gpu_tables(const Lines& lines);
std::vector<GpuDump> read_gpu_queries(const Lines& lines);

}  // namespace tocuda::doctor
