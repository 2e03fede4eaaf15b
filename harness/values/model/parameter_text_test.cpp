// tocuda, Apache-2.0.
// Parameters have the same text on every machine.
#include <gtest/gtest.h>

#include <algorithm>

#include "model/parameter_values.hpp"

namespace tocuda {
namespace {

TEST(ParameterText, ValuesAreOneWord) {
    EXPECT_EQ(plain(Value{std::int64_t{4} << 30}), "4294967296");
    EXPECT_EQ(plain(Value{-1}), "-1");
    EXPECT_EQ(plain(Value{0.1}), "0.1");
    EXPECT_EQ(plain(Value{true}), "true");
    EXPECT_EQ(plain(Value{}), "null");
    EXPECT_EQ(plain(Value{Values{1, "two"}}), "1,two");
}

TEST(ParameterText, NamesAreSorted) {
    EXPECT_EQ(plain(Parameters{{"to", "half"}, {"bytes", 4096}, {"from", "double"}}), "bytes=4096 from=double to=half");
    EXPECT_EQ(plain(Parameters{}), "");
}

TEST(ParameterText, NumbersAreOrderedByValueAndBeforeWords) {
    std::vector<std::string> values{"fresh", "1024", "64", "-1", "nan", "0.5", "128", "1048576"};
    std::ranges::sort(values, ByValue{});
    EXPECT_EQ(values, (std::vector<std::string>{"-1", "0.5", "64", "128", "1024", "1048576", "fresh", "nan"}));
}

TEST(Counted, LinkCarriesEachByteOnceUnlessPeakSaysOtherwise) {
    for (const auto* link : {"copy/host_to_device/pinned", "copy/device_to_host/staged", "copy/both_ways/pinned"})
        EXPECT_EQ(counted_by({}, role_of(link), false), Counted::one_way) << link;
    for (const auto* memory : {"copy/device_to_device/vector16", "memory/triad", "of/nobody"}) {
        EXPECT_EQ(counted_by({}, role_of(memory), false), Counted::touched) << memory;
        EXPECT_EQ(counted_by({}, role_of(memory), true), Counted::one_way) << memory;
    }
    EXPECT_EQ(counted_by({1, "", Counted::one_way}, Role{}, false), Counted::one_way);
    EXPECT_EQ(counted_by({1, "", Counted::touched}, Role{.over_link = true}, false), Counted::touched);
}

}  // namespace
}  // namespace tocuda
