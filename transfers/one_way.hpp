// tocuda, Apache-2.0.
// A benchmark of one way over the link: what all of them share. Each says where its host memory comes from and what one
// operation is.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measurement/gpu/fit.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/sizes.hpp"
#include "transfers/passage.hpp"

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

    // Fills in `queue`, or `call` and `prepare`; flags where something has to be said.
    virtual void operate(Trial& trial, const Parameters& set) = 0;

    const Fit fit;
    const std::size_t most;
    Passage passage;
    Stream stream{};  // for what is not queued in another
};

// The one operation is the runtime's copy, queued.
class QueuedCopy : public OneWay {
public:
    QueuedCopy(const std::vector<Parameters>& sets, Direction way, const TakeHostMemory& take,
               Look look = Look::by_the_cpu)
        : OneWay(sets, way, take, look) {}

protected:
    void operate(Trial& trial, const Parameters& set) override;
};

std::string name_of(Direction direction, const std::string& mechanism);  // copy/host_to_device/pinned

}  // namespace tocuda
