// tocuda, Apache-2.0.
#include "doctor/python/architectures.hpp"

#include <gtest/gtest.h>

#include "doctor/python/files.hpp"

namespace tocuda::doctor {
namespace {

TEST(Architectures, CodeRunsOnItsGenerationFromItsMinorOn) {
    EXPECT_TRUE(runs_on("sm_80", 86));
    EXPECT_TRUE(runs_on("sm_120", 121));
    EXPECT_FALSE(runs_on("sm_86", 80));
    EXPECT_FALSE(runs_on("sm_80", 90));
    EXPECT_FALSE(runs_on("sm_90", 100));
}

TEST(Architectures, PtxRunsOnAllLaterGpus) {
    EXPECT_TRUE(runs_on("compute_75", 120));
    EXPECT_FALSE(runs_on("compute_120", 90));
}

TEST(Architectures, SuffixesNarrow) {
    EXPECT_TRUE(runs_on("sm_90a", 90));
    EXPECT_FALSE(runs_on("sm_100a", 103));
    EXPECT_TRUE(runs_on("sm_100f", 103));
    EXPECT_FALSE(runs_on("compute_90a", 100));
}

TEST(Architectures, JetsonRunsItsOwnCodeOnly) {
    EXPECT_FALSE(runs_on("sm_86", 87));
    EXPECT_TRUE(runs_on("sm_87", 87));
    EXPECT_TRUE(runs_on("compute_80", 87));
}

TEST(Architectures, OtherWordsRunNowhere) {
    for (const auto* const word : {"", "sm_", "gfx90a", "sm_x", "compute_"}) EXPECT_FALSE(runs_on(word, 90)) << word;
}

TEST(Architectures, PublishedBuildsForEachGeneration) {
    EXPECT_EQ(published_build_for(61, "x86_64"), "cu126");
    EXPECT_EQ(published_build_for(120, "x86_64"), "cu132");
    EXPECT_EQ(published_build_for(90, "aarch64"), "cu132");
    EXPECT_EQ(published_build_for(35, "x86_64"), std::nullopt);
}

TEST(Architectures, ReadsTheListThatLibTorchKeeps) {
    using namespace std::string_literals;
    EXPECT_EQ(architectures_in("x\0sm_\0sm_80 and words\0sm_90 compute_90\0sm_75\0"s),
              (std::vector<std::string>{"sm_90", "compute_90"}));
    EXPECT_TRUE(architectures_in("sm_ sm_x\0ism_80\0"s).empty());
}

}  // namespace
}  // namespace tocuda::doctor
