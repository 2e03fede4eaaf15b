// tocuda, Apache-2.0.
// Each kind of tampering by itself is found, and named by its line; the untouched file verifies. Most of these
// tamperers have written a new checksum: what they wrote is not possible all the same.
#include "record/verification.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "record/made_up_file_test.hpp"

namespace tocuda {
namespace {

using made_up::Part;
using Parts = std::vector<Part>;

Verification verified(const std::string& text, const std::string& name = made_up::file_name) {
    auto read = verify_bytes(text, name, made_up::now);
    if (const auto* wrong = std::get_if<Unreadable>(&read)) {
        ADD_FAILURE() << wrong->what;
        return {};
    }
    return std::move(std::get<Verification>(read));
}

std::string listed(const Verification& verification) {
    std::string text;
    for (const auto& [line, what] : verification.problems) text += std::to_string(line) + ": " + what + "\n";
    return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return place == std::string::npos ? text : text.replace(place, from.size(), to);
}

std::string without_line(const std::string& text, int line) {
    std::size_t begin = 0;
    for (int i = 1; i < line; ++i) begin = text.find('\n', begin) + 1;
    return text.substr(0, begin) + text.substr(text.find('\n', begin) + 1);
}

TEST(Verification, TheUntouchedFileVerifies) {
    const auto verification = verified(made_up::text(made_up::parts()));
    EXPECT_EQ(listed(verification), "");
    EXPECT_TRUE(verification.whole && verification.unaltered);
    EXPECT_EQ(verification.sections.size(), 2U);
    EXPECT_EQ(verification.sections[0].rows, 4);
}

struct Tampering {
    const char* name;
    std::function<void(Parts&)> done;
    const char* found;
};

class Tampered : public ::testing::TestWithParam<Tampering> {};

TEST_P(Tampered, IsFound) {
    auto parts = made_up::parts();
    GetParam().done(parts);
    const auto verification = verified(made_up::text(parts));
    EXPECT_NE(listed(verification).find(GetParam().found), std::string::npos) << listed(verification);
    EXPECT_FALSE(verification.good());
}

MeasurementRow& row(Parts& parts, std::size_t which = 0) { return parts[0].measurements[which]; }
Samples& samples(Parts& parts) { return row(parts).samples; }
Row& scenario(Parts& parts) { return parts[0].scenarios[0]; }

INSTANTIATE_TEST_SUITE_P(
    Kinds, Tampered,
    ::testing::Values(
        Tampering{"faster_than_the_link", [](Parts& p) { samples(p).seconds = {9e-4, 9e-4, 9e-4}; }, "2: 74.52 GB/s is above its peak of 63.02 GB/s (PCIe 5.0 x16)"},
        Tampering{"one_sample_faster_than_the_link", [](Parts& p) { samples(p).seconds[1] = 5e-4; }, "2: a sample of 134.1 GB/s is above its peak of 63.02 GB/s (PCIe 5.0 x16)"},
        Tampering{"failed_with_samples", [](Parts& p) { samples(p).status = Status::failed; }, "2: it is failed, and has samples"},
        Tampering{"a_time_of_zero", [](Parts& p) { samples(p).seconds[1] = 0; }, "2: a time of zero"},
        Tampering{"a_time_without_end", [](Parts& p) { samples(p).seconds[1] = 1e300; }, "2: a time longer than a day"},
        Tampering{"gpus_removed", [](Parts& p) { p[0].run.gpus.clear(); }, "2: its GPU is none of the section's: GPU-1"},
        Tampering{"another_verb", [](Parts& p) { p[0].run.verb = "run"; }, "2: a measurement, in a section of `run`"},
        Tampering{"a_counter_turned_back",
                  [](Parts& p) {
                      samples(p).before->violation_ns["hw_thermal"] = 7000;
                      samples(p).after->violation_ns["hw_thermal"] = 0;
                  },
                  "2: the counter of hw_thermal went back from 7000 to 0 ns"},
        Tampering{"no_samples", [](Parts& p) { samples(p).seconds.clear(); }, "2: it is ok, and has no samples"},
        Tampering{"more_samples_than_the_protocol", [](Parts& p) { samples(p).seconds.assign(51, 1.2e-3); }, "2: 51 samples, and the protocol takes 50 at most"},
        Tampering{"nothing_was_timed", [](Parts& p) { samples(p).batch = 0; }, "2: it is ok, and no operation was timed"},
        Tampering{"other_parameters", [](Parts& p) { samples(p).parameters["bytes"] = 1 << 27; }, "2: its id is "},
        Tampering{"another_benchmark", [](Parts& p) { row(p).benchmark = "copy/host_to_device/pageable"; }, "2: its id is "},
        Tampering{"another_id", [](Parts& p) { row(p).id = "0123456789abcdef"; }, "2: its id is 0123456789abcdef, and its benchmark, parameters and protocol give "},
        Tampering{"another_protocol", [](Parts& p) { --p[0].run.protocol->version; }, "2: its id is "},
        Tampering{"other_bytes", [](Parts& p) { row(p, 2).samples.bytes_one_way /= 2; }, "4: other bytes than the rows of its id before it"},
        Tampering{"fewer_bytes_touched", [](Parts& p) { row(p).samples.bytes_touched = 1; }, "2: fewer bytes touched than moved one way"},
        Tampering{"another_peak", [](Parts& p) { row(p, 2).samples.peak.bytes_per_second *= 2; }, "4: another peak than the rows of its id before it"},
        Tampering{"another_clock", [](Parts& p) { row(p, 2).samples.clock = Clock::host; }, "4: another clock than the rows of its id before it"},
        Tampering{"a_gpu_of_another_machine", [](Parts& p) { samples(p).gpu = "GPU-7"; }, "2: its GPU is none of the section's: GPU-7"},
        Tampering{"its_own_peer", [](Parts& p) { samples(p).peer = "GPU-1"; }, "2: it is its own peer"},
        Tampering{"simulated_passed_off_as_real", [](Parts& p) { row(p).stand_in = {"runtime 1xH200"}; }, "2: a real device, and a stand-in: runtime 1xH200"},
        Tampering{"simulated_beside_another", [](Parts& p) { row(p).stand_in = {"recorder", "runtime 1xH200"}; }, "2: a real device, and a stand-in: runtime 1xH200"},
        Tampering{"real_in_a_simulated_section", [](Parts& p) { p[0].run.device = Device::simulated; }, "2: real, in a section whose device is simulated"},
        Tampering{"a_simulated_driver", [](Parts& p) { p[0].run.driver.flavour = "simulated"; }, "1: a real device with a simulated driver"},
        Tampering{"a_process_twice", [](Parts& p) { row(p, 2).process = 0; }, "4: process 0 measured "},
        Tampering{"a_process_in_two_rounds", [](Parts& p) { row(p, 2).process = 1; }, "4: process 1 in two rounds"},
        Tampering{"a_process_out_of_order", [](Parts& p) { row(p, 2).round = 0; }, "4: process 2 is in round 0, out of the order of processes"},
        Tampering{"as_hot_as_the_sun", [](Parts& p) { samples(p).before->temperature_c = 5500; }, "2: before: a temperature of 5500 C"},
        Tampering{"more_power_than_the_limit", [](Parts& p) { samples(p).after->power_w = 2000; }, "2: after: 2000 W, and 1400 W would be much"},
        Tampering{"an_impossible_clock", [](Parts& p) { samples(p).before->sm_clock_mhz = 19800; }, "2: before: an SM clock of 19800 MHz"},
        Tampering{"a_wider_link", [](Parts& p) { samples(p).before->link_width = 32; }, "2: before: a link wider than the GPU's widest"},
        Tampering{"a_reading_removed", [](Parts& p) { samples(p).before.reset(); }, "2: the GPU's state is known after the samples, and not before them"},
        Tampering{"no_protocol", [](Parts& p) { p[0].run.protocol.reset(); }, "1: a measurement without a protocol"},
        Tampering{"a_time_that_never_was", [](Parts& p) { p[0].run.time = "2026-13-21T10:00:00Z"; }, "1: 'time' is no moment: 2026-13-21T10:00:00Z"},
        Tampering{"a_run_that_is_none", [](Parts& p) { p[0].run.run = "run"; }, "1: 'run' is no UUID"},
        Tampering{"before_its_driver", [](Parts& p) { p[0].run.driver_loaded = "2026-11-22T08:00:00Z"; }, "1: the driver was loaded after the run began"},
        Tampering{"a_section_moved_in_time", [](Parts& p) { p[1].run.time = "2026-11-21T09:00:00Z"; }, "7: it began before the run that it resumes"},
        Tampering{"sections_exchanged",
                  [](Parts& p) {
                      p[0].run.time = "2026-11-21T11:00:00Z";
                      p[0].run.run.front() = 'f';
                      p[1].run.resumes.reset();
                  },
                  "7: it began before the section above it"},
        Tampering{"resumed_elsewhere", [](Parts& p) { p[1].run.driver.kernel_module = "590.10"; }, "7: it resumes a run with another driver"},
        Tampering{"resumes_what_is_not_there", [](Parts& p) { p[1].run.resumes = "99999999-2222-4333-8444-555555555555"; }, "7: it resumes a run that is not in the file"},
        Tampering{"a_section_twice",
                  [](Parts& p) {
                      p.push_back(p[1]);
                      p[2].measurements.pop_back();
                  },
                  "11: the run of line 7 once more"},
        Tampering{"renamed", [](Parts& p) { p[0].run.time = "2026-11-21T10:00:01Z"; }, "1: the file's name says another time, verb, device or run than this line"},
        Tampering{"a_power_limit_beyond_reason",
                  [](Parts& p) {
                      p[0].run.gpus[0].power_limit_w = 1e300;
                      samples(p).after->power_w = 6000;
                  },
                  "2: after: 6000 W, and 5000 W would be much"},
        Tampering{"a_gpu_twice", [](Parts& p) { p[0].run.gpus.push_back(p[0].run.gpus[0]); }, "1: GPU 0 stands twice"},
        Tampering{"a_link_of_seventeen_lanes", [](Parts& p) { p[0].run.gpus[0].pcie.width = 17; }, "1: GPU 0 has a link of 17 lanes"},
        Tampering{"fewer_rows_than_counted", [](Parts& p) { p[0].rows_more = 1; }, "6: it counts 5 rows, and 4 stand there"},
        Tampering{"an_end_of_its_own", [](Parts& p) { p[0].status = "splendid"; }, "6: 'splendid' is no status of an end"},
        Tampering{"decided_without_a_run", [](Parts& p) { scenario(p).evidence.outcome.ended = "not_started"; }, "5: claim 000-04 is decided, and nothing was run"},
        Tampering{"judged_twice", [](Parts& p) { scenario(p).claims.push_back(scenario(p).claims[0]); }, "5: claim 000-04 is judged twice"},
        Tampering{"ended_by_a_signal_that_is_none",
                  [](Parts& p) {
                      scenario(p).evidence.outcome.ended = "signal";
                      scenario(p).evidence.outcome.code = 200;
                  },
                  "5: it ended by signal 200"},
        Tampering{"a_scenario_passed_off_as_real", [](Parts& p) { scenario(p).evidence.stand_in = {"driver 11020"}; }, "5: a real device, and a stand-in: driver 11020"},
        Tampering{"ended_before_it_began", [](Parts& p) { scenario(p).evidence.outcome.seconds = -1; }, "5: it ended before it began"}),
    [](const auto& of) { return of.param.name; });

struct Edit {
    const char* name;
    std::function<std::string(const std::string&)> done;
    const char* found;
    bool whole;
    bool unaltered;
};

class Edited : public ::testing::TestWithParam<Edit> {};

TEST_P(Edited, IsFound) {
    const auto& edit = GetParam();
    const auto verification = verified(edit.done(made_up::text(made_up::parts())));
    EXPECT_NE(listed(verification).find(edit.found), std::string::npos) << listed(verification);
    EXPECT_EQ(verification.whole, edit.whole);
    EXPECT_EQ(verification.unaltered, edit.unaltered);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Edited,
    ::testing::Values(
        Edit{"a_sample", [](const std::string& all) { return replaced(all, "0.0012,", "0.0011,"); },
             "6: the checksum does not match", true, false},
        Edit{
            "a_verdict",
            [](const std::string& all) { return replaced(all, R"("verdict":"refuted")", R"("verdict":"reproduced")"); },
            "6: the checksum does not match", true, false},
        Edit{"a_line_removed", [](const std::string& all) { return without_line(all, 3); },
             "5: it counts 4 rows, and 3 stand there", false, false},
        Edit{"a_line_twice",
             [](const std::string& all) {
                 return replaced(all, to_line(made_up::scenario()) + "\n",
                                 to_line(made_up::scenario()) + "\n" + to_line(made_up::scenario()) + "\n");
             },
             "7: it counts 4 rows, and 5 stand there", false, false},
        Edit{"an_unknown_row",
             [](const std::string& all) {
                 return replaced(all, to_line(made_up::scenario()) + "\n", "{\"kind\":\"weather\"}\n");
             },
             "6: the checksum does not match", true, false},
        Edit{"the_checksum", [](const std::string& all) { return replaced(all, R"("sha256":")", R"("sha256":"0)"); },
             "6: the checksum does not match", true, false},
        Edit{"the_first_end_removed", [](const std::string& all) { return without_line(all, 6); },
             "1: the section of run 11111111 has no end line: it is partial", false, true},
        Edit{"the_last_end_removed", [](const std::string& all) { return without_line(all, 10); },
             "7: the section of run 22222222 has no end line: it is partial", false, true},
        Edit{"cut_within_a_line", [](const std::string& all) { return all.substr(0, all.size() - 10); },
             "10: the last line is torn", false, true},
        Edit{"a_row_behind_the_end", [](const std::string& all) { return all + to_line(made_up::scenario()) + "\n"; },
             "11: a 'scenario' line after the section's end", false, true},
        Edit{"two_wrong_lines",
             [](const std::string& all) {
                 return replaced(replaced(all, R"("process":0)", R"("process":-1)"), R"("outcome":{)",
                                 R"("outcome":[{)");
             },
             "5: not JSON\n6: the checksum does not match", false, false},
        Edit{"a_number_that_is_none", [](const std::string& all) { return replaced(all, "0.0012,", "NaN,"); },
             "2: not JSON", false, false},
        Edit{"a_key_twice",
             [](const std::string& all) { return replaced(all, R"("round":1)", R"("round":1,"round":2)"); },
             "2: 'round' stands twice", false, false},
        Edit{"kind_is_not_first",
             [](const std::string& all) {
                 return replaced(all, R"({"kind":"scenario",)", R"({"weather":0,"kind":"scenario",)");
             },
             "5: 'kind' is not its first field", true, false},
        Edit{"the_second_run_line",
             [](const std::string& all) { return replaced(all, R"("resumes":)", R"("resumes":{}:)"); }, "7: not JSON",
             false, true}),
    [](const auto& of) { return of.param.name; });

TEST(Verification, RowsBehindADamagedRunLineAreOneProblemWithIt) {
    const auto verification = verified(replaced(made_up::text(made_up::parts()), R"("resumes":)", R"("resumes":{}:)"));
    EXPECT_EQ(listed(verification), "7: not JSON\n");
}

TEST(Verification, WhatBeginsWithNoRunLineIsNotWhole) {
    EXPECT_TRUE(std::holds_alternative<Unreadable>(verify_bytes("", "f"))) << "nothing at all is no result file";
    for (const char* text : {"[]\n", "{\"kind\":7}\n", "garbage\n", "{\"kind\":\"run\""}) {
        const auto verification = verified(text, "f");
        EXPECT_FALSE(verification.whole) << text;
        ASSERT_EQ(verification.problems.size(), 1U) << text;
        EXPECT_EQ(verification.problems[0].line, 1) << text;
    }
}

TEST(Verification, RowsOfAnUnknownKindAreANote) {
    const auto text = made_up::text(made_up::parts());
    const auto second = text.find('\n') + 1;
    const auto verification = verified(text.substr(0, second) + "{\"kind\":\"weather\"}\n" + text.substr(second), "f");
    ASSERT_EQ(verification.notes.size(), 1U);
    EXPECT_NE(verification.notes[0].find("line 2: rows of kind 'weather'"), std::string::npos) << verification.notes[0];
}

TEST(Verification, ANewerSchemaIsANoteAndAnotherNameIsNone) {
    auto parts = made_up::parts();
    parts[0].run.schema = 2;
    const auto verification = verified(made_up::text(parts), "of_a_fleet.jsonl");
    EXPECT_EQ(listed(verification), "");
    ASSERT_EQ(verification.notes.size(), 1U);
    EXPECT_NE(verification.notes[0].find("schema 2 is newer"), std::string::npos);
}

TEST(Verification, SectionsInTheOrderOfTheirRunsAreAMergedFile) {
    auto parts = made_up::parts();
    parts[1].run.resumes.reset();
    parts[1].run.time = "2026-11-21T09:00:00Z";
    EXPECT_EQ(listed(verified(made_up::text(parts))), "");
}

// Stand-ins that a variant's own environment brings are found in the child, and listed nowhere; some judges read
// nothing but the end.
TEST(Verification, WhatScenariosMayDoIsNoProblem) {
    auto parts = made_up::parts();
    scenario(parts).evidence.device = Device::simulated;
    scenario(parts).evidence.observations.clear();
    EXPECT_EQ(listed(verified(made_up::text(parts))), "");
}

TEST(Verification, ASectionManyTimesIsAProblemEachTime) {
    auto parts = made_up::parts();
    for (int i = 0; i < 3; ++i) parts.push_back(parts[1]);
    EXPECT_EQ(verified(made_up::text(parts)).problems.size(), 3U);
}

TEST(Verification, WhatAWorkerSaysOfAClockThatStoodStillIsNoProblem) {
    auto parts = made_up::parts();
    samples(parts).status = Status::invalid;
    samples(parts).seconds = {0, 0, 0};
    EXPECT_EQ(listed(verified(made_up::text(parts))), "");
}

// Which of two clocks is wrong, nobody can tell: the file may well be sound.
TEST(Verification, ATimeToComeIsANoteButForASimulatedMachine) {
    made_up::Part part{.run = made_up::run()};
    part.run.time = "2099-01-01T00:00:00Z";
    part.run.device = Device::simulated;
    part.run.driver.flavour = "simulated";
    EXPECT_EQ(verified(made_up::text(part), "f").notes.size(), 0U);
    part.run.device = Device::none;
    part.run.driver.flavour = {};
    const auto verification = verified(made_up::text(part), "f");
    EXPECT_EQ(listed(verification), "");
    ASSERT_EQ(verification.notes.size(), 1U);
    EXPECT_NE(verification.notes[0].find("line 1: it began at 2099-01-01T00:00:00Z"), std::string::npos)
        << verification.notes[0];
}

TEST(Verification, ACitationIsOfOneOfTheSections) {
    const auto verification = verified(made_up::text(made_up::parts()));
    EXPECT_EQ(wrong_with_citation(verification, verification.sections[1].sha256.substr(0, 12)), "");
    EXPECT_NE(wrong_with_citation(verification, "0123456789ab"), "");
    auto altered = made_up::parts();
    samples(altered).seconds[0] = 1.19e-3;
    const auto cited = verification.sections[0].sha256.substr(0, 12);
    EXPECT_NE(wrong_with_citation(verified(made_up::text(altered)), cited), "")
        << "with a new checksum it is another section";
}

TEST(Verification, TheClocksResolutionIsNoRateAboveThePeak) {
    auto parts = made_up::parts();
    auto& small = parts[0].measurements[1].samples;  // 1 MiB: 16.64 us at its peak
    small.seconds.assign(3, 16.2e-6);
    EXPECT_EQ(listed(verified(made_up::text(parts))), "");
    small.seconds.assign(3, 15.2e-6);
    EXPECT_NE(listed(verified(made_up::text(parts))).find("3: "), std::string::npos);
}

}  // namespace
}  // namespace tocuda
