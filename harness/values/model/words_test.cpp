// tocuda, Apache-2.0.
#include "model/words.hpp"

#include <gtest/gtest.h>

#include <map>

namespace tocuda {
namespace {

TEST(Words, AreJoined) {
    EXPECT_EQ(joined(std::vector<std::string>{}), "");
    EXPECT_EQ(joined(std::vector<std::string>{"a"}), "a");
    EXPECT_EQ(joined(std::vector<std::string>{"", "b", ""}, "; "), "; b; ");
    const std::map<std::string, int> counts{{"a", 1}, {"b", 2}};
    EXPECT_EQ(joined(counts, " ", [](const auto& one) { return one.first + std::to_string(one.second); }), "a1 b2");
}

TEST(Words, AreMadeSmall) { EXPECT_EQ(lower("NVIDIA H200 \xC3\x84"), "nvidia h200 \xC3\x84"); }

TEST(Words, ListNumbers) {
    EXPECT_EQ(numbers_in("0"), std::vector<int>{0});
    EXPECT_EQ(numbers_in("0-2,7"), (std::vector<int>{0, 1, 2, 7}));
    for (const char* list : {"", "nonsense", "1,", "1,,2", "-1", "3-1", "1-", "0-999999999", "0-x"})
        EXPECT_TRUE(numbers_in(list).empty()) << list;
}

}  // namespace
}  // namespace tocuda
