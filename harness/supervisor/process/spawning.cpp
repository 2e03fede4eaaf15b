// tocuda, Apache-2.0.
// Uses posix_spawn, which reports why exec failed and does not copy this process to find out.
#include "process/spawning.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string_view>

namespace tocuda {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

Spawning::Spawning() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigset_t signals;
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
}

Spawning::~Spawning() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
}

void Spawning::hand_on(int ours, int theirs) {
    posix_spawn_file_actions_adddup2(&actions, ours, theirs);
    last = theirs;
}

Spawned Spawning::start(const std::string& program, const std::vector<std::string>& command,
                        const std::vector<std::string>& environment) {
    posix_spawn_file_actions_addclosefrom_np(&actions, last + 1);
    Spawned spawned;
    spawned.problem = posix_spawn(&spawned.process, program.c_str(), &actions, &attributes, pointers_to(command).data(),
                                  pointers_to(environment).data());
    return spawned;
}

std::string program_path(const std::string& name, const std::vector<std::string>& environment) {
    if (name.find('/') != std::string::npos) return name;
    std::string_view folders = "/usr/local/bin:/usr/bin:/bin";
    for (const std::string_view variable : environment)
        if (variable.starts_with("PATH=")) folders = variable.substr(5);
    while (!folders.empty()) {
        const auto end = std::min(folders.find(':'), folders.size());
        const auto candidate = std::string(folders.substr(0, end)) + "/" + name;
        if (end > 0 && access(candidate.c_str(), X_OK) == 0) return candidate;
        folders.remove_prefix(std::min(end + 1, folders.size()));
    }
    return {};  // the bare name would mean a file in the current folder
}

}  // namespace tocuda
