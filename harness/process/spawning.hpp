// tocuda, Apache-2.0.
// Starting a program in a session of its own, with the descriptors it is handed and no others, and with signals as at boot.
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace tocuda {

struct Spawned {
    pid_t process = -1;
    int problem = 0;  // errno; 0 when it was started
};

class Spawning {
public:
    Spawning();
    ~Spawning();
    Spawning(const Spawning&) = delete;
    Spawning& operator=(const Spawning&) = delete;

    // Hand on from 0 upwards without a gap: everything above the last one is closed.
    void hand_on(int ours, int theirs);
    Spawned start(const std::string& program, const std::vector<std::string>& command,
                  const std::vector<std::string>& environment);

private:
    posix_spawn_file_actions_t actions{};
    posix_spawnattr_t attributes{};
    int last = -1;
};

// A name without a slash is looked up on the PATH of that environment, as a shell would; otherwise it is a path already.
// Empty where there is none.
std::string program_path(const std::string& name, const std::vector<std::string>& environment);

}  // namespace tocuda
