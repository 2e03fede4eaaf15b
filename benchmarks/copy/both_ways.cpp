// tocuda, Apache-2.0.
// Copies in both directions at once, each with its own memory. Page-locked: the GPU's clock times one direction while
// the other runs longer. Only the bytes that the other direction moves within this time count, so a sample is the time
// of one payload each way at the rate at which both ran together. Pageable and staged: two threads, timed until both
// have finished, so the whole payload counts in both directions.
#include "benchmarks/copy/both_ways.hpp"

#include <algorithm>

#include "benchmarks/copy/staged_copier.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/peaks.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda {
namespace {

Room twice_on_each_side(const Parameters& set) {
    const auto once = once_on_each_side(set);
    return {.host_bytes = 2 * once.host_bytes, .device_bytes = 2 * once.device_bytes};
}

}  // namespace

Peak in_both_directions(Peak peak) {
    if (peak.bytes_per_second > 0) peak.source += ", in both directions";
    peak.bytes_per_second *= 2;
    return peak;
}

void both(Crew& two, const std::function<void()>& one, const std::function<void()>& other) {
    if (!only_the_clock_counts()) return at_once(two, one, other);
    one();
    other();
}

void say_if_simulated(Trial& trial) {
    if (gpus_are_simulated()) trial.flags.emplace_back("simulated: one direction after the other");
}

BothWays::BothWays(const std::vector<Parameters>& sets, const TakeHostMemory& take)
    : fit(twice_on_each_side), most(fit.most_bytes(sets)),
      up(Direction::host_to_device, take(Passage::with_guards(most)), most),
      down(Direction::device_to_host, take(Passage::with_guards(most)), most) {}

Trial BothWays::trial(const Parameters& set) {
    const auto bytes = static_cast<std::int64_t>(bytes_of(set));
    Trial trial{.bytes_one_way = 2 * bytes,
                .bytes_touched = 4 * bytes,
                .peak = in_both_directions(link_peak()),
                .compared = Passage::compared(Direction::device_to_host) + ", in both directions"};
    operate(trial, set);
    trial.differs = [this, bytes = bytes_of(set), timing = trial.timing] {
        const auto* called = std::get_if<Called>(&timing);
        const auto once = [&] { called ? called->operation() : queue_both(std::get<Queued>(timing)); };
        std::string below;
        const auto above = up.what_differs(bytes, {}, [&] { below = down.what_differs(bytes, {}, once); });
        return above.empty() ? (below.empty() ? "" : "to the host: " + below) : "to the GPU: " + above;
    };
    return trial;
}

void BothWays::queue_both(const Queued& queued) const {
    queued.operation(first);
    if (queued.beside) queued.beside(second, 0, 1);
    first.synchronize();
    second.synchronize();
}

