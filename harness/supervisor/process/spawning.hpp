// tocuda, Apache-2.0.
// Starts a program in its own session, with only the descriptors passed to it and with default signal handling.
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace tocuda {

struct Spawned {
    pid_t process = -1;
    int problem = 0;  // errno; 0 if it was started
};

class Spawning {
public:
    Spawning();
    ~Spawning();
    Spawning(const Spawning&) = delete;
    Spawning& operator=(const Spawning&) = delete;

    // Pass descriptors from 0 upwards without a gap: everything above the last one is closed.
    void hand_on(int ours, int theirs);
    Spawned start(const std::string& program, const std::vector<std::string>& command,
                  const std::vector<std::string>& environment);

private:
    posix_spawn_file_actions_t actions{};
    posix_spawnattr_t attributes{};
    int last = -1;
};

// Returns a name with a slash unchanged and looks up any other on that environment's PATH, as a shell would. Empty if
// it is not found.
std::string program_path(const std::string& name, const std::vector<std::string>& environment);

}  // namespace tocuda
