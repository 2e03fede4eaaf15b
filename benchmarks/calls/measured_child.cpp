// tocuda, Apache-2.0.
#include "benchmarks/calls/measured_child.hpp"

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "measurement/check.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/host_time.hpp"
#include "measurement/payload.hpp"

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

// The process that times itself, whose answer is its times and then any error, and the one that starts it.

namespace tocuda {
namespace {

constexpr const char* first_byte_word = "first-byte";  // followed by the start time in monotonic_seconds
constexpr std::size_t copied_bytes = 4096;

class Stopwatch {
public:
    explicit Stopwatch(double start) : started(start) {}
    void pass(Milestone milestone) {
        times.seconds[static_cast<std::size_t>(milestone)] = virtual_seconds().value_or(monotonic_seconds() - started);
    }
    FirstByte times{};

private:
    double started;
};

void go(Stopwatch& watch) {
    watch.pass(Milestone::program);
    int devices = 0;
    require("cudaGetDeviceCount", cudaGetDeviceCount(&devices));
    watch.pass(Milestone::runtime);
    require("cudaFree", cudaFree(nullptr));
    watch.pass(Milestone::context);
    std::vector<std::byte> payload(copied_bytes);
    write_payload(payload, 0);
    const DeviceMemory memory(2 * copied_bytes);
    require("cudaMemcpy", cudaMemcpy(memory.get(), payload.data(), copied_bytes, cudaMemcpyHostToDevice));
    require("cudaDeviceSynchronize", cudaDeviceSynchronize());
    watch.pass(Milestone::first_copy);
    const Stream stream;
    write_payload(stream, {memory.get() + copied_bytes, copied_bytes}, copied_bytes);
    watch.pass(Milestone::first_kernel);
    std::vector<std::byte> found(2 * copied_bytes);
    require("cudaMemcpy", cudaMemcpy(found.data(), memory.get(), found.size(), cudaMemcpyDeviceToHost));
    if (first_unlike_payload(found, 0)) watch.times.wrong = "the copied or computed bytes differ from the reference";
}

void say(const FirstByte& times) {
    std::ostringstream line;
    line.precision(17);
    for (const auto seconds : times.seconds) line << seconds << ' ';
    const auto& text_of_it = times.failed.empty() ? times.wrong : times.failed;
    line << (times.failed.empty() ? "wrong " : "failed ") << text_of_it.substr(0, text_of_it.find('\n')) << '\n';
    answer_parent(line.str());
}

}  // namespace

std::optional<Milestone> milestone_called(std::string_view word) {
    const auto found = std::find(milestone_words.begin(), milestone_words.end(), word);
    if (found == milestone_words.end()) return std::nullopt;
    return static_cast<Milestone>(found - milestone_words.begin());
}

FirstByte first_byte(const std::string& module_loading) {
    std::ostringstream now;
    now.precision(17);
    now << monotonic_seconds();
    FirstByte times;
    std::istringstream line(answer_of_child({first_byte_word, now.str()}, "CUDA_MODULE_LOADING=" + module_loading));
    for (auto& seconds : times.seconds)
        if (!(line >> seconds)) throw std::runtime_error("the new process ended without an answer");
    std::string which;
    line >> which;
    std::getline(line >> std::ws, times.wrong);
    if (which != "wrong") throw std::runtime_error("the new process failed: " + times.wrong);
    return times;
}

std::optional<int> answered_as_first_byte(int count, char** arguments) {
    if (count != 3 || std::strcmp(arguments[1], first_byte_word) != 0) return std::nullopt;
    Stopwatch watch(std::strtod(arguments[2], nullptr));
    try {
        go(watch);
    } catch (const std::exception& error) {
        watch.times.failed = error.what();
    }
    say(watch.times);
    return watch.times.wrong.empty() && watch.times.failed.empty() ? 0 : 1;
}

}  // namespace tocuda
