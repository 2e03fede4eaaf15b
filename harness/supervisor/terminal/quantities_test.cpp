// tocuda, Apache-2.0.
// Sizes are parsed, or refused with a suggestion.
#include "terminal/quantities.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(AmountOf, ReadsWholeAndFractionalSizes) {
    EXPECT_EQ(*amount_of("0"), 0);
    EXPECT_EQ(*amount_of("17"), 17);
    EXPECT_EQ(*amount_of("17B"), 17);
    EXPECT_EQ(*amount_of("4KiB"), 4096);
    EXPECT_EQ(*amount_of("64MiB"), 67108864);
    EXPECT_EQ(*amount_of("1.5GiB"), 1610612736);
}

TEST(AmountOf, NamesTheNearestUnit) {
    EXPECT_NE(amount_of("12MB").error().what.find("did you mean '12MiB'?"), std::string::npos)
        << amount_of("12MB").error().what;
    EXPECT_NE(amount_of("12Q").error().what.find("did you mean"), std::string::npos) << amount_of("12Q").error().what;
    EXPECT_EQ(amount_of("100PiB").error().what, "'100PiB' is too large");
    EXPECT_NE(amount_of("64mib").error().what.find("did you mean '64MiB'?"), std::string::npos);
}

TEST(AmountOf, RefusesInvalidSizes) {
    for (const auto* text : {"", "MiB", "1.2.3KiB", "--1", "-1", "-1KiB", "-0", "nan", "1e3", "0.3", "1.0001KiB",
                             "99999999TiB", "4 KiB", "4KiBs"})
        EXPECT_FALSE(amount_of(text)) << text;
}

TEST(ExactAmount, UsesTheLargestUnitThatIsExact) {
    EXPECT_EQ(exact_amount(0), "0 B");
    EXPECT_EQ(exact_amount(4), "4 B");
    EXPECT_EQ(exact_amount(1000), "1000 B");
    EXPECT_EQ(exact_amount(4096), "4 KiB");
    EXPECT_EQ(exact_amount(1536), "1536 B");
    EXPECT_EQ(exact_amount(std::int64_t{4} << 30), "4 GiB");
}

TEST(SecondsText, HasFourDigitsAndAUnit) {
    EXPECT_EQ(seconds_text(1.5), "1.500 s");
    EXPECT_EQ(seconds_text(0.0123456), "12.35 ms");
    EXPECT_EQ(seconds_text(0.000999999), "1.000 ms");
    EXPECT_EQ(seconds_text(1.5e-9), "1.500 ns");
    EXPECT_EQ(seconds_text(12345.0), "12345 s");
}

TEST(GigabytesText, HasFourDigits) {
    EXPECT_EQ(gigabytes_text(4.8e12), "4800");
    EXPECT_EQ(gigabytes_text(55.634e9), "55.63");
    EXPECT_EQ(gigabytes_text(9.99999e9), "10.00");
    EXPECT_EQ(gigabytes_text(1.9e6), "0.002");
    EXPECT_EQ(gigabytes_text(4e3), "4.0e-06");
}

TEST(NamedValues, BytesHaveNoName) {
    EXPECT_EQ(named_values({{"through", Value("runtime")}, {"bytes", Value(65536)}}), "64 KiB through=runtime");
    EXPECT_EQ(named_values({}), "");
}

TEST(PercentText, UsesMoreDigitsForSmallValues) {
    EXPECT_EQ(percent_text(0.0123), "1.2 %");
    EXPECT_EQ(percent_text(0.0004), "0.04 %");
    EXPECT_EQ(percent_text(1.5), "150 %");
}

}  // namespace
}  // namespace tocuda
