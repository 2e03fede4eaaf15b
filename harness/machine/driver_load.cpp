// tocuda, Apache-2.0.
// Finds the oldest kernel thread of the NVIDIA module and parses the module's version text.
#include "machine/driver_load.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "machine/text_file.hpp"
#include "machine/utc.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

namespace fs = std::filesystem;

// The module's kernel threads have the names of its work queues.
bool is_driver_thread(std::string_view name) {
    constexpr std::array<std::string_view, 3> names{"nv_queue", "nvidia-modeset/", "UVM global queue"};
    return std::ranges::any_of(names, [&](std::string_view begin) { return name.starts_with(begin); });
}

std::string_view name_in(std::string_view stat) {
    const auto open = stat.find('(');
    const auto close = stat.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
    return stat.substr(open + 1, close - open - 1);
}

bool is_kernel_thread(const fs::path& process) {
    const auto command = read_text(process / "cmdline");
    return command && command->empty();
}

std::optional<std::int64_t> boot_seconds(const fs::path& proc) {
    const auto stat = read_text(proc / "stat");
    if (!stat) return std::nullopt;
    for (const auto& line : lines_of(*stat))
        if (line.starts_with("btime ")) return whole_number(line.substr(6));
    return std::nullopt;
}

bool is_version(std::string_view word) {
    return word.find('.') != std::string_view::npos && word.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

std::optional<std::int64_t> start_ticks_of(std::string_view stat) {
    const auto close = stat.rfind(')');
    if (close == std::string_view::npos) return std::nullopt;
    // The first word is field 3, the state; the start time is field 22.
    const auto words = words_of(stat.substr(close + 1));
    return words.size() > 19 ? whole_number(words[19]) : std::nullopt;
}

std::optional<DriverLoad> driver_load(const fs::path& proc) {
    std::optional<DriverLoad> load;
    std::error_code failed;
    for (const auto& process : fs::directory_iterator(proc, failed)) {
        if (!whole_number(process.path().filename().string())) continue;
        const auto stat = read_text(process.path() / "stat");
        if (!stat || !is_driver_thread(name_in(*stat)) || !is_kernel_thread(process.path())) continue;
        const auto ticks = start_ticks_of(*stat);
        if (ticks && (!load || *ticks < load->ticks_since_boot)) load = DriverLoad{*ticks, {}};
    }
    if (!load) return std::nullopt;
    if (const auto boot = boot_seconds(proc))
        load->time = utc_text(
            std::chrono::sys_seconds{std::chrono::seconds{*boot + load->ticks_since_boot / sysconf(_SC_CLK_TCK)}});
    return load;
}

Driver kernel_module_of(std::string_view text) {
    Driver driver;
    for (const auto& line : lines_of(text)) {
        if (!line.starts_with("NVRM version:")) continue;
        if (line.find("Kernel Module") != std::string::npos)
            driver.flavour = line.find("Open Kernel Module") != std::string::npos ? "open" : "proprietary";
        for (const auto word : words_of(line))
            if (!driver.kernel_module && is_version(word)) driver.kernel_module = std::string(word);
    }
    return driver;
}

}  // namespace tocuda
