// tocuda, Apache-2.0.
// What the worker with benchmarks answers, word by word.
#include "measurement/answer.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "lines/benchmark.hpp"

namespace tocuda {
namespace {

struct Answered {
    int code = 0;
    std::vector<std::string> lines{};
    std::string complaint{};
};

Answered ask(const std::vector<std::string>& words, const std::string& input = "") {
    const Measurable doubling{{.name = "copy/twice", .summary = "s", .parameters = {{"bytes", {16}}}},
                              [](const std::vector<Parameters>& sets, const SaySamples& say) {
                                  for (const auto& set : sets) say({.parameters = set, .seconds = {0.5}});
                              }};
    std::istringstream sets(input);
    std::ostringstream complaint;
    Answered answered;
    const Conversation with{sets, [&](const std::string& line) { answered.lines.push_back(line); }, complaint};
    answered.code = answer(words, {doubling}, with);
    answered.complaint = complaint.str();
    return answered;
}

TEST(Answer, DescribeBeginsWithTheProtocol) {
    const auto answered = ask({"describe"});
    ASSERT_EQ(answered.lines.size(), 2U);
    EXPECT_EQ(answered.lines[0].find(R"({"kind":"worker","protocol":1)"), 0U) << answered.lines[0];
    EXPECT_EQ(benchmark_line(answered.lines[1])->name, "copy/twice");
}

TEST(Answer, MeasureSaysALineForEachSetInTheirOrder) {
    const auto answered = ask({"measure", "copy/twice"}, "{\"bytes\":7}\n{\"bytes\":5}\n");
    ASSERT_EQ(answered.lines.size(), 2U);
    EXPECT_EQ(samples_line(answered.lines[0])->parameters, (Parameters{{"bytes", 7}}));
    EXPECT_EQ(samples_line(answered.lines[1])->parameters, (Parameters{{"bytes", 5}}));
    EXPECT_EQ(answered.code, 0);
}

TEST(Answer, NoSetsIsNothingToDo) {
    const auto answered = ask({"measure", "copy/twice"});
    EXPECT_EQ(answered.code, 0);
    EXPECT_TRUE(answered.lines.empty());
}

class BadSet : public testing::TestWithParam<std::pair<const char*, const char*>> {};
TEST_P(BadSet, IsRefusedBeforeAnythingIsMeasured) {
    const auto answered = ask({"measure", "copy/twice"}, std::string("{\"bytes\":7}\n") + GetParam().first + "\n");
    EXPECT_EQ(answered.code, 2);
    EXPECT_TRUE(answered.lines.empty());
    EXPECT_EQ(answered.complaint, std::string("parameter set 2: ") + GetParam().second + "\n");
}
INSTANTIATE_TEST_SUITE_P(Answer, BadSet,
                         testing::Values(std::pair{"garbage", "not JSON"}, std::pair{"{}", "'bytes' is missing"},
                                         std::pair{R"({"bytes":-1})", "'bytes' is negative"},
                                         std::pair{R"({"bytes":"7"})", "'bytes' is of another type"},
                                         std::pair{R"({"bytes":7.5})", "'bytes' is of another type"},
                                         std::pair{R"({"bytes":7,"stride":1})", "'stride' is no parameter of copy/twice"}));

class BadWords : public testing::TestWithParam<std::pair<std::vector<std::string>, const char*>> {};
TEST_P(BadWords, AreAUsageError) {
    const auto answered = ask(GetParam().first);
    EXPECT_EQ(answered.code, 2);
    EXPECT_EQ(answered.complaint, GetParam().second);
}
INSTANTIATE_TEST_SUITE_P(
    Answer, BadWords,
    testing::Values(std::pair{std::vector<std::string>{}, "describe | measure NAME\n"},
                    std::pair{std::vector<std::string>{"measure"}, "describe | measure NAME\n"},
                    std::pair{std::vector<std::string>{"measure", "copy/thrice"}, "no benchmark is called copy/thrice\n"},
                    std::pair{std::vector<std::string>{"observe", "dtype/double_move", "default"},
                              "no scenario is called dtype/double_move\n"},
                    std::pair{std::vector<std::string>{"judge"}, "this worker holds no scenarios\n"}));

}  // namespace
}  // namespace tocuda
