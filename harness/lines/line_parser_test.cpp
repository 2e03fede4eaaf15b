// tocuda, Apache-2.0.
// Any line of a result file: its kind, and what is refused whatever its kind.
#include "lines/line_parser.hpp"

#include <gtest/gtest.h>

#include <string>

#include "lines/measurement_line.hpp"

namespace tocuda {
namespace {

// The bytes behind a line are not part of it, whatever they hold.
std::string taken(LineParser& parser, std::string line) {
    const auto size = line.size();
    line.append(line_padding, '"');
    return parser.take(std::string_view(line).substr(0, size));
}

std::string kind(const std::string& line) {
    LineParser parser;
    const auto wrong = taken(parser, line);
    return wrong.empty() ? std::string(parser.kind()) : wrong;
}

TEST(LineParser, SaysTheKindOfALine) {
    EXPECT_EQ(kind(R"({"kind":"run"})"), "run");
    EXPECT_EQ(kind(R"({"schema":1,"kind":"a newer one"})"), "a newer one");
    EXPECT_EQ(kind(R"({"kind":7})"), "'kind' is of another type");
    EXPECT_EQ(kind(R"({"schema":1})"), "'kind' is missing");
}

TEST(LineParser, DeepNestingIsRefusedBeforeItOverrunsTheStack) {
    const auto nested = [](std::size_t depth) {
        return R"({"kind":"run","x":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
    };
    EXPECT_EQ(kind(nested(200000)), "nested too deeply");
    EXPECT_EQ(kind(nested(62)), "run");
    EXPECT_EQ(kind(R"({"kind":"run","x":"\")" + std::string(100, '[') + R"("})"), "run")
        << "brackets in a text are no nesting";
}

TEST(LineParser, WhatIsNoJsonIsRefused) {
    for (const char* line : {"", "{", "garbage", R"({"kind":"run"} {})", R"({"kind":"run",})"})
        EXPECT_EQ(kind(line), "not JSON") << line;
    // Some versions of simdjson take what begins like no value for a number.
    for (const char* line : {R"({"kind":"run","x":NaN})", R"({"kind":"run","x":'y'})"})
        EXPECT_TRUE(kind(line).starts_with("not JSON")) << kind(line);
    EXPECT_EQ(kind("[]"), "not a JSON object");
    EXPECT_EQ(kind(R"({"kind":"run","x":1e999})"), "not JSON: a number that is too large, or none");
    EXPECT_EQ(kind("{\"kind\":\"run\",\"x\":\"\xc3\x28\"}"), "not JSON: not UTF-8");
}

TEST(LineParser, AKeyThatStandsTwiceIsRefusedWhereverItStands) {
    EXPECT_EQ(kind(R"({"kind":"run","kind":"end"})"), "'kind' stands twice");
    EXPECT_EQ(kind(R"({"kind":"run","gpus":[{"a":1},{"a":1,"b":{"c":[],"c":2}}]})"), "'c' stands twice");
    EXPECT_EQ(kind(R"({"kind":"run","gpus":[{"a":1},{"a":1}]})"), "run");
    EXPECT_EQ(kind(R"({"kind":"run","a":1,"\u0061":1})"), "'a' stands twice") << "however it is written";
    std::string many = R"({"kind":"run")";
    for (int i = 0; i < 100; ++i) many += ",\"k" + std::to_string(i) + "\":0";
    EXPECT_EQ(kind(many + "}"), "run");
    EXPECT_EQ(kind(many + R"(,"k50":1})"), "'k50' stands twice");
}

TEST(LineParser, OneParserReadsLinesOfAnyLengthOneAfterTheOther) {
    const MeasurementRow one{.benchmark = "a", .id = "b", .stand_in = {"runtime"}, .samples = {.seconds = {1, 2, 3}}};
    auto other = one;
    other.stand_in = {};
    other.samples.check = std::string(100000, 'x');
    LineParser parser;
    MeasurementRow read;
    for (const auto& row : {one, other, one}) {
        ASSERT_EQ(taken(parser, to_line(row)), "");
        ASSERT_EQ(parser.to(read), "");
        EXPECT_EQ(read, row) << "nothing is left of the row before";
        EXPECT_NE(taken(parser, "{"), "");
    }
}

}  // namespace
}  // namespace tocuda
