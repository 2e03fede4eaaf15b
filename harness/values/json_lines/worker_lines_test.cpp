// tocuda, Apache-2.0.
// Worker lines are read back unchanged, and damage is refused with a reason.
#include "json_lines/worker_lines.hpp"

#include <gtest/gtest.h>

#include "json_lines/lines.hpp"

namespace tocuda {
namespace {

TEST(ScenarioLine, IsReadBack) {
    const Scenario scenario{"dtype/double_move",
                            "move a double",
                            {{"000-04", "it raises"}},
                            {.gpus = 1, .arithmetic = true},
                            {{.name = "default",
                              .environment = {{"A", "1"}, {"B", std::nullopt}},
                              .fakes = {"driver 11020"},
                              .simulate = "2x1GiB",
                              .faults = {"cudaMalloc 2 46"},
                              .limits = {.seconds = 5, .resident_bytes = 77},
                              .needs = Needs{.gpus = 2},
                              .expected = {{"000-04", Verdict::refuted}},
                              .program = "tocuda-other"}},
                            true,
                            "where it then is",
                            "whether that is the GPU",
                            {{"move.message", {{"2.11", "one"}, {"2.15", "two"}}, "the words alone", {"default"}}}};
    const auto line = to_line(scenario);
    EXPECT_TRUE(line.starts_with(R"({"kind":"scenario","name":"dtype/double_move")")) << line;
    const auto read = describe_line(line);
    ASSERT_TRUE(read) << read.error().what;
    const auto& again = std::get<Scenario>(*read);
    EXPECT_EQ(to_line(again), line);
    EXPECT_TRUE(again.judges_ends);
    EXPECT_EQ(again.variants[0].environment.at("B"), std::nullopt);
    EXPECT_EQ(again.variants[0].needs->gpus, 2);
    EXPECT_EQ(again.variants[0].faults, std::vector<std::string>{"cudaMalloc 2 46"});
    EXPECT_EQ(again.variants[0].program, "tocuda-other");
    ASSERT_EQ(again.differs.size(), 1U);
    EXPECT_EQ(again.differs[0].says.at("2.15"), "two");
    EXPECT_EQ(again.differs[0].variants, std::vector<std::string>{"default"});
    EXPECT_EQ(again.observed, "where it then is");
    EXPECT_EQ(again.decisive, "whether that is the GPU");
}

TEST(ObservationLine, KeepsTypes) {
    for (const Value& value : {Value{}, Value{true}, Value{1}, Value{1.5}, Value{"x"}, Value{Values{1, "y"}}}) {
        const auto read = observe_line(to_line(Observation{"key", value}));
        ASSERT_TRUE(read) << read.error().what;
        EXPECT_EQ(std::get<Observation>(*read).value, value);
    }
}

TEST(ObservationLine, InvalidUtf8DoesNotThrow) { EXPECT_NO_THROW(to_line(Observation{"key", Value{"\xff\xfe"}})); }

TEST(ObserveLine, RefusesGarbageWithAReason) {
    EXPECT_EQ(observe_line("garbage").error().what, "not JSON");
    EXPECT_EQ(observe_line("[]").error().what, "not a JSON object");
    EXPECT_EQ(observe_line(R"({"kind":7})").error().what, "'kind' has the wrong type");
    EXPECT_EQ(observe_line(R"({"kind":"seen","key":"a"})").error().what, "'value' is missing");
    EXPECT_FALSE(observe_line(R"({"kind":"seen","key":"a","value":NaN})"));
}

TEST(RulingLine, IsReadBack) {
    const auto read = ruling_line(to_line(RulingLine{"a/b", "default", {"000-01", Verdict::partial, "half"}}));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->ruling.verdict, Verdict::partial);
    EXPECT_EQ(read->ruling.because, "half");
}

TEST(RulingLine, RefusesUnknownVerdicts) {
    EXPECT_EQ(ruling_line(R"({"kind":"ruling","name":"a/b","variant":"v","claim":"c","verdict":"maybe","because":""})")
                  .error()
                  .what,
              "'maybe' is not a valid verdict");
}

TEST(RowLine, IsReadBack) {
    const Row row{"a/b",
                  "default",
                  {.device = Device::simulated,
                   .stand_in = {"driver 11020"},
                   .outcome = {"signal", 6, 0.5, "why"},
                   .observations = {{"k", 1, false}},
                   .stderr_tail = "end\xff"},
                  {{"000-01", Verdict::refuted, Verdict::reproduced, "because"}}};
    const auto line = to_line(row);
    EXPECT_TRUE(line.starts_with(R"({"kind":"scenario","name":"a/b","variant":"default","device":"simulated")"))
        << line;
    const auto read = row_line(line);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(to_line(*read), line);
    EXPECT_FALSE(read->evidence.observations[0].computed);
}

TEST(RowLine, ReplacesControlCharactersInTextsAndRefusesThemInNames) {
    Row row{"a/b",
            "default",
            {.stand_in = {"\x1b"},
             .outcome = {"exit", 0, 0.5, "\x1b"},
             .observations = {{"k\x1b", "seen\n\x1b"}},
             .stderr_tail = "a\n\x1b"},
            {{"000-01", Verdict::refuted, Verdict::reproduced, "\x1b[2J"}}};
    const auto read = row_line(to_line(row));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(to_line(*read).find("\\u001b"), std::string::npos) << to_line(*read);
    EXPECT_EQ(read->evidence.stderr_tail, "a\n\xef\xbf\xbd") << "line breaks stay";
    EXPECT_EQ(read->evidence.observations.at(0).value, Value{"seen\n\xef\xbf\xbd"}) << "line breaks stay";
    row.variant = "\x1b";
    EXPECT_EQ(row_line(to_line(row)).error().what, "'variant' contains a control character");
}

TEST(RowLine, RefusesIntegersThatAreTooLarge) {
    auto line = to_line(Row{"a/b", "default", {.observations = {{"k", 1}}}, {}});
    line.replace(line.find(R"("value":1)"), 9, R"("value":18446744073709551615)");
    EXPECT_EQ(row_line(line).error().what, "a value is out of range");
}

}  // namespace
}  // namespace tocuda
