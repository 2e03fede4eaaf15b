// tocuda, Apache-2.0.
#include <gtest/gtest.h>

#include "printing/bench_table.hpp"

namespace tocuda {
namespace {

TEST(TaxTable, HasARowForEachTax) {
    const FrameworkTax slower{
        .benchmark = "framework/to", .parameters = {{"bytes", 4096}}, .ratio = 2.5, .extra_seconds = 3e-6};
    const FrameworkTax quicker{
        .benchmark = "framework/copy", .parameters = {{"bytes", 4096}}, .ratio = 0.9, .extra_seconds = -1e-6};
    const auto text = tax_table({slower, quicker}, Paper(false));
    EXPECT_NE(text.find("framework/to 4 KiB"), std::string::npos) << text;
    EXPECT_NE(text.find("+3.000 us   +150.0 %\n"), std::string::npos) << text;
    EXPECT_NE(text.find("-1.000 us    -10.0 %\n"), std::string::npos) << text;
}

TEST(TaxTable, WithoutATaxThereIsNone) { EXPECT_EQ(tax_table({}, Paper(false)), ""); }

}  // namespace
}  // namespace tocuda
