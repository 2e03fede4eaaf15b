// tocuda, Apache-2.0.
// `compare NEW`: whether a machine is as the recordings in results/ of its GPU model.
#include <fmt/format.h>

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

TEST_F(Comparing, NewAloneWithTooFewStartsIsNotKnownToBeNormal) {
    sessions(kept, 1, 1, "580.95.05");
    sessions("new", 2, 2, "580.95.05", 1.5);
    const auto finished = compare({"new", "--strict"});
    EXPECT_EQ(finished.code, 3) << finished.err;
    EXPECT_TRUE(finished.out.starts_with("not known to be normal for NVIDIA H200")) << finished.out;
    const auto text = document({"new"}, 0)["normal"]["text"].get<std::string>();
    EXPECT_NE(text.find(": more starts are needed to decide 2 rows, so far up to 50."), std::string::npos) << text;
}

TEST_F(Comparing, NewAloneOfSeveralGpusIsOneMachineAndPointsToTheGpuBelowTheOthers) {
    sessions(kept, 1, 3, "580.95.05");
    auto run = run_of(9, "580.95.05");
    run.gpus.clear();
    std::vector<MeasurementRow> rows;
    for (int gpu = 0; gpu < 8; ++gpu) {
        const auto uuid = "GPU-" + std::to_string(gpu);
        run.gpus.push_back({.index = gpu, .uuid = uuid, .name = "NVIDIA H200"});
        for (auto row : rows_of(9)) {
            row.samples.gpu = uuid;
            for (auto& seconds : row.samples.seconds) seconds *= (gpu == 5 ? 1.4 : 1) + 1e-4 * gpu;
            rows.push_back(row);
        }
    }
    write("new/9.jsonl", run, rows);
    const auto finished = compare({"new"});
    EXPECT_NE(finished.out.find("against 8 GPUs)"), std::string::npos) << finished.out;
    EXPECT_NE(finished.err.find("slower than the other GPUs of NEW: "), std::string::npos) << finished.err;
    EXPECT_NE(finished.err.find("cuda:5; see `tocuda compare --fleet new`"), std::string::npos) << finished.err;
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
    EXPECT_EQ(finished.err, "tocuda: besides NEW, nothing is recorded of NVIDIA B200; " + folder +
                                " has NVIDIA H200 (2 files); give OLD and NEW to compare other files\n");
}

TEST_F(Comparing, NewAloneIsNotComparedWithRecordingsOfOtherRows) {
    sessions(kept, 1, 2, "580.95.05");
    auto others = rows_of(3);
    for (auto& row : others) row.id = "other/" + row.id;
    write("new/others.jsonl", run_of(3, "580.95.05"), others);
    const auto finished = compare({"new"});
    EXPECT_EQ(finished.code, 4);
    EXPECT_EQ(finished.err, "tocuda: no other recording of NVIDIA H200 has these rows; NEW itself does not count\n");
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

// Of a model of which nothing is recorded, with three sources and a limit.
class BesidePublished : public Comparing {
protected:
    void publish(const std::string& text) const {
        std::filesystem::create_directories(place.folder / "results/published");
        driven::write(place.folder / "results/published/numbers.json", text);
    }
    void publish(int sources) const {
        std::string numbers;
        for (int i = 0; i < sources; ++i) numbers += source(std::string(1, static_cast<char>('a' + i)), "measured", i);
        publish(R"({"quantities":[{"benchmark":"copy/host_to_device/pinned","counts":"payload",)"
                R"("alike_from_bytes":null,"all_gpus":false,"look_at":"the link"}],"sources":[)" +
                numbers + source("limits", "limit", 0.05) + "]}");
    }
    // 65,536 bytes in a millisecond are 0.0655 GB/s.
    void measured(double factor, Device device = Device::real) const {
        auto run = run_of(3, "580.95.05");
        run.device = device;
        run.gpus.front().name = "NVIDIA X1";
        auto rows = rows_of(3, factor);
        for (auto& row : rows) row.device = device;
        write("new/x1.jsonl", run, rows);
    }

private:
    static std::string source(const std::string& by, const std::string& kind, double more) {
        return fmt::format(
            R"({}{{"by":"{}","address":"https://{}","date":"2025-01-01","numbers":[{{"kind":"{}","gpu":"NVIDIA X1",)"
            R"("gpus":1,"benchmark":"copy/host_to_device/pinned","parameters":{{}},"bytes":65536,"value":{},)"
            R"("unit":"MB/s","counts":"payload"}}]}})",
            by == "a" ? "" : ",", by, by, kind, 65 + more);
    }
};

TEST_F(BesidePublished, ThreeSourcesJudgeARowOfAnUnrecordedModel) {
    publish(3);
    measured(1);
    const auto finished = compare({"new"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_TRUE(
        finished.out.starts_with("beside what others published of NVIDIA X1: none of 1 row unusually low\n"
                                 "  copy/host_to_device/pinned 64 KiB: 0.066 GB/s; 3 published of NVIDIA X1 by 3\n"
                                 "    sources: 0.065 GB/s to 0.067 GB/s"))
        << finished.out;
    EXPECT_EQ(compare({"new", "--strict"}).code, 3);
    EXPECT_EQ(compare({"new", "--fail-on", "likely"}).code, 0);
    const auto held = document({"new"}, 0)["normal"]["published"];
    ASSERT_EQ(held.size(), 1U);
    EXPECT_EQ(held[0]["standing"], "within");
    EXPECT_EQ(held[0]["band"].size(), 3U);
    EXPECT_EQ(held[0]["others"][0]["kind"], "limit");
    EXPECT_EQ(driven::lines_in(compare({"new", "--ticket"}).out), 1U);
}

TEST_F(BesidePublished, ALowValueSaysWhereToLookAndIsNoFinding) {
    publish(3);
    measured(2);
    const auto finished = compare({"new"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.out.find("1 of 1 row unusually low"), std::string::npos) << finished.out;
    EXPECT_EQ(document({"new"}, 0)["normal"]["published"][0]["standing"], "low");
    EXPECT_NE(compare({"new", "--ticket"}).out.find("unusually low: look at the link"), std::string::npos);
}

TEST_F(BesidePublished, TwoSourcesAreShownAndSimulatedRowsAreNot) {
    publish(2);
    measured(2);
    EXPECT_EQ(document({"new"}, 0)["normal"]["published"][0]["standing"], "shown");
    measured(2, Device::simulated);
    EXPECT_EQ(compare({"new"}).code, 4);
}

TEST_F(BesidePublished, BesideRecordingsTheyChangeNoExitCode) {
    publish(3);
    sessions(kept, 1, 11, "580.95.05");
    sessions("new", 12, 22, "580.95.05", 1.03);
    EXPECT_EQ(compare({"new"}).code, 1);
    EXPECT_EQ(document({"new"}, 1)["normal"]["published"].size(), 0U);  // of another model
}

TEST_F(BesidePublished, ADamagedFileIsNamed) {
    publish("{}");
    measured(1);
    const auto finished = compare({"new"});
    EXPECT_EQ(finished.code, 2);
    EXPECT_NE(finished.err.find("numbers.json"), std::string::npos) << finished.err;
}

}  // namespace
}  // namespace tocuda
