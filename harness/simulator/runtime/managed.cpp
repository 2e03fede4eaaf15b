// tocuda, Apache-2.0.
#include "runtime/managed.hpp"

#include <algorithm>

namespace tocuda::simulator {

Managed::Brought Managed::bring(std::size_t offset, std::size_t bytes, int place) {
    Brought brought;
    if (bytes == 0) return brought;
    const std::size_t last = std::min(places_.size() - 1, (offset + bytes - 1) / block);
    for (std::size_t i = offset / block; i <= last; ++i) {
        const bool here = (places_[i] & bit(place)) != 0;
        const std::size_t begin = std::max(offset, i * block);
        const std::size_t size = std::min(offset + bytes, (i + 1) * block) - begin;
        if (places_[i] == 0) brought.fresh += size;
        else if (!here) brought.moved += size;
        places_[i] = (read_mostly ? places_[i] : 0) | bit(place);
    }
    return brought;
}

bool Managed::lies_at(std::size_t offset, std::size_t bytes, int place) const {
    if (bytes == 0) return true;
    const std::size_t last = std::min(places_.size() - 1, (offset + bytes - 1) / block);
    for (std::size_t i = offset / block; i <= last; ++i) {
        if ((places_[i] & bit(place)) == 0) return false;
    }
    return true;
}

}  // namespace tocuda::simulator
