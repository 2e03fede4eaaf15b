// tocuda, Apache-2.0.
#include "process/spawning.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>

namespace tocuda {
namespace {

constexpr int first_own_number = 10;

int checked(int result, const char* what) {
    if (result < 0) throw std::system_error(errno, std::generic_category(), what);
    return result;
}

Descriptor out_of_the_way(Descriptor descriptor) {
    if (descriptor.get() >= first_own_number) return descriptor;
    return Descriptor(
        checked(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, first_own_number), "cannot duplicate a descriptor"));
}

}  // namespace

Pipe make_pipe() {
    std::array<int, 2> ends{};
    checked(pipe2(ends.data(), O_CLOEXEC), "cannot create a pipe");
    Descriptor read(ends[0]);
    Descriptor write(ends[1]);
    return {out_of_the_way(std::move(read)), out_of_the_way(std::move(write))};
}

Descriptor open_null() {
    return out_of_the_way(Descriptor(checked(open("/dev/null", O_RDONLY | O_CLOEXEC), "/dev/null")));
}

Descriptor memory_holding(std::string_view text) {
    auto memory = out_of_the_way(
        Descriptor(checked(memfd_create("order", MFD_CLOEXEC), "cannot allocate memory for a child's order")));
    while (!text.empty()) {
        const auto written = write(memory.get(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        text.remove_prefix(
            static_cast<std::size_t>(checked(static_cast<int>(written), "cannot write a child's order")));
    }
    return memory;
}

void set_nonblocking(const Descriptor& descriptor) {
    checked(fcntl(descriptor.get(), F_SETFL, fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK),
            "cannot make a pipe non-blocking");
}

std::string text_in(int descriptor) {
    std::string text;
    std::array<char, 1 << 16> chunk;
    while (true) {
        const auto count = pread(descriptor, chunk.data(), chunk.size(), static_cast<off_t>(text.size()));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return text;
        text.append(chunk.data(), static_cast<std::size_t>(count));
    }
}

}  // namespace tocuda

// Uses posix_spawn, which reports why exec failed and does not copy this process to find out.

namespace tocuda {
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

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
