// tocuda, Apache-2.0.
// Measures the parameter sets of one process, in the same way for every benchmark.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measurement/instruments.hpp"
#include "measurement/registered_benchmark.hpp"
#include "model/meeting.hpp"

namespace tocuda {

// A group of processes that measure the same sets at the same time, each on its own GPU. Tells one of them when all
// have arrived and when all have finished.
class Company {
public:
    explicit Company(Meeting& place) : meeting(place) {}

    void arrive(bool ready);
    bool all_arrived() const;     // also true if a member has ended and will not arrive
    std::string why_not_begun();  // call once after that; empty if all are ready

    void finish(bool well);
    bool all_finished() const;
    std::string why_not_beside();  // call once after that; empty if all were measured to the end

private:
    std::uint32_t expected() const { return group * meeting.members; }

    Meeting& meeting;
    std::uint32_t group = 0;  // the number of the current group of sets, from 1
    std::uint32_t unready_before = 0;
    std::uint32_t failures_before = 0;
};

// Returns the group that this process was started for; nullptr if it was started alone. Throws if the shared file
// cannot be mapped.
std::shared_ptr<Company> company_of_this_process();

using SaySamples = std::function<void(const Samples&)>;

enum class SetsEnded {
    whole,  // every set was reported
    lost    // the context was lost: the current set was reported as failed, and this process can no longer use the GPU
};

// With `company`, all its processes measure each group of sets at the same time.
SetsEnded measure_sets(const Measurable& measurable, const std::vector<Parameters>& sets, const Protocol& protocol,
                       Instruments& instruments, const SaySamples& say, Company* company = nullptr);

// Measures nothing: reports each set that would be skipped, with the reason.
void say_what_is_skipped(const Measurable& measurable, const std::vector<Parameters>& sets, Instruments& instruments,
                         const SaySamples& say);

}  // namespace tocuda
