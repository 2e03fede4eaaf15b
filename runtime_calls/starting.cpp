// tocuda, Apache-2.0.
// Starts this program again and reads its answer: five times and any error.
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_calls/first_byte.hpp"

namespace tocuda {
namespace {

constexpr double patience_seconds = 60;

struct Descriptor {
    explicit Descriptor(int number) : held(number) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    void close() {
        if (held >= 0) ::close(held);
        held = -1;
    }
    int held;
};

std::vector<std::string> environment_with(const std::string& module_loading) {
    constexpr std::string_view name = "CUDA_MODULE_LOADING=";
    std::vector<std::string> all{std::string(name) + module_loading};
    for (char** each = environ; *each; ++each)
        if (!std::string_view(*each).starts_with(name)) all.emplace_back(*each);
    return all;
}

pid_t start(const std::string& module_loading, int answers) {
    auto environment = environment_with(module_loading);
    std::vector<char*> pointers;
    for (auto& each : environment) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, answers, first_byte_answers);
    std::ostringstream now;
    now.precision(17);
    now << monotonic_seconds();
    std::string program = "tocuda-cuda";
    std::string word = first_byte_word;
    std::string moment = now.str();
    std::array<char*, 4> arguments{program.data(), word.data(), moment.data(), nullptr};
    pid_t process = -1;
    const int error = posix_spawn(&process, "/proc/self/exe", &actions, nullptr, arguments.data(), pointers.data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error(std::string("cannot start a new process: ") + std::strerror(error));
    return process;
}

// Reads until the other end of the pipe is closed. Empty if that takes longer than patience_seconds.
std::string everything_from(int descriptor) {
    std::string text;
    std::array<char, 512> part{};
    const auto deadline = monotonic_seconds() + patience_seconds;
    for (double left = patience_seconds; left > 0; left = deadline - monotonic_seconds()) {
        pollfd ready{.fd = descriptor, .events = POLLIN, .revents = 0};
        const int answered = ::poll(&ready, 1, static_cast<int>(left * 1e3) + 1);
        if (answered < 0 && errno != EINTR) break;
        if (answered <= 0) continue;
        const auto got = ::read(descriptor, part.data(), part.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return text;
        text.append(part.data(), static_cast<std::size_t>(got));
    }
    return "";
}

FirstByte read_times(const std::string& text) {
    FirstByte times;
    std::istringstream line(text);
    for (auto& seconds : times.seconds)
        if (!(line >> seconds)) throw std::runtime_error("the new process ended without an answer");
    std::string which;
    std::string what;
    line >> which;
    std::getline(line >> std::ws, what);
    if (which != "wrong") throw std::runtime_error("the new process failed: " + what);
    times.wrong = what;
    return times;
}

}  // namespace

FirstByte first_byte(const std::string& module_loading) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
    Descriptor reading(ends[0]);
    Descriptor writing(ends[1]);
    const auto process = start(module_loading, writing.held);
    writing.close();
    const auto text = everything_from(reading.held);
    if (text.empty()) ::kill(process, SIGKILL);
    while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
    return read_times(text);
}

}  // namespace tocuda
