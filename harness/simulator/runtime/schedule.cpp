// tocuda, Apache-2.0.
// Of all operations that could begin, the one that could begin first is scheduled first.
#include "runtime/schedule.hpp"

#include <algorithm>

#include "runtime/stream.hpp"

namespace tocuda::simulator {

void Schedule::settle() {
    while (!unsettled_.empty()) {
        Stream* first = nullptr;
        double earliest = end_of_time;
        for (Stream* stream : unsettled_) {
            const auto at = stream->ready_at();
            if (!at || *at >= earliest) continue;
            earliest = *at;
            first = stream;
        }
        if (first == nullptr) return;
        first->settle_next(earliest);
        if (first->settled()) std::erase(unsettled_, first);
    }
}

void Schedule::note_work(int device, double begin, double end) {
    Work& work = work_[device];
    if (work.begin < 0) work.begin = begin;
    work.end = std::max(work.end, end);
}

Schedule::Work Schedule::work(int device) const {
    const auto found = work_.find(device);
    return found == work_.end() ? Work{} : found->second;
}

}  // namespace tocuda::simulator
