// tocuda, Apache-2.0.
// `compare NEW`: whether a machine is as the recordings in results/ of its GPU model.
#include "command/comparing_test.hpp"

namespace tocuda {
namespace {

constexpr auto kept = "results/nvidia-h200/580.95.05";

TEST_F(Comparing, NewAloneIsNormalIfNothingIsSlowerThanRecorded) {
    sessions(kept, 1, 11, "580.95.05");
    sessions("new", 12, 22, "580.95.05");
    const auto finished = compare({"new"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    const std::string sentence = "normal for NVIDIA H200, driver 580.95.05 (CUDA 13.0): none of 2 rows slower";
    EXPECT_EQ(finished.out.substr(0, sentence.size() + 1), sentence + "\n");
    const auto found = document({"new"}, 0)["normal"];
    EXPECT_EQ(found["of"], "NVIDIA H200, driver 580.95.05 (CUDA 13.0)");
    EXPECT_EQ(found["files"].size(), 11U);
    EXPECT_EQ(found["text"], sentence);
    EXPECT_FALSE(document({kept, "new"}, 0).contains("normal"));
}

TEST_F(Comparing, NewAloneThatIsSlowerThanRecordedIsAFinding) {
    sessions(kept, 1, 11, "580.95.05");
    sessions("new", 12, 22, "580.95.05", 1.03);
    const auto finished = compare({"new"});
    EXPECT_EQ(finished.code, 1) << finished.err;
    EXPECT_TRUE(finished.out.starts_with("not normal for NVIDIA H200")) << finished.out;
    EXPECT_NE(finished.out.find(": 1 of 2 rows slower\n"), std::string::npos) << finished.out;
    const auto ticket = compare({"new", "--ticket"});
    EXPECT_TRUE(ticket.out.starts_with("**not normal for NVIDIA H200")) << ticket.out;
    EXPECT_EQ(driven::lines_in(ticket.out), 1U);
}

TEST_F(Comparing, NewAloneWithTooFewStartsIsPerhapsNormal) {
    sessions(kept, 1, 1, "580.95.05");
    sessions("new", 2, 2, "580.95.05", 1.5);
    const auto finished = compare({"new", "--strict"});
    EXPECT_EQ(finished.code, 3) << finished.err;
    EXPECT_TRUE(finished.out.starts_with("perhaps normal for NVIDIA H200")) << finished.out;
    const auto text = document({"new"}, 0)["normal"]["text"].get<std::string>();
    EXPECT_NE(text.find(": more starts are needed to decide 2 rows, so far up to 50."), std::string::npos) << text;
}

TEST_F(Comparing, NewAloneIsNotComparedWithItsCopyOrResultsLocal) {
    sessions(kept, 1, 3, "580.95.05");
    sessions("results/local", 3, 6, "580.95.05");
    const auto found = document({"results/local/03.jsonl"}, 0);
    EXPECT_EQ(found["normal"]["files"].size(), 2U) << found["normal"];
}

TEST_F(Comparing, NewAloneOfAnUnrecordedModelIsToldWhatThereIs) {
    sessions(kept, 1, 2, "580.95.05");
    auto unknown = run_of(3, "580.95.05");
    unknown.gpus.front().name = "NVIDIA B200";
    write("new/b200.jsonl", unknown, rows_of(3));
    const auto finished = compare({"new"});
    EXPECT_EQ(finished.code, 4);
    EXPECT_EQ(finished.out, "");
    const auto folder = std::filesystem::canonical(place.folder / "results").string();
    EXPECT_EQ(finished.err, "tocuda: nothing is recorded of NVIDIA B200; " + folder +
                                " has NVIDIA H200 (2 files); give OLD and NEW to compare other files\n");
}

TEST_F(Comparing, SimulatedGpuIsNeverComparedWithARealOne) {
    sessions(kept, 1, 2, "580.95.05");
    auto simulated = run_of(3, "580.95.05");
    simulated.device = Device::simulated;
    write("new/simulated.jsonl", simulated, rows_of(3));
    const auto finished = compare({"new"});
    EXPECT_EQ(finished.code, 4);
    EXPECT_NE(finished.err.find("nothing is recorded of simulated NVIDIA H200; "), std::string::npos) << finished.err;
}

}  // namespace
}  // namespace tocuda
