// tocuda, Apache-2.0.
// What the benchmarks of both directions at once share: memory of its own for each direction, and the check.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benchmarks/copy/one_way.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/threads.hpp"

namespace tocuda {

// A link has the same rate in both directions, at the same time.
Peak in_both_directions(Peak peak);

// Runs both at once, the first one in the other thread of two. A virtual clock advanced by two threads would depend on
// their order, so simulated copies run one after the other.
void both(Crew& two, const std::function<void()>& one, const std::function<void()>& other);
void say_if_simulated(Trial& trial);

class BothWays : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override { return fit.why_skipped(set); }
    Trial trial(const Parameters& set) final;

protected:
    BothWays(const std::vector<Parameters>& sets, const TakeHostMemory& take);

    // Fills in `call`, or `queue` and, if that copies in one direction only, `beside`; adds flags if the row needs a
    // remark.
    virtual void operate(Trial& trial, const Parameters& set) = 0;

    const Fit fit;
    const std::size_t most;
    Passage up;
    Passage down;
    Stream first{};
    Stream second{};

private:
    void queue_both(const Queued& queued) const;
};

}  // namespace tocuda
