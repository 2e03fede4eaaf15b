// tocuda, Apache-2.0.
#include <algorithm>

#include "collectives/communicator.hpp"

namespace tocuda::simulator {

std::vector<int> Communicator::split(int color, int key) {
    const auto all_have = [this](std::uint64_t count) {
        return wait_until([&] {
            for (int other = 0; other < ranks; ++other)
                if (board.place(other).splits < count) return false;
            return true;
        });
    };
    board.place(rank).color = color;
    board.place(rank).key = key;
    ++board.place(rank).splits;
    std::vector<int> members;
    if (!all_have(split_count + 1)) return members;
    for (int other = 0; other < ranks; ++other)
        if (color >= 0 && board.place(other).color == color) members.push_back(other);
    std::ranges::stable_sort(members, {}, [&](int other) { return board.place(other).key; });
    ++board.place(rank).splits;  // has read; nobody writes again before all have
    split_count += 2;
    all_have(split_count);
    return members;
}

}  // namespace tocuda::simulator
