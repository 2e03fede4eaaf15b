// tocuda, Apache-2.0.
// A run line is read back without loss: `compare` could never report a change in a field that gets lost.
#include <gtest/gtest.h>

#include "json_lines/lines.hpp"

namespace tocuda {
namespace {

RunLine full() {
    return {
        .run = "37275d5e-0596-4d9f-9e9b-5edf01ee43ef",
        .time = "2026-11-21T19:31:51Z",
        .verb = "bench",
        .device = Device::real,
        .session = "a0fada76-a818-45bf-9474-08b0fd66f132",
        .boot = "b78b8250",
        .driver_loaded = "2026-11-20T00:00:00Z",
        .suite = {"0.1.0", "dd50dfc460e9", true},
        .machine = {"node17", "Debian 12", "6.1", "a CPU", 2, "performance", "off", "linux-firmware 1", true},
        .driver = {"580.95.05", "13.0", "open", "580.95.05", "hmm"},
        .cuda = {"13.0", "13.0.88", {"90", "100"}},
        .libtorch = {"2.15.0", "cu130"},
        .gpus =
            {{3, "GPU-1", "NVIDIA H200", "96.00", "9.0", 150109945856, 700.0, true, false, true, {5, 16, 5, 16}, 256}},
        .fleet = Fleet{"srun", 5, 8, 1, "n3"},
        .protocol = Protocol{"full", 1, 5, 50, 1, 6},
        .seed = 7,
        .command = {"tocuda", "bench"},
        .resumes = "another",
        .imported = Import{"nvbandwidth", "v0.8", "a.json", "5e1f", 1},
        .unavailable = {{"gpus[0].pcie", "nobody knows"}}};
}

TEST(RunLine, KeepsEveryField) {
    const auto line = to_line(full());
    const auto read = run_line(line);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(to_line(*read), line);
}

TEST(RunLine, KeepsUnknownFieldsAbsent) {
    const auto line = to_line(RunLine{});
    const auto read = run_line(line);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(to_line(*read), line);
}

TEST(RunLine, RefusesWrongTypes) {
    const auto line = to_line(full());
    const auto with = [&](std::string from, const std::string& to) {
        auto changed = line;
        const auto read = run_line(changed.replace(changed.find(from), from.size(), to));
        return read ? "" : read.error().what;
    };
    EXPECT_NE(with(R"("cpu":"a CPU")", R"("cpu":7)"), "");
    EXPECT_NE(with(R"("architectures":["90","100"])", R"("architectures":[90])"), "");
    EXPECT_NE(with(R"({"field":"gpus[0].pcie","cause":"nobody knows"})", R"("gpus")"), "");
    EXPECT_EQ(with("NVIDIA H200", R"(NVIDIA \u001b[31mH200)"), "'name' contains a control character");
    EXPECT_NE(with(R"("command":["tocuda","bench"])", R"("command":["tocuda",7])"), "");
    EXPECT_EQ(with(R"("kernel_module":"580.95.05","cuda":"13.0","flavour":"open",)", R"("kernel_module":"580.95.05",)"),
              "")
        << "these fields may be absent";
    EXPECT_EQ(with(R"({"generation":5,"width":16,"generation_max":5,"width_max":16})", "7"), "'pcie' is not an object");
    EXPECT_EQ(with(R"({"version":"2.15.0","build":"cu130"})", "7"), "'libtorch' is not an object");
}

TEST(RunLine, ReplacesControlCharactersInCommandsAndCauses) {
    auto run = full();
    run.command = {"tocuda", "a\tb", "a\x1b[31m"};
    run.unavailable = {{"gpus", "two\nlines"}};
    const auto read = run_line(to_line(run));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->command, (std::vector<std::string>{"tocuda", "a\tb", "a\xef\xbf\xbd[31m"}));
    EXPECT_EQ(read->unavailable[0].cause, "two lines");
}

}  // namespace
}  // namespace tocuda
