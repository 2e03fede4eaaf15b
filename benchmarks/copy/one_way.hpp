// tocuda, Apache-2.0.
// What all benchmarks of one direction share. Each defines where its host memory comes from and what one operation is.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/copy/passage.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda {

using TakeHostMemory = std::function<HostMemory(std::size_t bytes)>;

Room once_on_each_side(const Parameters& set);

class OneWay : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override { return fit.why_skipped(set); }
    Trial trial(const Parameters& set) final;

protected:
    OneWay(const std::vector<Parameters>& sets, Direction way, const TakeHostMemory& take, Look look = Look::by_the_cpu,
           Needed needed = once_on_each_side);

    // Fills in `queue`, or `call` and `prepare`, and adds flags if the row needs a remark.
    virtual void operate(Trial& trial, const Parameters& set) = 0;

    // A `call`: one call of the runtime, waited for.
    std::function<void()> copied_at_once(std::size_t bytes) const;

    const Fit fit;
    const std::size_t most;
    Passage passage;
    Stream stream{};  // for whatever is not queued in another stream
};

// A benchmark whose operation is one queued copy by the runtime.
class QueuedCopy : public OneWay {
public:
    QueuedCopy(const std::vector<Parameters>& sets, Direction way, const TakeHostMemory& take,
               Look look = Look::by_the_cpu, Needed needed = once_on_each_side)
        : OneWay(sets, way, take, look, std::move(needed)) {}

protected:
    void operate(Trial& trial, const Parameters& set) override;
};

// Runs an operation that is checked under a trial's load. Throws if the load did not last.
void run_under(const std::function<bool(const std::function<void()>&)>& load, const std::function<void()>& once);

std::string name_of(Direction direction, const std::string& mechanism);  // copy/host_to_device/pinned

// Registers a benchmark for each direction. Its name is that of the mechanism, its summary ends where "to the GPU"
// follows, and it needs one GPU. Its role may depend on the direction.
class RegisteredEachWay {
public:
    using SetUp = std::unique_ptr<Bench> (*)(const std::vector<Parameters>& sets, Direction way);
    RegisteredEachWay(const Benchmark& mechanism, SetUp make, Role (*role)(Direction) = nullptr);
};
template <class Of>
std::unique_ptr<Bench> set_up(const std::vector<Parameters>& sets, Direction way) {
    return std::make_unique<Of>(sets, way);
}

}  // namespace tocuda
