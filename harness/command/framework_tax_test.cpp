// tocuda, Apache-2.0.
// The tax is the difference between two rows that are otherwise equal.
#include "command/framework_tax.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

RowSummary row(const std::string& through, std::int64_t bytes, double seconds) {
    RowSummary row{.benchmark = "framework/to", .parameters = {{"bytes", bytes}, {"through", through}}};
    row.clock = Clock::host;
    row.bytes_one_way = bytes;
    row.median_seconds = seconds;
    return row;
}

TEST(FrameworkTax, IsTheDifferenceBySize) {
    const std::vector<RowSummary> rows{row("libtorch", 1048576, 110e-6), row("runtime", 4096, 2e-6), row("runtime", 1048576, 100e-6), row("libtorch", 4096, 5e-6)};
    const auto taxes = framework_taxes(rows);
    ASSERT_EQ(taxes.size(), 2U);
    EXPECT_EQ(taxes[0].row->bytes_one_way, 4096);
    EXPECT_NEAR(taxes[0].seconds, 3e-6, 1e-15);
    EXPECT_NEAR(taxes[1].part, 0.1, 1e-12);
    const auto text = tax_table(rows, Paper(false));
    EXPECT_NE(text.find("framework/to 4 KiB"), std::string::npos) << text;
    EXPECT_NE(text.find("+3.000 us   +150.0 %\n"), std::string::npos) << text;
}

TEST(FrameworkTax, NeedsBothRowsToBeOk) {
    auto broken = row("runtime", 4096, 2e-6);
    broken.status = Status::wrong;
    auto elsewhere = row("runtime", 4096, 2e-6);
    elsewhere.gpu = "GPU-2";
    auto other_clock = row("runtime", 4096, 2e-6);
    other_clock.clock = Clock::device;
    EXPECT_TRUE(framework_taxes({row("libtorch", 4096, 5e-6), broken, elsewhere, other_clock, row("runtime", 1048576, 1)}).empty());
    EXPECT_EQ(tax_table({row("runtime", 4096, 2e-6)}, Paper(false)), "");
}

}  // namespace
}  // namespace tocuda
