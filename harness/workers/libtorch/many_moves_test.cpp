// tocuda, Apache-2.0.
// Reports about many moves when some throw. (A tensor without data cannot move to any GPU, present or not.)
#include "libtorch/many_moves.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

// Returns the line written for a key.
std::string told(const ManyMoves& moves, const std::string& key) {
    std::string found;
    Observer see(
        "", [&](const std::string& line) { found += line.find("\"s." + key + "\"") == std::string::npos ? "" : line; },
        [] { return true; });
    moves.say(see, "s");
    return found;
}

TEST(ManyMoves, ListsRefusalsByTypeAndWay) {
    const auto nothing = at::empty({4}, at::dtype(at::kFloat).device(at::kMeta));
    ManyMoves moves;
    moves.move(nothing, "b", Way::blocking);
    moves.move(nothing, "a", Way::blocking);
    EXPECT_NE(told(moves, "tried").find("\"value\":2"), std::string::npos) << told(moves, "tried");
    EXPECT_NE(told(moves, "moved").find("\"value\":0"), std::string::npos) << told(moves, "moved");
    EXPECT_NE(told(moves, "stayed").find("\"value\":[]"), std::string::npos) << told(moves, "stayed");
    EXPECT_NE(told(moves, "refused").find(" blocking: a b\""), std::string::npos) << told(moves, "refused");
}

TEST(ManyMoves, DoesNotMoveUnpinnableTensorsFromPinnedMemory) {
    ManyMoves moves;
    moves.move(at::empty({4}, at::device(at::kMeta)), "a", Way::pinned);
    moves.not_made();
    EXPECT_NE(told(moves, "tried").find("\"value\":0"), std::string::npos) << told(moves, "tried");
    EXPECT_NE(told(moves, "not_made").find("\"value\":1"), std::string::npos) << told(moves, "not_made");
    EXPECT_NE(told(moves, "unpinned").find(": a\""), std::string::npos) << told(moves, "unpinned");
}

}  // namespace
}  // namespace tocuda
