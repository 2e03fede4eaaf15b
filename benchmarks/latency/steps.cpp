// tocuda, Apache-2.0.
// The latency of shared memory and of atomic operations: steps of which each needs what the one before returned.
#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/step_chain.hpp"
#include "kernels/timed_chase.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::latency_of_steps {
namespace {

Values words_from(std::size_t first) {
    Values words;
    for (auto i = first; i < step_words.size(); ++i) words.emplace_back(std::string(step_words[i]));
    return words;
}

// What is stepped through: it is made ready before each launch, which visits each place once.
class Places {
public:
    virtual ~Places() = default;
    virtual unsigned steps() const = 0;
    virtual void queue(const Stream& on, ChainStep step, unsigned count, Chased* result) const = 0;
    // After a launch of all steps.
    virtual std::string wrong(const Stream& stream, ChainStep step, const Chased& found) const = 0;
};

class SharedPlaces final : public Places {
public:
    explicit SharedPlaces(const Stream& stream) { upload(links.get(), std::as_bytes(std::span(expected)), stream); }
    unsigned steps() const override { return shared_places; }
    void queue(const Stream& on, ChainStep step, unsigned count, Chased* result) const override {
        launch_shared_chain(on, step, reinterpret_cast<const std::uint32_t*>(links.get()), count, result,
                            reinterpret_cast<std::uint32_t*>(left.get()));
    }
    std::string wrong(const Stream& stream, ChainStep step, const Chased& found) const override {
        std::uint64_t sum = 0;
        for (const auto link : expected) sum += link;
        if (found.end != 0 || found.sum != sum) return "the steps went elsewhere than the words say";
        std::vector<std::uint32_t> words(shared_places);
        download(std::as_writable_bytes(std::span(words)), left.get(), stream);
        for (std::uint32_t i = 0; i < shared_places; ++i)
            if (words[i] != left_by(step, i * sizeof(std::uint32_t), expected[i]))
                return "word " + std::to_string(i) + " is not what one step leaves";
        return "";
    }

private:
    const std::vector<std::uint32_t> expected = shared_links();
    const DeviceMemory links{shared_places * sizeof(std::uint32_t)};
    const DeviceMemory left{shared_places * sizeof(std::uint32_t)};
};

// As many lines as the L2 cache of every GPU holds, and no L1 cache keeps what an atomic operation changes.
class Lines final : public Places {
public:
    explicit Lines(const Stream& stream) {
        upload(cycle.get(), std::as_bytes(std::span(lines)), stream);
        // The check reads whole lines, of which a step writes one word.
        require("cudaMemsetAsync", cudaMemsetAsync(memory.get(), 0, working_set, stream.get()));
    }
    unsigned steps() const override { return static_cast<unsigned>(lines.size()); }
    void queue(const Stream& on, ChainStep step, unsigned count, Chased* result) const override {
        write_cycle(on, memory.get(), reinterpret_cast<const std::uint64_t*>(cycle.get()), lines.size());
        const Chase chase{.memory = memory.get(), .working_set = working_set, .first = lines.front(), .loads = count};
        launch_line_chain(on, step, chase, result);
    }
    std::string wrong(const Stream& stream, ChainStep step, const Chased& found) const override {
        std::uint64_t sum = 0;
        for (const auto line : lines) sum += address(line);
        if (found.end != address(lines.front()) || found.sum != sum)
            return "the steps went elsewhere than the lines say";
        std::vector<std::uint64_t> words(working_set / sizeof(std::uint64_t));
        download(std::as_writable_bytes(std::span(words)), memory.get(), stream);
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (words[lines[i] * line_bytes / sizeof(std::uint64_t)] !=
                left_by(step, address(lines[i]), address(lines[(i + 1) % lines.size()])))
                return "line " + std::to_string(i) + " is not what one step leaves";
        return "";
    }

private:
    static constexpr std::size_t working_set = chase_loads * line_bytes;

    std::uint64_t address(std::uint64_t line) const {
        return reinterpret_cast<std::uintptr_t>(memory.get()) + line * line_bytes;
    }

    const std::vector<std::uint64_t> lines = random_cycle(working_set, working_set);
    const DeviceMemory memory{working_set};
    const DeviceMemory cycle{lines.size() * sizeof(std::uint64_t)};
};

class Steps final : public Bench {
public:
    explicit Steps(bool in_shared_memory) : shared(in_shared_memory) {
        if (shared) places = std::make_unique<SharedPlaces>(stream);
        else places = std::make_unique<Lines>(stream);
    }

