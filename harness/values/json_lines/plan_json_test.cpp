// tocuda, Apache-2.0.
// Plans in run lines: written and read back, and damaged ones refused with a message.
#include <gtest/gtest.h>

#include "json_lines/lines.hpp"
#include "json_lines/recorded_json.hpp"

namespace tocuda {
namespace {

RunLine with(const Plan& plan) {
    RunLine run{.run = "11111111-2222-4333-8444-555555555555",
                .time = "2026-11-21T10:00:00Z",
                .verb = "bench",
                .session = "66666666-7777-4888-8999-aaaaaaaaaaaa"};
    run.plan = std::make_shared<const Plan>(plan);
    return run;
}

Plan measurement() {
    Plan plan{.where = {.simulate = "2xH200", .gpus = "0,1"},
              .seed = 9,
              .child_seconds = 30,
              .protocol = Protocol{.name = "quick"},
              .rules = RoundRules{.least = 3, .most = 20, .settles = false, .pairs = true},
              .budget_seconds = 60};
    plan.sweeps = {{"copy/x", {{{"bytes", 4096}, {"through", "runtime"}}, {{"bytes", 8192}, {"through", "driver"}}}},
                   {"start/first", {{}}}};
    plan.units = {{0, {0}}, {0, {1}, "needs 4 GiB"}, {1, {0, 1}, "", true}};
    return plan;
}

Plan scenarios() {
    Plan plan{.where = {.real = true}};
    plan.variables = {{"CUDA_VISIBLE_DEVICES", "1"}};
    plan.variants = {{.scenario = "dtype/a", .variant = "default", .device = Device::real},
                     {.scenario = "dtype/a",
                      .variant = "faulty",
                      .device = Device::simulated,
                      .simulation = "1x1GiB",
                      .skipped = "needs 2 GPUs; found 1",
                      .variables = {{"A", "b"}, {"LD_PRELOAD", std::nullopt}}}};
    return plan;
}

TEST(PlanInRunLine, IsReadAsWritten) {
    for (const auto& plan : {measurement(), scenarios(), Plan{}}) {
        const auto read = run_line(to_line(with(plan)));
        ASSERT_TRUE(read.has_value()) << read.error().what;
        ASSERT_TRUE(read->plan);
        EXPECT_EQ(*read->plan, plan);
    }
}

TEST(PlanInRunLine, IsAbsentInOlderFiles) {
    auto run = with({});
    run.plan.reset();
    const auto read = run_line(to_line(run));
    ASSERT_TRUE(read.has_value()) << read.error().what;
    EXPECT_FALSE(read->plan);
}

TEST(PlanInRunLine, WritesNamesOfParametersOncePerSweep) {
    const auto text = to_line(with(measurement()));
    EXPECT_EQ(text.find("through"), text.rfind("through"));
}

TEST(PlanInRunLine, ReplacesControlCharactersInReasons) {
    auto plan = scenarios();
    plan.variants[1].skipped = "found\nnothing";
    EXPECT_TRUE(run_line(to_line(with(plan))));
}

struct Damage {
    const char* from;
    const char* to;
    const char* says;
};

class DamagedPlan : public testing::TestWithParam<Damage> {};

TEST_P(DamagedPlan, IsRefusedWithMessage) {
    const auto& [from, to, says] = GetParam();
    auto plan = measurement();
    plan.variants = scenarios().variants;
    auto text = to_line(with(plan));
    const auto place = text.find(from, text.find("\"plan\""));
    ASSERT_NE(place, std::string::npos) << from;
    text.replace(place, std::string(from).size(), to);
    const auto read = run_line(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().what.find(says), std::string::npos) << read.error().what;
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedPlan,
    testing::Values(Damage{"\"sweep\":0", "\"sweep\":2", "names a sweep that is not planned"},
                    Damage{"\"sweep\":0", "\"sweep\":-1", "'sweep' is not a whole number"},
                    Damage{"\"gpus\":[0]", "\"gpus\":[-1]", "'gpus' is out of range"},
                    Damage{"\"gpus\":[0]", "\"gpus\":[99999999999]", "'gpus' is out of range"},
                    Damage{"\"gpus\":[0]", "\"gpus\":[0,0]", "a GPU twice"},
                    Damage{"\"least\":3", "\"least\":0", "'least' is out of range"},
                    Damage{"\"most\":20", "\"most\":2000000000", "'most' is out of range"},
                    Damage{"\"most\":20", "\"most\":2", "contradict"},
                    Damage{"\"budget_s\":60.0", "\"budget_s\":-1", "'budget_s' is out of range"},
                    Damage{"\"child_s\":30.0", "\"child_s\":1e300", "'child_s' is out of range"},
                    Damage{"\"launches_max\":50", "\"launches_max\":2000000000", "'launches_max' is out of range"},
                    Damage{"\"processes_min\":6", "\"processes_min\":0", "'processes_min' is out of range"},
                    Damage{"[4096,\"runtime\"]", "[4096]", "one value for each parameter"},
                    Damage{"[4096,\"runtime\"]", "[8192,\"driver\"]", "planned twice"},
                    Damage{"[4096,\"runtime\"]", "[{},\"runtime\"]", "a value is an object"},
                    Damage{"\"sets\":[[]]", "\"sets\":[]", "has no parameter set"},
                    Damage{"start/first", "copy/x", "planned twice"},
                    Damage{"\"variant\":\"faulty\"", "\"variant\":\"default\"", "planned twice"},
                    Damage{"\"device\":\"real\"", "\"device\":\"unreal\"", "not a valid device"},
                    Damage{"\"A\":\"b\"", "\"A\":7", "'A' has the wrong type"},
                    Damage{"\"where\":", "\"wherever\":", "'where' is not an object"},
                    Damage{"\"copy/x\"", "\"copy\\u0007x\"", "control character"}),
    [](const auto& one) { return "Number" + std::to_string(one.index); });

}  // namespace
}  // namespace tocuda
