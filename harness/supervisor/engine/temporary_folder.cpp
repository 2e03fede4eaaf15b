// tocuda, Apache-2.0.
// A lock on a file in the folder shows whether the owner is alive: the kernel releases it however the owner ends.
#include "engine/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "engine/known_functions.hpp"
#include "json_lines/simulated_text.hpp"
#include "machine/simulation_spec.hpp"

namespace tocuda {
namespace {

namespace filesystem = std::filesystem;
constexpr const char* beginning = "tocuda-temporary-";
constexpr const char* lock_name = "owner.lock";

filesystem::path place() {
    std::error_code error;
    auto folder = filesystem::temp_directory_path(error);
    if (error) throw std::runtime_error("no folder for temporary files: TMPDIR does not name an existing one");
    return folder;
}

bool is_ours(const filesystem::path& folder) {
    struct stat facts{};
    return ::lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid();
}

// A folder without a lock file is still being made, and stays.
void remove_if_left(const filesystem::path& folder) {
    if (!is_ours(folder)) return;
    const Descriptor lock(::open((folder / lock_name).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!lock.open() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return;
    std::error_code ignored;
    filesystem::remove_all(folder, ignored);
}

void sweep() {
    std::error_code error;
    for (const auto& entry : filesystem::directory_iterator(place(), error))
        if (entry.path().filename().string().starts_with(beginning)) remove_if_left(entry.path());
}

filesystem::path new_folder() {
    auto name = (place() / (std::string(beginning) + "XXXXXX")).string();
    if (!::mkdtemp(name.data())) throw std::runtime_error(name + ": cannot make a temporary folder");
    return name;
}

// Another process may have removed the folder before it was locked.
bool is_still_there(const Descriptor& lock) {
    struct stat facts{};
    return ::fstat(lock.get(), &facts) == 0 && facts.st_nlink > 0;
}

}  // namespace

Expected<SimulatedMachine> machine_of(const std::string& spec, const std::vector<std::string>& faults,
                                      std::uint64_t seed) {
    const auto simulation = parse_simulation(spec);
    if (!simulation) return problem(simulation.error());
    auto machine = simulation->machine;
    machine.seed = seed;
    for (const auto& text : faults) {
        const auto fault = parse_fault(text);
        if (!fault) return problem(fault.error());
        machine.faults.push_back(*fault);
    }
    if (const auto missing = missing_gpu(machine); !missing.empty()) return problem(missing);
    if (const auto unknown = fault_of_unknown_function(machine); !unknown.empty()) return problem(unknown);
    return machine;
}

Expected<std::filesystem::path> SimulationFolder::file_for(const std::string& spec,
                                                           const std::vector<std::string>& faults, std::uint64_t seed) {
    std::string key = fmt::format("{}\nseed {}", spec, seed);
    for (const auto& fault : faults) key += "\nfault " + fault;
    if (const auto known = files.find(key); known != files.end()) return known->second;
    const auto machine = machine_of(spec, faults, seed);
    if (!machine) return problem(machine.error());
    auto file = write_simulation(folder.path(), *machine);
    if (file) files.emplace(key, *file);
    return file;
}

TemporaryFolder::TemporaryFolder() {
    sweep();
    do {
        folder = new_folder();
        lock = Descriptor(::open((folder / lock_name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        if (!lock.open() || ::flock(lock.get(), LOCK_EX) != 0)
            throw std::runtime_error(folder.string() + ": cannot be written");
    } while (!is_still_there(lock));
}

TemporaryFolder::~TemporaryFolder() { remove(); }

void TemporaryFolder::remove() {
    std::error_code ignored;
    if (!folder.empty()) filesystem::remove_all(folder, ignored);
    folder.clear();
}

}  // namespace tocuda
