// tocuda, Apache-2.0.
#include "benchmarks/calls/measured_child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

std::vector<std::string> environment_with(const std::string& setting) {
    const auto name = setting.substr(0, setting.find('=') + 1);
    std::vector<std::string> all;
    for (char** each = environ; *each; ++each)
        if (name.empty() || !std::string_view(*each).starts_with(name)) all.emplace_back(*each);
    if (!setting.empty()) all.push_back(setting);
    return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (auto& each : texts) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    return pointers;
}

pid_t start(std::vector<std::string> words, const std::string& setting, int answers) {
    auto environment = environment_with(setting);
    words.insert(words.begin(), "tocuda-cuda");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, answers, child_answers);
    pid_t process = -1;
    const int error = posix_spawn(&process, "/proc/self/exe", &actions, nullptr, pointers_to(words).data(),
                                  pointers_to(environment).data());
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

}  // namespace

std::string answer_of_child(std::vector<std::string> words, const std::string& setting) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
    Descriptor reading(ends[0]);
    Descriptor writing(ends[1]);
    const auto process = start(std::move(words), setting, writing.held);
    writing.close();
    const auto text = everything_from(reading.held);
    if (text.empty()) ::kill(process, SIGKILL);
    while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
    return text;
}

void answer_parent(const std::string& line) {
    for (std::size_t done = 0; done < line.size();) {
        const auto written = ::write(child_answers, line.data() + done, line.size() - done);
        if (written <= 0) std::_Exit(1);
        done += static_cast<std::size_t>(written);
    }
}

double monotonic_seconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace tocuda
