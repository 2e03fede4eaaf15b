// tocuda, Apache-2.0.
// Tests the look-up in the table of chosen variants and that every entry of the real table can be parsed.
#include "measurement/chosen_variant.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tocuda {
namespace {

constexpr std::array table{ChosenVariant{90, "copy", "unrolled", "in_flight=12", "a"},
                           ChosenVariant{75, "copy", "unrolled", "in_flight=8", "a"},
                           ChosenVariant{100, "triad", "triad_tma", "stages=4", "a"},
                           ChosenVariant{120, "copy", "tma_bulk", "stages=4", "a"}};

TEST(ChosenVariant, FindsHighestCapabilityNotAboveGpu) {
    EXPECT_EQ(chosen_variant("copy", 75, table).capability, 75);
    EXPECT_EQ(chosen_variant("copy", 89, table).capability, 75);
    EXPECT_EQ(chosen_variant("copy", 90, table).capability, 90);
    EXPECT_EQ(chosen_variant("copy", 100, table).capability, 90);
    EXPECT_EQ(chosen_variant("copy", 121, table).capability, 120);
}

TEST(ChosenVariant, OlderGpuGetsLowestEntry) { EXPECT_EQ(chosen_variant("copy", 70, table).capability, 75); }

TEST(ChosenVariant, ThrowsForOperationWithoutEntry) {
    EXPECT_THROW(chosen_variant("sort", 90, table), std::logic_error);
}

TEST(ChosenVariant, ParsesParametersAsNumbersAndWords) {
    const ChosenVariant chosen{90, "copy", "unrolled", "hint=streaming in_flight=12", "a.jsonl"};
    EXPECT_EQ(parameters_of(chosen), (Parameters{{"hint", "streaming"}, {"in_flight", 12}}));
    EXPECT_EQ(flag_of(chosen).text(), "chosen (unrolled hint=streaming in_flight=12, a.jsonl)");
    EXPECT_THROW(parameters_of({90, "copy", "unrolled", "streaming", ""}), std::logic_error);
}

TEST(ChosenVariant, OperationsHaveOneEntryPerCapability) {
    std::set<std::pair<std::string_view, int>> seen;
    for (const auto& each : chosen_variants) {
        EXPECT_TRUE(seen.emplace(each.operation, each.capability).second) << each.operation << " " << each.capability;
        EXPECT_FALSE(parameters_of(each).empty()) << each.operation;
        EXPECT_FALSE(each.source.empty()) << each.operation;
    }
}

}  // namespace
}  // namespace tocuda
