// tocuda, Apache-2.0.
// What a sweep tells of moves that throw. (A tensor without data moves to no GPU, whether there is one or not.)
#include "libtorch/sweep.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

// The line that was written of one key.
std::string told(const Sweep& sweep, const std::string& key) {
    std::string found;
    Observer see("", [&](const std::string& line) { found += line.find("\"s." + key + "\"") == std::string::npos ? "" : line; }, [] { return true; });
    sweep.say(see, "s");
    return found;
}

TEST(Sweep, ListsWhatThrewByTypeAndWay) {
    const auto nothing = at::empty({4}, at::dtype(at::kFloat).device(at::kMeta));
    Sweep sweep;
    sweep.move(nothing, "b", Way::blocking);
    sweep.move(nothing, "a", Way::blocking);
    EXPECT_NE(told(sweep, "tried").find("\"value\":2"), std::string::npos) << told(sweep, "tried");
    EXPECT_NE(told(sweep, "moved").find("\"value\":0"), std::string::npos) << told(sweep, "moved");
    EXPECT_NE(told(sweep, "stayed").find("\"value\":[]"), std::string::npos) << told(sweep, "stayed");
    EXPECT_NE(told(sweep, "refused").find(" blocking: a b\""), std::string::npos) << told(sweep, "refused");
}

TEST(Sweep, DoesNotTryWhatCannotBePinned) {
    Sweep sweep;
    sweep.move(at::empty({4}, at::device(at::kMeta)), "a", Way::pinned);
    sweep.not_made();
    EXPECT_NE(told(sweep, "tried").find("\"value\":0"), std::string::npos) << told(sweep, "tried");
    EXPECT_NE(told(sweep, "not_made").find("\"value\":1"), std::string::npos) << told(sweep, "not_made");
    EXPECT_NE(told(sweep, "unpinned").find(": a\""), std::string::npos) << told(sweep, "unpinned");
}

}  // namespace
}  // namespace tocuda
