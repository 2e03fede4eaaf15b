// tocuda, Apache-2.0.
#include <gtest/gtest.h>

#include "model/parameter_values.hpp"

namespace tocuda {
namespace {

const Benchmark some{.parameters = {{"hint", {"plain"}}, {"wait", {"chosen"}}, {"threads", {128}}},
                     .full = {{"hint", {"streaming", "plain"}}, {"threads", {128, 256}}},
                     .allowed = {{"threads", {.most = 1024}}, {"wait", {.only = {"chosen", "yield"}}}}};

TEST(KnownValues, AreThoseOfAllSweepsAndWordsThatAreAllowedBeside) {
    EXPECT_EQ(known_values(some, "hint"), (Values{"plain", "streaming"}));
    EXPECT_EQ(known_values(some, "threads"), (Values{128, 256}));
    EXPECT_EQ(known_values(some, "wait"), (Values{"chosen", "yield"}));
    EXPECT_EQ(known_values(some, "nothing"), Values{});
}

TEST(KnownValues, WordsMustBeKnownAndNumbersAllowed) {
    EXPECT_EQ(why_not_allowed(some, "hint", "streaming"), "");
    EXPECT_EQ(why_not_allowed(some, "hint", "warm"), "hint must be one of plain, streaming, not warm");
    EXPECT_EQ(why_not_allowed(some, "wait", "yield"), "");
    EXPECT_EQ(why_not_allowed(some, "threads", 64), "");
    EXPECT_EQ(why_not_allowed(some, "threads", 2048), "threads must be between 0 and 1024, not 2048");
}

}  // namespace
}  // namespace tocuda
