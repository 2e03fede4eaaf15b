// tocuda, Apache-2.0.
// The process that times itself, whose answer is its times and then any error, and the one that starts it.
#include "benchmarks/calls/first_byte.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "benchmarks/calls/measured_child.hpp"
#include "measurement/check.hpp"
#include "measurement/device_memory.hpp"
#include "measurement/host_clock.hpp"
#include "measurement/payload.hpp"

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
