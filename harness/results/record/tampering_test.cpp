// tocuda, Apache-2.0.
// Verification finds each kind of tampering and names its line. These files have new, matching checksums: their content
// is impossible all the same.
#include <gtest/gtest.h>

#include <functional>

#include "record/verified_text_test.hpp"

namespace tocuda {
namespace {

using made_up::listed;
using made_up::verified;
using Parts = std::vector<made_up::Part>;

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

MeasurementRow& row_of(Parts& parts, std::size_t which = 0) { return parts[0].measurements[which]; }
Samples& samples_of(Parts& parts) { return row_of(parts).samples; }
Row& scenario_of(Parts& parts) { return parts[0].scenarios[0]; }

std::string name_of(const ::testing::TestParamInfo<Tampering>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Samples, Tampered,
    ::testing::Values(Tampering{"faster_than_the_link", [](Parts& p) { samples_of(p).seconds = {9e-4, 9e-4, 9e-4}; },
                                "2: the median rate of 74.52 GB/s exceeds the peak of 63.02 GB/s (PCIe 5.0 x16)"},
                      Tampering{"one_sample_faster_than_the_link", [](Parts& p) { samples_of(p).seconds[1] = 5e-4; },
                                "2: a sample's rate of 134.1 GB/s exceeds the peak of 63.02 GB/s (PCIe 5.0 x16)"},
                      Tampering{"failed_with_samples", [](Parts& p) { samples_of(p).status = Status::failed; },
                                "2: status is 'failed' but the row has samples"},
                      Tampering{"zero_time", [](Parts& p) { samples_of(p).seconds[1] = 0; },
                                "2: a sample took 0 s but status is not 'invalid'"},
                      Tampering{"endless_time", [](Parts& p) { samples_of(p).seconds[1] = 1e300; },
                                "2: a sample took longer than a day"},
                      Tampering{"no_samples", [](Parts& p) { samples_of(p).seconds.clear(); },
                                "2: status is 'ok' but the row has no samples"},
                      Tampering{"more_samples_than_the_protocol_allows",
                                [](Parts& p) { samples_of(p).seconds.assign(51, 1.2e-3); },
                                "2: the row has 51 samples but the protocol allows at most 50"},
                      Tampering{"nothing_was_timed", [](Parts& p) { samples_of(p).batch = 0; },
                                "2: status is 'ok' but batch is below 1: no operation was timed"},
                      Tampering{"fewer_bytes_touched", [](Parts& p) { samples_of(p).bytes_touched = 1; },
                                "2: fewer bytes touched than moved one way"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Identity, Tampered,
    ::testing::Values(
        Tampering{"other_parameters", [](Parts& p) { samples_of(p).parameters["bytes"] = 1 << 27; }, "2: row id is "},
        Tampering{"another_benchmark", [](Parts& p) { row_of(p).benchmark = "copy/host_to_device/pageable"; },
                  "2: row id is "},
        Tampering{"another_id", [](Parts& p) { row_of(p).id = "0123456789abcdef"; },
                  "2: row id is 0123456789abcdef but its benchmark, parameters and protocol give "},
        Tampering{"another_protocol", [](Parts& p) { --p[0].run.protocol->version; }, "2: row id is "},
        Tampering{"other_bytes", [](Parts& p) { row_of(p, 2).samples.bytes_one_way /= 2; },
                  "4: byte counts differ from earlier rows with the same id"},
        Tampering{"another_peak", [](Parts& p) { row_of(p, 2).samples.peak.bytes_per_second *= 2; },
                  "4: peak differs from earlier rows with the same id"},
        Tampering{"another_clock", [](Parts& p) { row_of(p, 2).samples.clock = Clock::host; },
                  "4: clock differs from earlier rows with the same id"},
        Tampering{"process_twice", [](Parts& p) { row_of(p, 2).process = 0; }, "4: process 0 measured "},
        Tampering{"process_in_two_rounds", [](Parts& p) { row_of(p, 2).process = 1; },
                  "4: process 1 appears in two rounds"},
        Tampering{"process_out_of_order", [](Parts& p) { row_of(p, 2).round = 0; },
                  "4: process 2 is in round 0: rounds must not decrease as process numbers increase"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Devices, Tampered,
    ::testing::Values(
        Tampering{"gpus_removed", [](Parts& p) { p[0].run.gpus.clear(); },
                  "2: gpu 'GPU-1' is not among the section's GPUs"},
        Tampering{"gpu_of_another_machine", [](Parts& p) { samples_of(p).gpu = "GPU-7"; },
                  "2: gpu 'GPU-7' is not among the section's GPUs"},
        Tampering{"sent_by_a_gpu_of_another_machine", [](Parts& p) { samples_of(p).from = "GPU-7"; },
                  "2: from_gpu 'GPU-7' is not among the section's GPUs"},
        Tampering{"its_own_peer", [](Parts& p) { samples_of(p).peer = "GPU-1"; }, "2: gpu and peer are the same GPU"},
        Tampering{"simulated_passed_off_as_real", [](Parts& p) { row_of(p).stand_in = {"runtime 1xH200"}; },
                  "2: device is 'real' but stand_in lists 'runtime 1xH200'"},
        Tampering{"simulated_beside_a_recorder", [](Parts& p) { row_of(p).stand_in = {"recorder", "runtime 1xH200"}; },
                  "2: device is 'real' but stand_in lists 'runtime 1xH200'"},
        Tampering{"real_in_a_simulated_section", [](Parts& p) { p[0].run.device = Device::simulated; },
                  "2: device is 'real' but the section's device is 'simulated'"},
        Tampering{"simulated_driver", [](Parts& p) { p[0].run.driver.flavour = "simulated"; },
                  "1: device is 'real' but the driver is simulated"},
        Tampering{"gpu_twice", [](Parts& p) { p[0].run.gpus.push_back(p[0].run.gpus[0]); }, "1: GPU 0 is listed twice"},
        Tampering{"link_of_seventeen_lanes", [](Parts& p) { p[0].run.gpus[0].pcie.width = 17; },
                  "1: GPU 0 has a PCIe link of 17 lanes"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Telemetry, Tampered,
    ::testing::Values(
        Tampering{"decreasing_counter",
                  [](Parts& p) {
                      samples_of(p).before->violation_ns["hw_thermal"] = 7000;
                      samples_of(p).after->violation_ns["hw_thermal"] = 0;
                  },
                  "2: the hw_thermal counter decreased from 7000 to 0 ns"},
        Tampering{"impossible_temperature", [](Parts& p) { samples_of(p).before->temperature_c = 5500; },
                  "2: telemetry before the samples: temperature of 5500 C is impossible"},
        Tampering{"more_power_than_the_limit", [](Parts& p) { samples_of(p).after->power_w = 2000; },
                  "2: telemetry after the samples: power of 2000 W exceeds the plausible maximum of 1400 W"},
        Tampering{"impossible_power_limit",
                  [](Parts& p) {
                      p[0].run.gpus[0].power_limit_w = 1e300;
                      samples_of(p).after->power_w = 6000;
                  },
                  "2: telemetry after the samples: power of 6000 W exceeds the plausible maximum of 5000 W"},
        Tampering{"impossible_clock", [](Parts& p) { samples_of(p).before->sm_clock_mhz = 19800; },
                  "2: telemetry before the samples: SM clock of 19800 MHz is impossible"},
        Tampering{"wider_link", [](Parts& p) { samples_of(p).before->link_width = 32; },
                  "2: telemetry before the samples: PCIe link wider than the GPU's maximum"},
        Tampering{"reading_removed", [](Parts& p) { samples_of(p).before.reset(); },
                  "2: there is telemetry after the samples but none before them"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Runs, Tampered,
    ::testing::Values(
        Tampering{"another_verb", [](Parts& p) { p[0].run.verb = "run"; },
                  "2: measurement row in a section written by `run`, not `bench`"},
        Tampering{"no_protocol", [](Parts& p) { p[0].run.protocol.reset(); }, "1: a bench run without a protocol"},
        Tampering{"invalid_time", [](Parts& p) { p[0].run.time = "2026-13-21T10:00:00Z"; },
                  "1: 'time' is not a valid time: 2026-13-21T10:00:00Z"},
        Tampering{"invalid_run_id", [](Parts& p) { p[0].run.run = "run"; }, "1: 'run' is not a UUID"},
        Tampering{"before_its_driver", [](Parts& p) { p[0].run.driver_loaded = "2026-11-22T08:00:00Z"; },
                  "1: the driver was loaded after the run began"},
        Tampering{"section_moved_in_time", [](Parts& p) { p[1].run.time = "2026-11-21T09:00:00Z"; },
                  "7: the run began before the run it resumes"},
        Tampering{"sections_exchanged",
                  [](Parts& p) {
                      p[0].run.time = "2026-11-21T11:00:00Z";
                      p[0].run.run.front() = 'f';
                      p[1].run.resumes.reset();
                  },
                  "7: the section began before the one above it"},
        Tampering{"resumed_with_another_driver", [](Parts& p) { p[1].run.driver.kernel_module = "590.10"; },
                  "7: the run it resumes has a different driver"},
        Tampering{"resumes_a_missing_run", [](Parts& p) { p[1].run.resumes = "99999999-2222-4333-8444-555555555555"; },
                  "7: the run it resumes is not in the file"},
        Tampering{"section_twice",
                  [](Parts& p) {
                      p.push_back(p[1]);
                      p[2].measurements.pop_back();
                  },
                  "11: repeats the run of line 7"},
        Tampering{"renamed", [](Parts& p) { p[0].run.time = "2026-11-21T10:00:01Z"; },
                  "1: the file name does not match the time, verb, device and run of this line"},
        Tampering{"fewer_rows_than_counted", [](Parts& p) { p[0].rows_more = 1; },
                  "6: the end line counts 5 rows but the section has 4"},
        Tampering{"unknown_end_status", [](Parts& p) { p[0].status = "splendid"; },
                  "6: unknown end status 'splendid'"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Scenarios, Tampered,
    ::testing::Values(
        Tampering{"decided_without_a_run", [](Parts& p) { scenario_of(p).evidence.outcome.ended = "not_started"; },
                  "5: claim 000-04 is decided but nothing was run"},
        Tampering{"judged_twice", [](Parts& p) { scenario_of(p).claims.push_back(scenario_of(p).claims[0]); },
                  "5: claim 000-04 is judged twice"},
        Tampering{"impossible_signal",
                  [](Parts& p) {
                      scenario_of(p).evidence.outcome.ended = "signal";
                      scenario_of(p).evidence.outcome.code = 200;
                  },
                  "5: impossible outcome: signal 200"},
        Tampering{"scenario_passed_off_as_real", [](Parts& p) { scenario_of(p).evidence.stand_in = {"driver 11020"}; },
                  "5: device is 'real' but stand_in lists 'driver 11020'"},
        Tampering{"negative_duration", [](Parts& p) { scenario_of(p).evidence.outcome.seconds = -1; },
                  "5: the duration is negative"}),
    name_of);

}  // namespace
}  // namespace tocuda
