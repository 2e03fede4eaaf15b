// tocuda, Apache-2.0.
// Tests that orders and reports survive encoding, and that incomplete ones are refused.
#include "process/order.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tocuda {
namespace {

const Order order{{"/bin/worker", "", "two words\n"}, {"A=1", "EMPTY="}, 0.1, std::int64_t{1} << 40};
const Report report{"signal", 9, 0.123456789, 3, std::int64_t{5} << 33, true, "resident memory over 4 GiB"};

TEST(Order, SurvivesEncoding) { EXPECT_EQ(order_from(to_bytes(order)), order); }

TEST(Order, MayHaveNoDeadline) {
    auto endless = order;
    endless.seconds = std::numeric_limits<double>::infinity();
    EXPECT_EQ(order_from(to_bytes(endless)), endless);
}

TEST(Order, WithoutCommandIsRefused) { EXPECT_FALSE(order_from(to_bytes(Order{}))); }

TEST(Order, IncompleteBytesAreRefused) {
    const auto bytes = to_bytes(order);
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_FALSE(order_from(std::string_view(bytes).substr(0, length))) << length << " bytes";
}

TEST(Report, SurvivesEncoding) { EXPECT_EQ(report_from(to_bytes(report)), report); }

TEST(Report, IncompleteBytesAreRefused) {
    const auto bytes = to_bytes(report);
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_FALSE(report_from(std::string_view(bytes).substr(0, length))) << length << " bytes";
}

TEST(Report, TrailingBytesAreRefused) { EXPECT_FALSE(report_from(to_bytes(report) + "x")); }

}  // namespace
}  // namespace tocuda
