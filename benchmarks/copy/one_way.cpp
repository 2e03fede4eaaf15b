// tocuda, Apache-2.0.
// Allocates memory once, for the largest size that fits, and checks every trial in the same way.
#include "benchmarks/copy/one_way.hpp"

#include <stdexcept>
#include <utility>

#include "measurement/peaks.hpp"

namespace tocuda {

std::string name_of(Direction direction, const std::string& mechanism) {
    return std::string("copy/") + word(direction) + "/" + mechanism;
}

RegisteredEachWay::RegisteredEachWay(const Benchmark& mechanism, SetUp make, Role (*role)(Direction)) {
    for (const auto direction : directions) {
        auto benchmark = mechanism;
        benchmark.name = name_of(direction, mechanism.name);
        benchmark.summary += std::string(" ") + aim(direction);
        benchmark.needs.gpus = 1;
        benchmark.cost.bytes = handling_of(direction);
        if (role) benchmark.role = role(direction);
        const RegisteredBenchmark registered(
            {.benchmark = std::move(benchmark), .set_up = [=](const auto& sets) { return make(sets, direction); }});
    }
}

Room once_on_each_side(const Parameters& set) {
    return {.host_bytes = Passage::with_guards(bytes_of(set)), .device_bytes = Guarded::allocated(bytes_of(set))};
}

OneWay::OneWay(const std::vector<Parameters>& sets, Direction way, const TakeHostMemory& take, Look look, Needed needed)
    : fit(std::move(needed)), most(fit.most_bytes(sets)), passage(way, take(Passage::with_guards(most)), most, look) {}

void run_under(const std::function<bool(const std::function<void()>&)>& load, const std::function<void()>& once) {
    if (!load(once)) throw std::runtime_error("the load ended before the operation that is checked had");
}

Trial OneWay::trial(const Parameters& set) {
    const auto bytes = bytes_of(set);
    Trial trial{.bytes_one_way = static_cast<std::int64_t>(bytes),
                .bytes_touched = 2 * static_cast<std::int64_t>(bytes),
                .peak = link_peak(),
                .compared = Passage::compared(passage.direction)};
    operate(trial, set);
    std::function<void()> once;
    if (const auto* called = std::get_if<Called>(&trial.timing)) once = called->operation;
    else
        once = [this, queue = trial.queued().operation] {
            queue(stream);
            stream.synchronize();
        };
    if (const auto& under = trial.queued().under) {
        once();  // whatever it loads or allocates at first use may wait for the whole GPU, and so for the load
        once = [under, once] { run_under(under, once); };
    }
    trial.differs = [this, bytes, prepare = trial.prepare, once] { return passage.what_differs(bytes, prepare, once); };
    return trial;
}

std::function<void()> OneWay::copied_at_once(std::size_t bytes) const {
    return [this, bytes] {
        copy_async(passage.to(), passage.from(), bytes, passage.direction, stream);
        stream.synchronize();
    };
}

void QueuedCopy::operate(Trial& trial, const Parameters& set) {
    trial.timing = Queued{.operation = [this, bytes = bytes_of(set)](const Stream& queue) {
        copy_async(passage.to(), passage.from(), bytes, passage.direction, queue);
    }};
}

}  // namespace tocuda
