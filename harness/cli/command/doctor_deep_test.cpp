// tocuda, Apache-2.0.
// `tocuda doctor --deep` through the whole program, on simulated GPUs with exactly one fault.
#include <gtest/gtest.h>

#include <regex>

#include "command/driven_program_test.hpp"

namespace tocuda {
namespace {

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t times_in(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

class DeepDoctor : public testing::Test {
protected:
    void SetUp() override {
        for (const char* needed : {"tocuda-cuda-simulated", "tocuda-torch", "simulator/simulated/libcuda.so.1"})
            if (!std::filesystem::exists(built / needed)) GTEST_SKIP() << needed << " is not built";
    }
    // On GPUs whose machine has this fault, or whose NVML reads this.
    driven::Finished doctor(const std::string& gpus, const std::string& fault, const std::string& telemetry = "",
                            driven::Words words = {}) const {
        driven::write(place.folder / "mine.json",
                      R"({"name": "Mine", "compute_capability": "9.0", "figures": {"memory_bytes": 1073741824, )"
                      R"("multiprocessors": 8}, "telemetry": [)" +
                          telemetry + R"(], "machine": {"faults": [)" + fault + "]}}");
        words.insert(words.begin(), {"doctor", "--deep", "--simulate", gpus + "xmine.json"});
        return place.run(words, {{"COLUMNS", "140"}, {"TOCUDA_WORKERS", built}, {"TOCUDA_PYTHON", "absent"}});
    }
    // The one fault is this, of the two directions between two GPUs. What was in the memory before may begin as what
    // was to arrive does: the first byte that differs is any.
    void expect_broken(const std::string& fault, const std::string& from, const std::string& to,
                       const std::string& what) const {
        const auto told = doctor("2", '"' + fault + '"', "", {"--json"});
        EXPECT_EQ(told.code, 1) << told.out << told.err;
        EXPECT_EQ(times_in(told.out, "\"fault\""), 1U) << told.out;
        const auto said = std::regex_replace(told.out, std::regex("from (byte |)[0-9]+ on"), "from $01N on");
        EXPECT_TRUE(mentions(said, "\"SIMULATED cuda:" + from + " to cuda:" + to + ": " + what)) << told.out;
        EXPECT_TRUE(mentions(told.out, "\"SIMULATED 1 of 2 directions between GPUs: what is sent arrives")) << told.out;
        EXPECT_TRUE(mentions(told.out, "\"cause\": \"peers\"")) << told.out;
    }

    const std::filesystem::path built = driven::tests_folder().parent_path();
    driven::Place place;
};

TEST_F(DeepDoctor, FindsNoFaultWhereThereIsNone) {
    const auto told = doctor("2", "");
    EXPECT_EQ(told.code, 0) << told.out << told.err;
    EXPECT_TRUE(told.out.starts_with("GPU usable: SIMULATED Mine and 1 more")) << told.out;
    EXPECT_TRUE(mentions(told.out, "SIMULATED cuda:1 had its first byte ")) << told.out;
    EXPECT_EQ(times_in(told.out, " dtypes came back with the same bytes"), 2U) << told.out;
    EXPECT_TRUE(mentions(told.out, "SIMULATED 2 of 2 directions between GPUs: what is sent arrives")) << told.out;
}

TEST_F(DeepDoctor, NamesLostStores) {
    expect_broken("peer 0 1 lost", "0", "1", "what a kernel stores is not what cuda:1 finds, from byte N on");
    expect_broken("peer 1 0 lost", "1", "0", "what a kernel stores is not what cuda:0 finds, from byte N on");
}

TEST_F(DeepDoctor, NamesAMirror) {
    expect_broken("peer 1 0 mirrored", "1", "0",
                  "what a kernel stores is not what cuda:0 finds, from byte N on, though cuda:1 reads it back");
}

TEST_F(DeepDoctor, NamesLostCopies) {
    expect_broken("peer 0 1 uncopied", "0", "1", "a copy does not arrive: cuda:1 finds other bytes, from N on");
}

TEST_F(DeepDoctor, NamesAHandshakeThatNeverEnds) {
    expect_broken("peer 0 1 stalled", "0", "1", "what one kernel stores does not reach another that runs meanwhile");
    expect_broken("peer 1 0 stalled", "1", "0", "what one kernel stores does not reach another that runs meanwhile");
}

TEST_F(DeepDoctor, NamesTheDtypeWhoseBytesChange) {
    const auto told = doctor("1", R"("cudaMemcpyAsync 11 wrong")");
    EXPECT_EQ(told.code, 1) << told.out << told.err;
    EXPECT_TRUE(mentions(told.out, "SIMULATED cuda:0: tensors came back changed: bytes, blocking: Half")) << told.out;
}

TEST_F(DeepDoctor, NamesAFirstByteThatHangs) {
    const auto told = doctor("1", R"("cudaMemcpy 1 hang")", "", {"--timeout", "2"});
    EXPECT_EQ(told.code, 1) << told.out << told.err;
    EXPECT_TRUE(
        mentions(told.out, "FAULT    first byte: SIMULATED cuda:0: no byte came back as it was sent: its process: "))
        << told.out;
    EXPECT_FALSE(mentions(told.out, "dtypes:")) << "nothing else is tried there";
}

TEST_F(DeepDoctor, LeavesTheGpuOfAnotherProgramAlone) {
    const auto told = doctor("1", "", R"("0 processes 77:1000")");
    EXPECT_EQ(told.code, 0) << told.out << told.err;
    EXPECT_TRUE(mentions(told.out, "unknown  deep: cuda:0 was not tried: 1 other program uses it")) << told.out;
    EXPECT_FALSE(mentions(told.out, "first byte:")) << told.out;
}

TEST_F(DeepDoctor, SaysWhichWorkersAreMissing) {
    const auto told =
        place.run({"doctor", "--deep", "--simulate", "1xH200"}, {{"COLUMNS", "140"}, {"TOCUDA_PYTHON", "absent"}});
    EXPECT_EQ(told.code, 0) << told.out << told.err;
    for (const char* worker : {"tocuda-cuda", "tocuda-torch"})
        EXPECT_TRUE(mentions(told.out, std::string("deep: what needs it was not tried: ") + worker)) << told.out;
}

TEST_F(DeepDoctor, TriesNothingWhereAFaultWasFound) {
    const auto told = place.run({"doctor", "--deep"}, {{"LD_LIBRARY_PATH", place.folder},
                                                       {"CUDA_VISIBLE_DEVICES", ""},
                                                       {"COLUMNS", "140"},
                                                       {"TOCUDA_PYTHON", "absent"}});
    EXPECT_TRUE(mentions(told.out, "unknown  deep: nothing was tried: ")) << told.out;
}

TEST_F(DeepDoctor, RefusesWhatDoesNotFit) {
    EXPECT_EQ(place.run({"doctor", "--simulate", "lots"}).code, 2);
    EXPECT_EQ(place.run({"doctor", "--simulate", "2xH200", "--pid", "1"}).code, 2);
    EXPECT_EQ(place.run({"doctor", "--deep", "--message", "-"}).code, 2);
}

TEST_F(DeepDoctor, LooksAtSimulatedGpusWithoutUsingThem) {
    const auto told = place.run({"doctor", "--simulate", "2xH200"}, {{"COLUMNS", "140"}, {"TOCUDA_PYTHON", "absent"}});
    EXPECT_EQ(told.code, 0) << told.out << told.err;
    EXPECT_TRUE(told.out.starts_with("GPU usable: SIMULATED NVIDIA H200 and 1 more")) << told.out;
    EXPECT_FALSE(mentions(told.out, "first byte")) << told.out;
}

TEST_F(DeepDoctor, FindsSimulatedGpusHiddenAsRealOnes) {
    const auto seen_with = [&](const char* visible) {
        return place.run({"doctor", "--simulate", "2xH200"},
                         {{"COLUMNS", "140"}, {"TOCUDA_PYTHON", "absent"}, {"CUDA_VISIBLE_DEVICES", visible}});
    };
    for (const char* hides_all : {"", "-1", "5"}) {
        const auto told = seen_with(hides_all);
        EXPECT_EQ(told.code, 1) << told.out << told.err;
        EXPECT_TRUE(mentions(told.out, std::string("CUDA_VISIBLE_DEVICES=\"") + hides_all + "\" hides every GPU"))
            << told.out;
    }
    const auto told = seen_with("1");
    EXPECT_EQ(told.code, 0) << told.out << told.err;
    EXPECT_TRUE(mentions(told.out, "cuda:0")) << told.out;
    EXPECT_FALSE(mentions(told.out, "cuda:1")) << told.out;
}

}  // namespace
}  // namespace tocuda