namespace benchmarks::both_ways {
namespace {

void copy(const Passage& passage, std::size_t bytes, const Stream& stream, std::size_t begin = 0) {
    copy_async(passage.to() + begin, passage.from() + begin, bytes, passage.direction, stream);
}

class Pinned final : public BothWays {
public:
    explicit Pinned(const std::vector<Parameters>& sets)
        : BothWays(sets, [](std::size_t bytes) { return pinned_memory(bytes, cudaHostAllocDefault); }) {}

protected:
    void operate(Trial& trial, const Parameters& set) override {
        const bool upwards = text(set, "timed") == word(Direction::host_to_device);
        trial.timing = Queued{.operation = [&timed = upwards ? up : down,
                                            bytes = bytes_of(set)](const Stream& queue) { copy(timed, bytes, queue); },
                              .beside =
                                  [&other = upwards ? down : up, bytes = bytes_of(set)](
                                      const Stream& queue, std::int64_t part, std::int64_t of) {
                                      const auto size = bytes / static_cast<std::size_t>(of);
                                      const auto begin = size * static_cast<std::size_t>(part);
                                      const auto piece = part + 1 == of ? bytes - begin : size;
                                      if (piece > 0) copy(other, piece, queue, begin);
                                  }};
    }
};

class Pageable final : public BothWays {
public:
    explicit Pageable(const std::vector<Parameters>& sets) : BothWays(sets, pageable_memory) {}

protected:
    void operate(Trial& trial, const Parameters& set) override {
        say_if_simulated(trial);
        trial.timing = Called{[this, bytes = bytes_of(set)] {
            both(
                two, [this, bytes] { copy_whole(down, bytes, second); },
                [this, bytes] { copy_whole(up, bytes, first); });
        }};
    }

private:
    static void copy_whole(const Passage& passage, std::size_t bytes, const Stream& stream) {
        copy(passage, bytes, stream);
        stream.synchronize();
    }
    Crew two{2};
};

// The shape of each direction is the one chosen for it alone, with half of the threads.
class Staged final : public BothWays {
public:
    explicit Staged(const std::vector<Parameters>& sets) : BothWays(sets, pageable_memory) {}

protected:
    void operate(Trial& trial, const Parameters& set) override {
        say_if_simulated(trial);
        trial.flags.push_back(std::to_string(upwards.threads()) + " threads in each direction");
        trial.timing = Called{[this, bytes = bytes_of(set)] {
            both(
                two, [this, bytes] { downwards.copy(down.to(), down.from(), bytes, down.direction); },
                [this, bytes] { upwards.copy(up.to(), up.from(), bytes, up.direction); });
        }};
    }

private:
    static StagedShape with_half_of_the_threads(Direction direction) {
        auto shape = chosen_shape(direction);
        const auto all = shape.threads == 0 ? chosen_threads(2 * most_threads) : shape.threads;
        shape.threads = std::max<std::size_t>(1, all / 2);
        return shape;
    }
    StagedCopier upwards{with_half_of_the_threads(Direction::host_to_device)};
    StagedCopier downwards{with_half_of_the_threads(Direction::device_to_host)};
    Crew two{2};
};

template <class Of>
std::unique_ptr<Bench> set_up(const std::vector<Parameters>& sets) {
    return std::make_unique<Of>(sets);
}

const RegisteredBenchmark pinned{{
    .benchmark = {.name = "copy/both_ways/pinned",
                  .summary =
                      "copy page-locked memory in both directions at once; one direction is timed, and the bytes "
                      "that the other moves meanwhile are added",
                  .clock = Clock::device,
                  .parameters = {{"bytes", {64 * mib, 256 * mib}}, {"timed", {"host_to_device"}}},
                  .quick = {{"bytes", {64 * mib}}},
                  .full = {{"bytes", all_sizes()}, {"timed", {"host_to_device", "device_to_host"}}},
                  .needs = {.gpus = 1},
                  .role = {.sheet = {{.order = 140,
                                      .section = "link",
                                      .words = "both ways at once, pinned",
                                      .having = "timed=host_to_device"}},
                           .characterise = {"bytes=64MiB"}}},
    .set_up = set_up<Pinned>,
}};

const RegisteredBenchmark pageable{{
    .benchmark = {.name = "copy/both_ways/pageable",
                  .summary = "copy pageable memory in both directions at once, until both have finished",
                  .clock = Clock::host,
                  .parameters = {{"bytes", {}}},
                  .quick = {{"bytes", {}}},
                  .full = {{"bytes", {mib, 64 * mib, gib}}},
                  .needs = {.gpus = 1}},
    .set_up = set_up<Pageable>,
}};

const RegisteredBenchmark staged{{
    .benchmark =
        {.name = "copy/both_ways/staged",
         .summary =
             "copy pageable memory through page-locked buffers in both directions at once, until both have finished",
         .clock = Clock::host,
         .parameters = {{"bytes", {}}},
         .quick = {{"bytes", {}}},
         .full = {{"bytes", {64 * mib, gib}}},
         .needs = {.gpus = 1}},
    .set_up = set_up<Staged>,
}};

}  // namespace
}  // namespace benchmarks::both_ways
}  // namespace tocuda
