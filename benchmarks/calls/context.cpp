// tocuda, Apache-2.0.
// Measures how long it takes to create the context of a GPU and to destroy it. Each new process does both once; the one
// that measures has none, because in exclusive mode a GPU takes only one process.
#include "benchmarks/calls/context.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>

#include "benchmarks/calls/measured_child.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/shared_gpu.hpp"

namespace tocuda {
namespace {

constexpr const char* context_word = "context";
constexpr const char* gpu_word = "gpu";
constexpr const char* no_answer = "the new process ended without an answer";

struct ContextSeconds {
    double create = 0;
    double destroy = 0;
};

double seconds_of(const char* name, cudaError_t (*call)()) {
    const auto began = host_seconds();
    require(name, call());
    return host_seconds() - began;
}

cudaMemoryType type_of(const void* memory) {
    cudaPointerAttributes attributes{};
    require("cudaPointerGetAttributes", cudaPointerGetAttributes(&attributes, memory));
    return attributes.type;
}

// The driver is initialised before, and memory that the context holds shows that it is there, and that it is gone.
ContextSeconds create_and_destroy() {
    int devices = 0;
    require("cudaGetDeviceCount", cudaGetDeviceCount(&devices));
    ContextSeconds seconds;
    seconds.create = seconds_of("cudaFree", [] { return cudaFree(nullptr); });
    void* memory = nullptr;
    require("cudaMalloc", cudaMalloc(&memory, 4096));
    require("cudaMemset", cudaMemset(memory, 1, 4096));
    require("cudaDeviceSynchronize", cudaDeviceSynchronize());
    if (type_of(memory) != cudaMemoryTypeDevice) throw std::runtime_error("the context has no memory");
    seconds.destroy = seconds_of("cudaDeviceReset", cudaDeviceReset);
    if (type_of(memory) == cudaMemoryTypeDevice) throw std::runtime_error("the context outlived its destruction");
    return seconds;
}

ContextSeconds in_a_new_process() {
    std::istringstream line(answer_of_child({context_word}));
    ContextSeconds seconds;
    if (line >> seconds.create >> seconds.destroy) return seconds;
    const auto answer = line.str();
    throw std::runtime_error(answer.empty() ? no_answer
                                            : "the new process failed: " + answer.substr(0, answer.find('\n')));
}

// Each process gives a sample of both.
class Contexts final : public Bench {
public:
    Trial trial(const Parameters& set) override {
        const bool creates = text(set, "what") == "create";
        return {.compared = "that each context has memory, and that this is gone once it is destroyed",
                .differs = [this] { return start_one(), ""; },
                .timing = SelfTimed{.seconds = [this, creates] { return next(creates ? created : destroyed); }}};
    }

private:
    void start_one() {
        const auto seconds = in_a_new_process();
        created.push_back(seconds.create);
        destroyed.push_back(seconds.destroy);
    }

    double next(std::deque<double>& left) {
        if (left.empty()) start_one();
        const auto seconds = left.front();
        left.pop_front();
        return seconds;
    }

    std::deque<double> created{};
    std::deque<double> destroyed{};
};

const RegisteredBenchmark contexts{{
    .benchmark = {.name = "calls/context",
                  .summary = "create the context of a GPU, or destroy it",
                  .how =
                      "a new process initialises the driver, and then times the first call that needs a context, and "
                      "cudaDeviceReset; the process that measures does not use the GPU, so that no context is there "
                      "unless others have one",
                  .clock = Clock::host,
                  .parameters = {{"what", {}}},
                  .quick = {{"what", {}}},
                  .full = {{"what", {"create", "destroy"}}},
                  .needs = {.gpus = 1},
                  .cost = {.programs = 1}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Contexts>(); },
    .gpu_of_new_process = gpu_of_new_process,
}};

}  // namespace

std::string gpu_of_new_process() {
    auto answer = answer_of_child({gpu_word});
    answer.resize(std::min(answer.find('\n'), answer.size()));
    if (answer.empty()) throw std::runtime_error(no_answer);
    if (!answer.starts_with("GPU-") && !answer.starts_with(mig_prefix)) throw std::runtime_error(answer);
    return answer;
}

std::optional<int> answered_as_context(int count, char** arguments) {
    const bool asks = count == 2 && std::strcmp(arguments[1], gpu_word) == 0;
    if (!asks && (count != 2 || std::strcmp(arguments[1], context_word) != 0)) return std::nullopt;
    std::ostringstream line;
    line.precision(17);
    try {
        if (asks) {
            line << uuid_of_current_device() << '\n';
        } else {
            const auto seconds = create_and_destroy();
            line << seconds.create << ' ' << seconds.destroy << '\n';
        }
    } catch (const std::exception& error) {
        line.str(std::string(error.what()) + '\n');
    }
    answer_parent(line.str());
    return 0;
}

}  // namespace tocuda
