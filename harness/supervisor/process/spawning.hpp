// tocuda, Apache-2.0.
// Starts a program in its own session, and the pipes to it.
#pragma once

#include <spawn.h>
#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tocuda {

// Pipes whose ends stay in this process: closed on exec, and numbered above the guardian's descriptors, so that passing
// one on as descriptor 3 cannot overwrite another.

// Owns an open file descriptor.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int descriptor) : number(descriptor) {}
    Descriptor(Descriptor&& other) noexcept : number(std::exchange(other.number, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) {
            close();
            number = std::exchange(other.number, -1);
        }
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }

    int get() const { return number; }
    bool open() const { return number >= 0; }
    void close() {
        if (number >= 0) ::close(std::exchange(number, -1));
    }

private:
    int number = -1;
};

struct Pipe {
    Descriptor read;
    Descriptor write;
};

// These throw std::system_error, for example if the machine has no descriptors left.
Pipe make_pipe();
Descriptor open_null();
Descriptor memory_holding(std::string_view text);

void set_nonblocking(const Descriptor& descriptor);

// Returns all of a memory file from its beginning; empty if it cannot be read.
std::string text_in(int descriptor);

// Starts a program in its own session, with only the descriptors passed to it and with default signal handling.
struct Spawned {
    pid_t process = -1;
    int problem = 0;  // errno; 0 if it was started
};

// As exec takes them. They point into `texts`.
std::vector<char*> pointers_to(const std::vector<std::string>& texts);

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