    Trial trial(const Parameters& set) override {
        const auto word = std::find(step_words.begin(), step_words.end(), text(set, "operation"));
        const auto step = static_cast<ChainStep>(word - step_words.begin());
        Trial trial{.compared =
                        "where the steps end, the sum of what they returned, what they left in each place, and "
                        "that both clocks advanced",
                    .differs = [=, this] { return what_differs(step); },
                    .timing = SelfTimed{.seconds = [=, this] { return seconds_of(step); },
                                        .together = places->steps(),
                                        .cycles = [this] { return static_cast<double>(result.host()->cycles); },
                                        .tick_seconds = timer_step_seconds(stream),
                                        .busy = {.operation =
                                                     [=, this](const Stream& on) {
                                                         places->queue(on, step, places->steps(), result.device());
                                                     },
                                                 .commands = 2}}};
        if (gpus_are_simulated())
            trial.flags.emplace_back(std::string("simulated: a step takes as long as a load from ") +
                                     (shared ? "L1" : "L2"));
        return trial;
    }

private:
    Chased stepped(ChainStep step, unsigned count) const {
        *result.host() = {};
        places->queue(stream, step, count, result.device());
        stream.synchronize();
        return *result.host();
    }

    // The clocks of a simulated GPU stand still in a kernel: there, it is the time between two events, less that of the
    // same launches without the steps.
    double seconds_of(ChainStep step) const {
        if (gpus_are_simulated()) return between_events(step, places->steps()) - between_events(step, 0);
        const auto found = stepped(step, places->steps());
        if (const auto why = places->wrong(stream, step, found); !why.empty()) throw std::runtime_error(why);
        return 1e-9 * static_cast<double>(found.nanoseconds);
    }
    double between_events(ChainStep step, unsigned count) const {
        before.record(stream);
        places->queue(stream, step, count, result.device());
        after.record(stream);
        stream.synchronize();
        return seconds_between(before, after);
    }

    std::string what_differs(ChainStep step) const {
        const auto found = stepped(step, places->steps());
        if (auto why = places->wrong(stream, step, found); !why.empty()) return why;
        const bool advanced = found.cycles > 0 && found.nanoseconds > 0;
        return advanced || gpus_are_simulated() ? "" : "the GPU's clocks did not advance during the steps";
    }

    const bool shared;
    const Stream stream{};
    const Event before{};
    const Event after{};
    const MappedMemory<Chased> result{};
    std::unique_ptr<Places> places{};
};

Measurable measured(bool in_shared_memory, Benchmark benchmark) {
    benchmark.name = "latency/" + benchmark.name;
    benchmark.how =
        "one thread makes " + benchmark.how +
        ", each at the place that the one before returned, with nothing between them but, after each 16th, the "
        "loop; the kernel reads the GPU's globaltimer and the multiprocessor's cycles before and after, and the "
        "median is the time of one. Each place is visited once. `operation=add` adds 1 (ATOM, because the "
        "answer is used), `exchange` leaves the place's own address";
    benchmark.clock = Clock::device;
    benchmark.needs.gpus = 1;
    benchmark.cost.bytes = Handling::few;
    benchmark.parameters = {{"operation", {}}};
    benchmark.quick = {{"operation", {}}};
    benchmark.full = {{"operation", words_from(in_shared_memory ? 0 : 1)}};
    return {.benchmark = std::move(benchmark), .set_up = [in_shared_memory](const std::vector<Parameters>&) {
                return std::make_unique<Steps>(in_shared_memory);
            }};
}

const RegisteredBenchmark of_shared_memory{
    measured(true, {.name = "shared",
                    .summary = "time of one load or atomic operation in shared memory that waits for the one before",
                    .how = "8,192 steps through as many words of shared memory in a random order. Of one thread no two "
                           "accesses want the same bank at once"})};
const RegisteredBenchmark of_l2{measured(
    false, {.name = "atomic",
            .summary = "time of one atomic operation in the L2 cache that waits for the one before",
            .how = "8,191 steps through lines of 128 bytes in a random order, 1 MiB in all, which has just been "
                   "written and lies in the L2 cache. Beside latency/device of 1 MiB, a load there, it says "
                   "what changing a number costs more, and the way to the half of the L2 cache that holds it"})};

}  // namespace
}  // namespace tocuda::benchmarks::latency_of_steps
