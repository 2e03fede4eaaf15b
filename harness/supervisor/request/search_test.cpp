// tocuda, Apache-2.0.
// Words that people use find what the suite calls otherwise. Searches all scenarios and benchmarks as they are
// committed.
#include <gtest/gtest.h>

#include <algorithm>

#include "request/selection.hpp"

namespace tocuda {
namespace {

using Names = std::vector<std::string>;

const Catalogue& everything() {
    static const auto catalogue = load_catalogue({TOCUDA_DESCRIPTIONS}, true);
    return catalogue;
}

Names names_in(const Found& found) {
    Names names;
    for (const auto& one : found.scenarios) names.push_back(one.scenario->name);
    for (const auto& one : found.benchmarks) names.push_back(one.benchmark->name);
    return names;
}

Names found_by(const std::string& text) { return names_in(search(everything(), {text})); }

testing::AssertionResult finds(const std::string& text, const std::string& name) {
    const auto names = found_by(text);
    if (std::ranges::find(names, name) != names.end()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "not found: " << name << "; found: " << testing::PrintToString(names);
}

TEST(Search, KnowsWordsThatPeopleUse) {
    EXPECT_TRUE(finds("nvlink", "pairs/copy"));
    for (const auto* name : {"collectives/all_reduce", "collectives/broadcast", "pairs/latency", "pairs/multicast"})
        EXPECT_TRUE(finds("nvlink", name));
    EXPECT_TRUE(finds("slow first call", "start/first_byte"));
    EXPECT_TRUE(finds("half precision", "dtype/bfloat16_move"));
    EXPECT_TRUE(finds("is_available returns false", "environment/unknown_error"));
    EXPECT_TRUE(finds("gemm", "framework/matmul"));
    EXPECT_TRUE(finds("flops", "arithmetic/fma"));
    EXPECT_TRUE(finds("flops", "framework/matmul"));
    EXPECT_EQ(found_by("tensor core"), (Names{"arithmetic/tensor", "framework/matmul"}));
    EXPECT_EQ(found_by("gups"), (Names{"memory/random_update"}));
    EXPECT_EQ(found_by("allreduce"), (Names{"busy/all_reduce", "collectives/all_reduce"}));
    EXPECT_TRUE(finds("VRAM", "memory/read"));
    EXPECT_EQ(found_by("device_local_copy_sm"), (Names{"copy/device_to_device/best"}));
    EXPECT_TRUE(finds("nvbandwidth", "copy/host_to_device/pinned"));
    EXPECT_TRUE(finds("data sheet", "memory/read"));
    EXPECT_TRUE(finds("published", "latency/device"));
    EXPECT_TRUE(finds("nccl-tests", "collectives/all_reduce"));
    for (const auto* words : {"slow loader", "loader slow"}) {
        EXPECT_TRUE(finds(words, "load/file"));
        EXPECT_TRUE(finds(words, "today/data_loader"));
    }
    EXPECT_TRUE(finds("pinned H2D", "copy/host_to_device/pinned"));
}

TEST(Search, PutsFirstWhatSpeaksOfItInItsSummary) {
    EXPECT_TRUE(found_by("stays on cpu").front().starts_with("today/"));
    EXPECT_EQ(found_by("nothing happens"), (Names{"unmoved/result_discarded"}));
    EXPECT_EQ(found_by("does .to() work in place").front(), "unmoved/result_discarded");
}

TEST(Search, FindsClaimsByTheirWords) {
    const auto ids = [](const std::string& words) {
        std::vector<std::string> found;
        for (const auto& claim : search(everything(), {words}).claims) found.push_back(claim.id);
        return found;
    };
    EXPECT_EQ(ids("an older GPU refuses doubles").front(), "000-04");
    EXPECT_TRUE(std::ranges::count(ids("non_blocking can overlap"), "003-E3"));
    EXPECT_EQ(ids("double tensors cannot be moved").front(), "000-06");
    EXPECT_TRUE(std::ranges::count(ids("torch.cuda.empty_cache()"), "002-12"));
    EXPECT_TRUE(std::ranges::count(ids("doubles"), "000-06"));
    EXPECT_TRUE(ids("gpu").empty() && ids("tensor").empty()) << "too many have it";
}

TEST(Search, KnowsWhatASentenceIsAbout) {
    EXPECT_TRUE(finds("which benchmarks say something about NVLink", "pairs/copy"));
    EXPECT_TRUE(finds("nvidia-smi works but torch says no GPU", "environment/unknown_error"));
    EXPECT_TRUE(finds("fp8", "dtype/float8"));
}

TEST(Search, FindsTheFiveNearestOfASentence) {
    const auto sentence = "why does my model's list of layers not go to the second gpu, please?";
    EXPECT_TRUE(search(everything(), {sentence}).only_near);
    EXPECT_EQ(found_by(sentence).size(), 5U);
    EXPECT_TRUE(finds(sentence, "today/left_on_cpu"));
    for (const auto* why :
         {"my tensor does not move to the gpu", "my tensor does not move", "x.to('cuda') does nothing"})
        EXPECT_TRUE(finds(why, "unmoved/result_discarded"));
    EXPECT_TRUE(finds("my model stays on the cpu after .to", "today/left_on_cpu"));
    EXPECT_EQ(found_by("how much memory is lost to gaps in training").front(), "fragmentation/training_workload");
}

TEST(Search, OfAnErrorTextLeavesOutWhatEveryOneBeginsWith) {
    EXPECT_EQ(found_by("RuntimeError: Expected all tensors to be on the same device").front(),
              found_by("Expected all tensors to be on the same device").front());
}

TEST(Search, OfWordsThatAllSpeakOfKeepsAllInOrderOfNames) {
    EXPECT_EQ(found_by("atomic"),
              (Names{"atomics/add", "atomics/cas", "atomics/max", "latency/atomic", "latency/shared"}));
}

TEST(Search, OfFillersAloneFindsThem) {
    EXPECT_FALSE(found_by("on the").empty());
    EXPECT_EQ(found_by("xyzzy"), Names{});
    EXPECT_EQ(found_by("gr\u00f6\u00dfe"), Names{}) << "letters that are not ASCII end no word";
    EXPECT_EQ(found_by(""), Names{});
}

}  // namespace
}  // namespace tocuda
