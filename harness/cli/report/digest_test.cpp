// tocuda, Apache-2.0.
// What a ticket gets of measurements.
#include <gtest/gtest.h>

#include "report/measured_report_test.hpp"

namespace tocuda::page {
namespace {

TEST(Digest, NamesTheSlowestAndTheBrokenPairsOfGpus) {
    const auto digest = digest_of(measured(processes_of_pairs()));
    EXPECT_NE(digest.find("- **pairs of GPUs** pairs/copy by=push 64 MiB, GB/s: Slowest: 1 to 0, 16.74 GB/s; the "
                          "fastest has 66.94 GB/s. No valid value: 1 to 2 (wrong).\n"),
              std::string::npos)
        << digest;
}

TEST(Digest, NamesTheModelBesideAFigureWhereThereAreSeveral) {
    const std::string pinned = "copy/host_to_device/pinned";
    auto report = measured(processes_of(pinned, {{"bytes", 1 << 26}}, 1 << 26, 1e-3));
    EXPECT_NE(digest_of(report).find("- host to device, pinned: "), std::string::npos);
    auto other = report.runs.front();
    other.about.gpus.front().name = "NVIDIA T4";
    other.measured.rows.clear();
    report.runs.push_back(other);
    EXPECT_NE(digest_of(report).find("- host to device, pinned, NVIDIA H200: "), std::string::npos);
}

}  // namespace
}  // namespace tocuda::page
