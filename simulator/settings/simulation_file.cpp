// tocuda, Apache-2.0.
#include "settings/simulation_file.hpp"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "simulator/schema/compiled.hpp"

namespace tocuda::simulator {
namespace {

constexpr double busy_lasts = 0.05;

bool holds(const TelemetryMoment& moment, const TelemetryNow& now) {
    const bool worked = now.work_begin >= 0;
    if (now.reading < moment.reading || now.seconds < moment.after_seconds) return false;
    if (moment.process && *moment.process != now.process) return false;
    if (moment.while_busy && (!worked || now.seconds > now.work_end + busy_lasts)) return false;
    return !moment.after_work || (worked && now.seconds >= now.work_begin + *moment.after_work);
}

}  // namespace

const TelemetryLine* telemetry_line(const std::vector<TelemetryLine>& lines, std::string_view field,
                                    const TelemetryNow& now) {
    const auto counts = [&](const TelemetryLine& line) { return line.field == field && holds(line.moment, now); };
    const auto found = std::find_if(lines.rbegin(), lines.rend(), counts);
    return found == lines.rend() ? nullptr : &*found;
}

}  // namespace tocuda::simulator

// Entries are indices or prefixes of UUIDs. An invalid entry ends the list; a repeated one leaves no device at all.

namespace tocuda::simulator {
namespace {

std::optional<int> by_uuid(std::string_view entry, const std::vector<SimulatedGpu>& gpus) {
    std::optional<int> found;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        if (!std::string_view(gpus[i].uuid).starts_with(entry)) continue;
        if (found) return std::nullopt;  // the prefix of two GPUs names neither
        found = static_cast<int>(i);
    }
    return found;
}

std::optional<int> device_of(std::string_view entry, const std::vector<SimulatedGpu>& gpus) {
    if (entry.starts_with("GPU-") || entry.starts_with("MIG-")) return by_uuid(entry, gpus);
    int index = -1;
    const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), index);
    if (error != std::errc{} || end != entry.data() + entry.size()) return std::nullopt;
    if (index < 0 || index >= static_cast<int>(gpus.size())) return std::nullopt;
    return index;
}

std::string_view without_blanks(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

}  // namespace

std::vector<int> visible_devices(std::optional<std::string_view> list, const std::vector<SimulatedGpu>& gpus) {
    std::vector<int> visible;
    if (!list) {
        for (std::size_t i = 0; i < gpus.size(); ++i) visible.push_back(static_cast<int>(i));
        return visible;
    }
    std::string_view rest = *list;
    while (!rest.empty()) {
        const auto entry = rest.substr(0, rest.find(','));
        const auto device = device_of(without_blanks(entry), gpus);
        if (!device) return visible;
        if (std::find(visible.begin(), visible.end(), *device) != visible.end())
            return {};  // repeated: no device at all
        visible.push_back(*device);
        rest.remove_prefix(entry.size() < rest.size() ? entry.size() + 1 : rest.size());
    }
    return visible;
}

std::vector<int> visible_devices_of_environment(const std::vector<SimulatedGpu>& gpus) {
    const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
    auto visible = visible_devices(list ? std::optional<std::string_view>(list) : std::nullopt, gpus);
    // Of MIG instances CUDA shows a process the first only, and no other GPU.
    const auto instance =
        std::ranges::find_if(visible, [&](int i) { return gpus[static_cast<std::size_t>(i)].mig == 1; });
    if (instance != visible.end()) visible = {*instance};
    return visible;
}

namespace {

// A byte of the file for each GPU. The descriptor stays open, because closing it would release its locks.
bool set_lock(int index, short kind) {
    static const int file = [] {
        const char* path = std::getenv("TOCUDA_SIMULATION");
        return path ? ::open(path, O_RDWR | O_CLOEXEC) : -1;
    }();
    struct flock lock{};
    lock.l_type = kind;
    lock.l_whence = SEEK_SET;
    lock.l_start = index;
    lock.l_len = 1;
    return file < 0 || ::fcntl(file, F_OFD_SETLK, &lock) == 0;
}

}  // namespace

bool lock_gpu(int index) { return set_lock(index, F_WRLCK); }
void unlock_gpu(int index) { set_lock(index, F_UNLCK); }

SimulationFile read_simulation_file() {
    const char* path = std::getenv("TOCUDA_SIMULATION");
    if (!path) {
        std::fputs(
            "tocuda: simulated GPUs: TOCUDA_SIMULATION is not set: no devices; `tocuda __simulation` writes its file\n",
            stderr);
        return {};
    }
    std::FILE* file = std::fopen(path, "re");
    if (!file) {
        std::fprintf(stderr, "tocuda: simulated GPUs: cannot read '%s'\n", path);
        return {.state = SimulationFile::State::bad, .machine = {}};
    }
    std::string text;
    char piece[4096];
    for (std::size_t got = 0; (got = std::fread(piece, 1, sizeof piece, file)) > 0;) text.append(piece, got);
    std::fclose(file);
    CompiledReading reading = read_compiled(text);
    if (reading.problem.empty()) return {.state = SimulationFile::State::good, .machine = std::move(reading.machine)};
    std::fprintf(stderr, "tocuda: simulated GPUs: %s: %s\n", path, reading.problem.c_str());
    return {.state = SimulationFile::State::bad, .machine = {}};
}

std::optional<std::uint64_t> process_of_environment() {
    const char* given = std::getenv("TOCUDA_SIMULATION_PROCESS");
    if (!given) return 0;
    const std::string_view text(given);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace tocuda::simulator
