// tocuda, Apache-2.0.
#include <gtest/gtest.h>

#include "json_lines/profile_json.hpp"

namespace tocuda {
namespace {

constexpr auto sound =
    R"({"schema":1,"quantities":[{"benchmark":"b","counts":"touched","alike_from_bytes":null,"all_gpus":false,
"look_at":"x"}],"sources":[{"by":"a","address":"https://a","date":null,"numbers":[{"kind":"measured","gpu":null,
"gpus":2,"benchmark":"b","parameters":{"n":8,"type":"half"},"bytes":1024,"value":2,"unit":"GiB/s",
"counts":"touched"}]}]})";

TEST(PublishedNumbers, AreReadWithTheirUnits) {
    const auto read = published_numbers(sound);
    ASSERT_TRUE(read) << read.error().what;
    ASSERT_EQ(read->numbers.size(), 1U);
    const auto& number = read->numbers.front();
    EXPECT_EQ(number.per_second, 2.0 * (1 << 30));
    EXPECT_EQ(number.gpu, "");
    EXPECT_EQ(number.date, "");
    EXPECT_EQ(number.bytes, 1024);
    EXPECT_EQ(number.parameters, (Parameters{{"n", 8}, {"type", "half"}}));
    EXPECT_FALSE(read->quantities.front().alike_from_bytes);
}

TEST(PublishedNumbers, RefuseUnknownUnitsAndMissingFields) {
    for (const auto* text : {"GiB/s", "\"value\":2,", "\"by\":\"a\","}) {
        std::string damaged = sound;
        damaged.erase(damaged.find(text), std::string_view(text).size());
        EXPECT_FALSE(published_numbers(damaged)) << text;
    }
}

}  // namespace
}  // namespace tocuda
