// tocuda, Apache-2.0.
// What is known of a version against what was observed: they agree, disagree, or cannot be compared.
#include <gtest/gtest.h>

#include "model/row.hpp"

namespace tocuda {
namespace {

const std::vector<Difference> known{{"message", {{"2.11", "old words"}, {"2.15", "new words"}}},
                                    {"types", {{"2.11", "44"}, {"2.15", "47"}}},
                                    {"hint", {{"2.11", "try this"}, {"2.15", ""}}, "", {"first"}}};

Evidence evidence(Value message, Value types, Value hint) {
    Evidence seen;
    seen.observations = {{"message", std::move(message)}, {"types", std::move(types)}, {"hint", std::move(hint)}};
    return seen;
}

std::vector<std::optional<bool>> agreement(const std::string& version, const Evidence& evidence) {
    std::vector<std::optional<bool>> all;
    for (const auto& one : seen_differences(known, "first", version, evidence)) all.push_back(one.agrees);
    return all;
}

using Agreement = std::vector<std::optional<bool>>;

TEST(SeenDifferences, TextAgreesIfItContainsTheWordsAndNumberIfEqual) {
    EXPECT_EQ(agreement("2.15.0", evidence("some new words, and more", 47, "no hint")), (Agreement{true, true, true}));
    EXPECT_EQ(agreement("2.11.0", evidence("old words", 44, "try this and that")), (Agreement{true, true, true}));
}

TEST(SeenDifferences, WordsOfAnotherVersionDoNotAgree) {
    EXPECT_EQ(agreement("2.11.0", evidence("new words", 440, "no hint")), (Agreement{false, false, false}));
    EXPECT_EQ(agreement("2.15.0", evidence("old words", 44, "try this")), (Agreement{false, false, false}));
}

TEST(SeenDifferences, UnknownVersionHasNoAgreement) {
    EXPECT_EQ(agreement("2.19.0", evidence("new words", 47, "")),
              (Agreement{std::nullopt, std::nullopt, std::nullopt}));
    EXPECT_EQ(seen_differences(known, "first", "2.19.0", evidence("", 1, "")).at(0).libtorch, "2.19");
}

TEST(SeenDifferences, SkipsKeysThatWereNotObserved) {
    EXPECT_TRUE(seen_differences(known, "first", "2.11.0", Evidence{}).empty());
}

TEST(SeenDifferences, SkipsVariantsThatAreNotNamed) {
    EXPECT_EQ(seen_differences(known, "second", "2.11.0", evidence("", 44, "try this")).size(), 2U);
}

TEST(MinorVersion, DropsEverythingAfterTheSecondNumber) {
    EXPECT_EQ(minor_version("2.15.0"), "2.15");
    EXPECT_EQ(minor_version("2.15.0+cu130"), "2.15");
    EXPECT_EQ(minor_version("2.16"), "2.16");
    EXPECT_EQ(minor_version(""), "");
}

}  // namespace
}  // namespace tocuda
