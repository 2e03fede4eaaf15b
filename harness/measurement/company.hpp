// tocuda, Apache-2.0.
// A process among others that measure the same at the same time, each on a GPU of its own: when all are there, and when
// all are done.
#pragma once

#include <memory>
#include <string>

#include "model/meeting.hpp"

namespace tocuda {

class Company {
public:
    explicit Company(Meeting& place) : meeting(place) {}

    void arrive(bool ready);
    bool all_arrived() const;     // true, too, where one of them will not come any more
    std::string why_not_begun();  // once after that: empty where all of them are ready

    void finish(bool well);
    bool all_finished() const;
    std::string why_not_beside();  // once after that: empty where all of them were measured to the end

private:
    std::uint32_t expected() const { return group * meeting.members; }

    Meeting& meeting;
    std::uint32_t group = 0;  // the number of this one, from 1 on
    std::uint32_t unready_before = 0;
    std::uint32_t failures_before = 0;
};

// The company that this process was started for; none where it was started alone. Throws where its place cannot be
// found.
std::shared_ptr<Company> company_of_this_process();

}  // namespace tocuda
