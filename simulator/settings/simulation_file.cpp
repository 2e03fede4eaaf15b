// tocuda, Apache-2.0.
#include "settings/simulation_file.hpp"

#include <fcntl.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "simulator/schema/compiled.hpp"

namespace tocuda::simulator {
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
