// tocuda, Apache-2.0.
// How many additions, multiplications, divisions and square roots a GPU computes in a second, and how long one takes.
#include "kernels/arithmetic.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/room.hpp"

namespace tocuda::benchmarks::arithmetic_rates {
namespace {

Values numbers_of(ArithmeticOperation operation) {
    const auto count = operation == ArithmeticOperation::fma ? arithmetic_number_words.size() : 2;
    Values words;
    for (std::size_t i = 0; i < count; ++i) words.emplace_back(std::string(arithmetic_number_words[i]));
    return words;
}

// So that a launch takes about a millisecond, and starting it does not count. Some GPUs compute doubles at a 64th of
// the rate of floats. Simulated GPUs compute little, because the CPU does it.
unsigned rounds_of(const Arithmetic& of) {
    if (gpus_are_simulated()) return of.alone ? 32 : 1;
    if (of.alone) return 32'768;
    if (of.number != ArithmeticNumber::float64) return 1024;
    return of.operation == ArithmeticOperation::fma ? 256 : 128;
}

class ArithmeticRates final : public Bench {
public:
    explicit ArithmeticRates(ArithmeticOperation measured) : operation(measured) {}

    std::string why_skipped(const Parameters& set) const override {
        if (text(set, "type") == "bfloat162")
            if (auto why = why_not_capable(gpu, 80); !why.empty()) return why;
        return why_no_room(allocated_bytes({arithmetic_of(set).result_bytes()}), free);
    }

    Trial trial(const Parameters& set) override {
        const auto arithmetic = arithmetic_of(set);
        const auto results = std::make_shared<DeviceMemory>(arithmetic.result_bytes());
        const auto launched = [=](const Stream& on) { launch_arithmetic(on, arithmetic, results->get()); };
        Trial trial{.compared = "the last number of each chain with that of the CPU, to the last bit",
                    .differs = [=, this] { return what_differs(arithmetic, *results, launched); }};
        if (arithmetic.alone) {
            trial.timing = SelfTimed{.seconds = [=, this] { return seconds_of(launched); },
                                     .together = arithmetic.steps(),
                                     .busy = {.operation = launched}};
        } else {
            trial.items = arithmetic.operations();
            trial.timing = Queued{.operation = launched};
        }
        if (gpus_are_simulated()) trial.flags.emplace_back("simulated: the time is that of an empty kernel");
        return trial;
    }

private:
    Arithmetic arithmetic_of(const Parameters& set) const {
        const auto word = std::find(arithmetic_number_words.begin(), arithmetic_number_words.end(), text(set, "type"));
        Arithmetic arithmetic{.operation = operation,
                              .number = static_cast<ArithmeticNumber>(word - arithmetic_number_words.begin()),
                              .alone = text(set, "what") == "latency",
                              .multiprocessors = gpu.multiprocessors};
        arithmetic.rounds = rounds_of(arithmetic);
        return arithmetic;
    }

    double seconds_of(const std::function<void(const Stream&)>& launched) const {
        before.record(stream);
        launched(stream);
        after.record(stream);
        stream.synchronize();
        return seconds_between(before, after);
    }

    std::string what_differs(const Arithmetic& arithmetic, const DeviceMemory& results,
                             const std::function<void(const Stream&)>& launched) const {
        std::vector<std::byte> found(arithmetic.result_bytes());
        require("cudaMemsetAsync", cudaMemsetAsync(results.get(), 0xFF, found.size(), stream.get()));
        launched(stream);
        download(found, results.get(), stream);
        return wrong_with(arithmetic, found);
    }

    const ArithmeticOperation operation;
    const GpuFacts gpu = gpu_facts();
    const std::size_t free = free_device_bytes();
    const Stream stream{};
    const Event before{};
    const Event after{};
};

Measurable measured(ArithmeticOperation operation, Benchmark benchmark) {
    benchmark.name = "arithmetic/" + benchmark.name;
    benchmark.how =
        "`what=rate`: 1,024 threads on each multiprocessor with eight chains each, in registers; operations are "
        "counted, not bytes: the rate is in 10^9 operations a second (Gop/s). `what=latency`: one warp with a single "
        "chain, whose steps wait for each other; the time is that of one step. " +
        benchmark.how;
    benchmark.clock = Clock::device;
    benchmark.needs.gpus = 1;
    benchmark.parameters = {{"type", {}}, {"what", {"rate", "latency"}}};
    benchmark.quick = {{"type", {}}};
    benchmark.full = {{"type", numbers_of(operation)}};
    return {.benchmark = std::move(benchmark), .set_up = [operation](const std::vector<Parameters>&) {
                return std::make_unique<ArithmeticRates>(operation);
            }};
}

const RegisteredBenchmark fma{
    measured(ArithmeticOperation::fma,
             {.name = "fma",
              .summary = "multiplications and additions in a second, fused in one instruction",
              .how = "A multiplication and an addition count as two operations, and those of two numbers in one word "
                     "(half2, bfloat162) as four. For those the compiler takes two instructions by turns (HFMA2 and "
                     "HFMA2.MMA): the latency is their mean"})};
const RegisteredBenchmark divide{
    measured(ArithmeticOperation::divide,
             {.name = "divide",
              .summary = "divisions in a second",
              .how = "Rounded as IEEE 754 wants it; of numbers near one, which need no second attempt"})};
const RegisteredBenchmark square_root{
    measured(ArithmeticOperation::square_root,
             {.name = "square_root",
              .summary = "square roots in a second",
              .how = "Rounded as IEEE 754 wants it; the addition after each root is timed and not "
                     "counted, so that the latency is that of both"})};

}  // namespace
}  // namespace tocuda::benchmarks::arithmetic_rates
