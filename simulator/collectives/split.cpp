// tocuda, Apache-2.0.
#include <algorithm>

#include "collectives/communicator.hpp"

namespace tocuda::simulator {

std::vector<int> Communicator::split(int color, int key) {
    const auto all_have = [this](std::uint64_t count) {
        return wait_until([&] {
            for (int other = 0; other < ranks; ++other)
                if (board_.place(other).splits < count) return false;
            return true;
        });
    };
    board_.place(rank).color = color;
    board_.place(rank).key = key;
    ++board_.place(rank).splits;
    std::vector<int> members;
    if (!all_have(splits_ + 1)) return members;
    for (int other = 0; other < ranks; ++other)
        if (color >= 0 && board_.place(other).color == color) members.push_back(other);
    std::ranges::stable_sort(members, {}, [&](int other) { return board_.place(other).key; });
    ++board_.place(rank).splits;  // has read; nobody writes again before all have
    splits_ += 2;
    all_have(splits_);
    return members;
}

}  // namespace tocuda::simulator
