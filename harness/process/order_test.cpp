// tocuda, Apache-2.0.
// Orders and reports survive the way from process to process, and half of one is none.
#include "process/order.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tocuda {
namespace {

const Order order{{"/bin/worker", "", "two words\n"}, {"A=1", "EMPTY="}, 0.1, std::int64_t{1} << 40};
const Report report{"signal", 9, 0.123456789, 3, std::int64_t{5} << 33, true, "resident memory over 4 GiB"};

TEST(Order, ComesBackAsItWas) { EXPECT_EQ(order_from(to_bytes(order)), order); }

TEST(Order, MayHaveNoDeadline) {
    auto endless = order;
    endless.seconds = std::numeric_limits<double>::infinity();
    EXPECT_EQ(order_from(to_bytes(endless)), endless);
}

TEST(Order, WithNoCommandIsNone) { EXPECT_FALSE(order_from(to_bytes(Order{}))); }

TEST(Order, AnyPartOfOneIsNone) {
    const auto bytes = to_bytes(order);
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_FALSE(order_from(std::string_view(bytes).substr(0, length))) << length << " bytes";
}

TEST(Report, ComesBackAsItWas) { EXPECT_EQ(report_from(to_bytes(report)), report); }

TEST(Report, AnyPartOfOneIsNone) {
    const auto bytes = to_bytes(report);
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_FALSE(report_from(std::string_view(bytes).substr(0, length))) << length << " bytes";
}

TEST(Report, WithMoreBehindItIsNone) { EXPECT_FALSE(report_from(to_bytes(report) + "x")); }

}  // namespace
}  // namespace tocuda
