// tocuda, Apache-2.0.
// Processes that measure at the same time meet in memory that they share.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "measurement/measure_sets.hpp"

namespace tocuda {
namespace {

std::string of_others(std::uint32_t count, const char* what) {
    return std::to_string(count) + (count == 1 ? " other GPU " : " other GPUs ") + what;
}

[[noreturn]] void fail(const std::string& file) { throw std::system_error(errno, std::generic_category(), file); }

std::shared_ptr<Meeting> mapped(const std::string& file) {
    const int number = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (number < 0) fail(file);
    void* place = ::mmap(nullptr, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED, number, 0);
    ::close(number);
    if (place == MAP_FAILED) fail(file);
    return {static_cast<Meeting*>(place), [](Meeting* meeting) { ::munmap(meeting, sizeof(Meeting)); }};
}

}  // namespace

void Company::arrive(bool ready) {
    ++group;
    if (!ready) ++meeting.unready;
    ++meeting.arrivals;
}

// A member that has ended has either finished everything or is missing, so the arrivals are compared first.
bool Company::all_arrived() const { return meeting.arrivals >= expected() || meeting.left > 0; }

std::string Company::why_not_begun() {
    if (meeting.arrivals < expected()) return neighbour_has_ended;
    const auto unready = meeting.unready - std::exchange(unready_before, meeting.unready);
    return unready == 0 ? "" : of_others(unready, "could not take part");
}

void Company::finish(bool well) {
    if (!well) ++meeting.failures;
    ++meeting.finishes;
}

bool Company::all_finished() const { return meeting.finishes >= expected() || meeting.left > 0; }

std::string Company::why_not_beside() {
    if (meeting.finishes < expected()) return neighbour_has_ended;
    const auto failures = meeting.failures - std::exchange(failures_before, meeting.failures);
    return failures == 0 ? "" : of_others(failures, "failed while this one was measured");
}

std::shared_ptr<Company> company_of_this_process() {
    const char* file = std::getenv(meeting_variable);
    if (!file || !*file) return nullptr;
    struct Mapped {
        std::shared_ptr<Meeting> meeting;
        Company company;
    };
    auto meeting = mapped(file);
    const auto all = std::make_shared<Mapped>(Mapped{meeting, Company(*meeting)});
    return {all, &all->company};
}

}  // namespace tocuda
