// tocuda, Apache-2.0.
// The time that LibTorch adds: compares two otherwise equal rows process by process.
#include <gtest/gtest.h>

#include "summary/row_summary.hpp"

namespace tocuda {
namespace {

RowSummary row_through(const std::string& through, std::int64_t bytes, const std::vector<double>& seconds) {
    RowSummary row{.benchmark = "framework/to", .parameters = {{"bytes", bytes}, {"through", through}}};
    row.clock = Clock::host;
    row.bytes_one_way = bytes;
    row.median_seconds = seconds.at(seconds.size() / 2);
    for (std::size_t i = 0; i < seconds.size(); ++i) row.process_medians.push_back({static_cast<int>(i), seconds[i]});
    return row;
}

TEST(FrameworkTax, IsSortedBySize) {
    const std::vector<RowSummary> rows{row_through("libtorch", 1048576, {110e-6}), row_through("runtime", 4096, {2e-6}),
                                       row_through("runtime", 1048576, {100e-6}),
                                       row_through("libtorch", 4096, {5e-6})};
    const auto taxes = framework_taxes(rows);
    ASSERT_EQ(taxes.size(), 2U);
    EXPECT_EQ(taxes[0].parameters, (Parameters{{"bytes", 4096}}));
    EXPECT_NEAR(taxes[0].extra_seconds, 3e-6, 1e-15);
    EXPECT_NEAR(taxes[1].ratio, 1.1, 1e-12);
    EXPECT_FALSE(taxes[1].ratio_interval);
}

TEST(FrameworkTax, SizesOfOneOperationStandTogether) {
    std::vector<RowSummary> rows;
    for (const auto* cache : {"miss", "hit"})
        for (const std::int64_t bytes : {1048576, 4096})
            for (const auto* through : {"libtorch", "runtime"}) {
                rows.push_back(row_through(through, bytes, {1e-6}));
                rows.back().parameters["cache"] = cache;
                rows.back().bytes_one_way = 0;
            }
    std::vector<Parameters> order;
    for (const auto& tax : framework_taxes(rows)) order.push_back(tax.parameters);
    EXPECT_EQ(order, (std::vector<Parameters>{{{"bytes", 4096}, {"cache", "hit"}},
                                              {{"bytes", 1048576}, {"cache", "hit"}},
                                              {{"bytes", 4096}, {"cache", "miss"}},
                                              {{"bytes", 1048576}, {"cache", "miss"}}}));
}

TEST(FrameworkTax, IsComputedProcessByProcess) {
    std::vector<double> plain;
    std::vector<double> through;
    for (int process = 0; process < 6; ++process) {
        plain.push_back(1e-5 * (1 + process));  // a process that is slow in both does not change the ratio
        through.push_back(1.5e-5 * (1 + process));
    }
    const auto taxes =
        framework_taxes(std::vector{row_through("runtime", 4096, plain), row_through("libtorch", 4096, through)});
    ASSERT_EQ(taxes.size(), 1U);
    EXPECT_EQ(taxes[0].processes, 6);
    EXPECT_NEAR(taxes[0].ratio, 1.5, 1e-12);
    ASSERT_TRUE(taxes[0].ratio_interval && taxes[0].extra_interval);
    EXPECT_NEAR(taxes[0].ratio_interval->low, 1.5, 1e-12);
    EXPECT_NEAR(taxes[0].ratio_interval->high, 1.5, 1e-12);
    EXPECT_NEAR(taxes[0].extra_seconds, 1.75e-5, 1e-15);
    EXPECT_NEAR(taxes[0].extra_interval->low, 0.5e-5, 1e-15);
    EXPECT_NEAR(taxes[0].extra_interval->high, 3e-5, 1e-15);
}

TEST(FrameworkTax, ComparesMediansIfNoProcessMeasuredBoth) {
    auto through = row_through("libtorch", 4096, {6e-6});
    through.process_medians[0].process = 9;
    const auto taxes = framework_taxes(std::vector{row_through("runtime", 4096, {2e-6}), through});
    ASSERT_EQ(taxes.size(), 1U);
    EXPECT_EQ(taxes[0].processes, 0);
    EXPECT_NEAR(taxes[0].ratio, 3, 1e-12);
    EXPECT_FALSE(taxes[0].ratio_interval || taxes[0].extra_interval);
}

TEST(FrameworkTax, NeedsBothRowsToBeSound) {
    auto broken = row_through("runtime", 4096, {2e-6});
    broken.status = Status::wrong;
    auto elsewhere = row_through("runtime", 4096, {2e-6});
    elsewhere.gpu = "GPU-2";
    auto other_peer = row_through("runtime", 4096, {2e-6});
    other_peer.peer = "GPU-2";
    auto other_clock = row_through("runtime", 4096, {2e-6});
    other_clock.clock = Clock::device;
    EXPECT_TRUE(framework_taxes(std::vector{row_through("libtorch", 4096, {5e-6}), broken, elsewhere, other_peer,
                                            other_clock, row_through("runtime", 1048576, {1})})
                    .empty());
    EXPECT_TRUE(framework_taxes(std::vector{row_through("runtime", 4096, {2e-6})}).empty());
}

}  // namespace
}  // namespace tocuda
