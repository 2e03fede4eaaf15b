// tocuda, Apache-2.0.
// The kind of any line of a result file, and what is refused whatever the kind.
#include <gtest/gtest.h>

#include <string>

#include "json_lines/dom.hpp"
#include "json_lines/lines.hpp"

namespace tocuda {
namespace {

// The bytes after the line are not part of it, whatever they contain.
Expected<void> taken(LineParser& parser, std::string line) {
    const auto size = line.size();
    line.append(line_padding, '"');
    return parser.take(std::string_view(line).substr(0, size));
}

std::string kind(const std::string& line) {
    LineParser parser;
    const auto read = taken(parser, line);
    return read ? std::string(parser.kind()) : read.error().what;
}

TEST(LineParser, ReturnsTheKind) {
    EXPECT_EQ(kind(R"({"kind":"run"})"), "run");
    EXPECT_EQ(kind(R"({"schema":1,"kind":"a newer one"})"), "a newer one");
    EXPECT_EQ(kind(R"({"kind":7})"), "'kind' has the wrong type");
    EXPECT_EQ(kind(R"({"schema":1})"), "'kind' is missing");
}

TEST(LineParser, RefusesDeepNestingBeforeTheStackOverflows) {
    const auto nested = [](std::size_t depth) {
        return R"({"kind":"run","x":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
    };
    EXPECT_EQ(kind(nested(200000)), "nested too deeply");
    EXPECT_EQ(kind(nested(62)), "run");
    EXPECT_EQ(kind(R"({"kind":"run","x":"\")" + std::string(100, '[') + R"("})"), "run")
        << "brackets in a string are not nesting";
}

TEST(LineParser, RefusesInvalidJson) {
    for (const char* line : {"", "{", "garbage", R"({"kind":"run"} {})", R"({"kind":"run",})"})
        EXPECT_EQ(kind(line), "not JSON") << line;
    // Some versions of simdjson treat a token that starts like no value as a number.
    for (const char* line : {R"({"kind":"run","x":NaN})", R"({"kind":"run","x":'y'})"})
        EXPECT_TRUE(kind(line).starts_with("not JSON")) << kind(line);
    EXPECT_EQ(kind("[]"), "not a JSON object");
    EXPECT_EQ(kind(R"({"kind":"run","x":1e999})"), "not JSON: invalid or too large number");
    EXPECT_EQ(kind("{\"kind\":\"run\",\"x\":\"\xc3\x28\"}"), "not JSON: not UTF-8");
}

TEST(LineParser, RefusesDuplicateKeysAtAnyDepth) {
    EXPECT_EQ(kind(R"({"kind":"run","kind":"end"})"), "'kind' appears twice");
    EXPECT_EQ(kind(R"({"kind":"run","gpus":[{"a":1},{"a":1,"b":{"c":[],"c":2}}]})"), "'c' appears twice");
    EXPECT_EQ(kind(R"({"kind":"run","gpus":[{"a":1},{"a":1}]})"), "run");
    EXPECT_EQ(kind(R"({"kind":"run","a":1,"\u0061":1})"), "'a' appears twice") << "even if written with an escape";
    std::string many = R"({"kind":"run")";
    for (int i = 0; i < 100; ++i) many += ",\"k" + std::to_string(i) + "\":0";
    EXPECT_EQ(kind(many + "}"), "run");
    EXPECT_EQ(kind(many + R"(,"k50":1})"), "'k50' appears twice");
}

TEST(LineParser, ReadsConsecutiveLinesOfAnyLength) {
    const MeasurementRow one{.benchmark = "a", .id = "b", .stand_in = {"runtime"}, .samples = {.seconds = {1, 2, 3}}};
    auto other = one;
    other.stand_in = {};
    other.samples.check = std::string(100000, 'x');
    LineParser parser;
    MeasurementRow read;
    for (const auto& row : {one, other, one}) {
        ASSERT_TRUE(taken(parser, to_line(row)));
        ASSERT_TRUE(parser.to(read));
        EXPECT_EQ(read, row) << "nothing is left of the previous row";
        EXPECT_FALSE(taken(parser, "{"));
    }
}

}  // namespace
}  // namespace tocuda
