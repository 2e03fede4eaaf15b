// tocuda, Apache-2.0.
// What a sweep tells of moves that throw. (A tensor without data moves to no GPU, whether there is one or not.)
#include "libtorch/sweep.hpp"

#include <gtest/gtest.h>

#include "lines/worker_lines.hpp"

namespace tocuda {
namespace {

std::string told(const Sweep& sweep) {
    std::string lines;
    Observer see("", [&](const std::string& line) { lines += line + "\n"; }, [] { return true; });
    sweep.say(see, "s");
    return lines;
}

std::string line_of(const std::string& key, const Value& value) { return to_line(Observation{key, value, true}); }

TEST(Sweep, ListsWhatThrewByTypeAndWay) {
    const auto nothing = at::empty({4}, at::dtype(at::kFloat).device(at::kMeta));
    Sweep sweep;
    sweep.move(nothing, "b", Way::blocking);
    sweep.move(nothing, "a", Way::blocking);
    const auto lines = told(sweep);
    EXPECT_NE(lines.find(line_of("s.tried", 2)), std::string::npos) << lines;
    EXPECT_NE(lines.find(line_of("s.moved", 0)), std::string::npos) << lines;
    EXPECT_NE(lines.find(line_of("s.stayed", Values{})), std::string::npos) << lines;
    EXPECT_NE(lines.find("blocking: a b"), std::string::npos) << lines;
}

TEST(Sweep, DoesNotTryWhatCannotBePinned) {
    Sweep sweep;
    sweep.move(at::empty({4}, at::device(at::kMeta)), "a", Way::pinned);
    sweep.not_made();
    const auto lines = told(sweep);
    EXPECT_NE(lines.find(line_of("s.tried", 0)), std::string::npos) << lines;
    EXPECT_NE(lines.find(line_of("s.not_made", 1)), std::string::npos) << lines;
    EXPECT_NE(lines.find("s.unpinned"), std::string::npos) << lines;
    EXPECT_EQ(lines.find(line_of("s.unpinned", Values{})), std::string::npos) << lines;
}

}  // namespace
}  // namespace tocuda
