// tocuda, Apache-2.0.
// How many atomic operations a GPU makes in a second: on one number or on as many as there are threads, with or without
// an answer.
#include "kernels/atomics.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/room.hpp"

namespace tocuda::benchmarks::atomic_rates {
namespace {

Values numbers_of(AtomicOperation operation) {
    const auto count = operation == AtomicOperation::add ? atomic_number_words.size() : 2;
    Values words;
    for (std::size_t i = 0; i < count; ++i) words.emplace_back(std::string(atomic_number_words[i]));
    return words;
}

// So that starting a launch, some microseconds, does not count. Fewer on simulated GPUs, whose operations the CPU does.
unsigned repeats() { return gpus_are_simulated() ? 1 : 11; }

class AtomicRates final : public Bench {
public:
    explicit AtomicRates(AtomicOperation measured) : operation(measured) {}

    std::string why_skipped(const Parameters& set) const override {
        const auto atomics = atomics_of(set);
        return why_no_room(allocated_bytes({atomics.target_bytes(), found_bytes(atomics)}), free);
    }

    Trial trial(const Parameters& set) override {
        const auto atomics = atomics_of(set);
        const auto target = std::make_shared<DeviceMemory>(atomics.target_bytes());
        const auto found = std::make_shared<DeviceMemory>(found_bytes(atomics));
        const auto launched = [=](const Stream& on) {
            launch_atomics(on, atomics, target->get(), reinterpret_cast<std::uint64_t*>(found->get()));
        };
        return {.items = atomics.operations(),
                .compared = set.contains("result") && !atomics.used
                                ? "every number that was changed"
                                : "every number that was changed, and what was read where that has one answer",
                .differs = [=, this] { return what_differs(atomics, *target, *found, launched); },
                .timing = Queued{.operation = launched}};
    }

private:
    static std::size_t found_bytes(const Atomics& atomics) { return atomics.threads() * sizeof(std::uint64_t); }

    Atomics atomics_of(const Parameters& set) const {
        const auto word = std::find(atomic_number_words.begin(), atomic_number_words.end(), text(set, "type"));
        return {.operation = operation,
                .number = static_cast<AtomicNumber>(word - atomic_number_words.begin()),
                .spread = text(set, "addresses") == "spread",
                .used = !set.contains("result") || text(set, "result") == "used",
                .multiprocessors = multiprocessors,
                .repeats = repeats()};
    }

    std::string what_differs(const Atomics& atomics, const DeviceMemory& target, const DeviceMemory& found,
                             const std::function<void(const Stream&)>& launched) const {
        std::vector<std::byte> numbers(atomics.target_bytes());
        std::vector<std::uint64_t> read(atomics.threads());
        for (const auto& [memory, bytes] :
             {std::pair(&target, numbers.size()), std::pair(&found, found_bytes(atomics))})
            require("cudaMemsetAsync", cudaMemsetAsync(memory->get(), 0, bytes, stream.get()));
        launched(stream);
        download(numbers, target.get(), stream);
        download(std::as_writable_bytes(std::span(read)), found.get(), stream);
        return wrong_with(atomics, numbers, read);
    }

    const AtomicOperation operation;
    const unsigned multiprocessors = gpu_facts().multiprocessors;
    const std::size_t free = free_device_bytes();
    const Stream stream{};
};

Measurable measured(AtomicOperation operation, Benchmark benchmark) {
    benchmark.name = "atomics/" + benchmark.name;
    benchmark.how =
        "`addresses`: 2,048 threads on one number, or 1,024 on each multiprocessor with a number each; operations are "
        "counted, not bytes: the rate is in 10^9 operations a second (Gop/s). " +
        benchmark.how;
    benchmark.clock = Clock::device;
    benchmark.needs.gpus = 1;
    benchmark.parameters = {{"type", {}}, {"addresses", {"one", "spread"}}};
    if (operation != AtomicOperation::cas) benchmark.parameters["result"] = {"used", "unused"};
    benchmark.quick = {{"type", {}}};
    benchmark.full = {{"type", numbers_of(operation)}};
    return {.benchmark = std::move(benchmark),
            .set_up = [operation](const std::vector<Parameters>&) { return std::make_unique<AtomicRates>(operation); }};
}

constexpr auto used_or_not = "With `result=used` the instruction answers (ATOM), otherwise it does not (RED)";

const RegisteredBenchmark add{
    measured(AtomicOperation::add, {.name = "add", .summary = "atomic additions in a second", .how = used_or_not})};
const RegisteredBenchmark max{measured(
    AtomicOperation::max,
    {.name = "max",
     .summary = "atomic maxima in a second",
     .how = std::string(used_or_not) + ". The first launch reaches the maximum, and the later ones confirm it"})};
const RegisteredBenchmark cas{
    measured(AtomicOperation::cas,
             {.name = "cas",
              .summary = "atomic compare-and-swaps in a second, each with what the one before it read",
              .how = "A thread waits for each answer. Swaps that failed count: on one number nearly all do"})};

}  // namespace
}  // namespace tocuda::benchmarks::atomic_rates
