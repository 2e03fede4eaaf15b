// tocuda, Apache-2.0.
// `bench --forecast` through the whole program: what would be measured, and nothing is.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "command/driven_program_test.hpp"

namespace tocuda {
namespace {

using nlohmann::json;

class ForecastVerb : public testing::Test {
protected:
    ForecastVerb() { place.add_fake_bench(); }

    driven::Finished bench(driven::Words words) const {
        words.insert(words.begin(), "bench");
        return place.run(words, {{"FAKE_LOG", log}});
    }
    json forecast(driven::Words words) const {
        words.insert(words.end(), {"--forecast", "--json"});
        const auto finished = bench(words);
        EXPECT_EQ(finished.code, 0) << finished.err;
        return json::parse(finished.out, nullptr, false);
    }

    driven::Place place;
    const std::string log = place.folder / "asked";
};

TEST_F(ForecastVerb, MeasuresNothing) {
    const auto found = forecast({"fake/steady"});
    EXPECT_FALSE(std::filesystem::exists(log)) << "a worker was asked to measure";
    EXPECT_TRUE(place.files().empty());
    EXPECT_EQ(found["forecast"], true);
    EXPECT_EQ(found["budget_seconds"], 480);
    EXPECT_EQ(found["processes_least"], 6);
    EXPECT_EQ(found["benchmarks"], 1);
    EXPECT_EQ(found["sets"], 3);
    EXPECT_EQ(found["processes"], 6);
    EXPECT_EQ(found["in_time"]["sets"], 3);
    EXPECT_EQ(found["in_time"]["processes"], 6);
    EXPECT_EQ(found["in_time"]["seconds"], found["seconds"]);
    EXPECT_EQ(found["units"].at(0)["gpus"], json::array()) << "it needs none";
}

TEST_F(ForecastVerb, UnitsAreInTheOrderInWhichTheyAreMeasured) {
    const auto found =
        forecast({"fake/steady", "fake/on_gpu", "memory/steady", "--simulate", "2xH200", "--gpus", "all"});
    std::vector<std::string> order;
    for (const auto& unit : found["units"])
        order.push_back(unit["group"].get<std::string>() + " " + unit["benchmark"].get<std::string>() + " " +
                        unit["gpus"].dump());
    EXPECT_EQ(order, (std::vector<std::string>{"memory memory/steady []", "fake fake/on_gpu [0]",
                                               "fake fake/on_gpu [1]", "fake fake/steady []"}));
}

TEST_F(ForecastVerb, SaysWhatDoesNotFitAndWhy) {
    const auto whole = forecast({"memory/steady", "fake/steady"});
    const double enough = 0.75 * whole["seconds"].get<double>();
    const auto found = forecast({"memory/steady", "fake/steady", "--budget", std::to_string(enough)});
    EXPECT_EQ(found["sets"], 6);
    EXPECT_LT(found["in_time"]["sets"], 6);
    EXPECT_LE(found["in_time"]["seconds"].get<double>(), enough);
    EXPECT_EQ(found["units"].at(0)["because"], nullptr) << "the first is whole";
    EXPECT_EQ(found["units"].at(0)["sets_in_time"], 3);
    EXPECT_LT(found["units"].at(1)["sets_in_time"], 3);
    const auto why = found["units"].at(1)["because"].get<std::string>();
    EXPECT_TRUE(why.starts_with("takes about ")) << why;
    EXPECT_EQ(forecast({"memory/steady", "--full"})["budget_seconds"], nullptr);
}

// The simulator's own time interests nobody.
TEST_F(ForecastVerb, SimulatedGpusCostWhatRealOnesAreAssumedTo) {
    const auto found = forecast({"fake/on_gpu", "--simulate", "1xH200", "--jobs", "8"});
    EXPECT_EQ(found["device"], "simulated");
    EXPECT_GT(found["seconds"].get<double>(), 6 * 0.4) << "six contexts";
}

TEST_F(ForecastVerb, WithoutAGpuIsForAnH200) {
    const auto finished = bench({"fake/on_gpu", "--forecast"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.out.find("(1xH200)"), std::string::npos) << finished.out;
    EXPECT_NE(finished.out.find("nothing is measured"), std::string::npos) << finished.out;
    EXPECT_EQ(bench({"fake/on_gpu", "--forecast", "--real"}).code, 4) << "unless real ones are asked for";
}

TEST_F(ForecastVerb, OfAFileIsWhatIsMissing) {
    EXPECT_EQ(bench({"fake/steady", "memory/steady", "--budget", "0.000001"}).code, 4);
    const auto file = place.files().at(0).string();
    const auto size = std::filesystem::file_size(file);
    const auto before = forecast({"--resume", file, "--budget", "100"});
    EXPECT_EQ(before["processes"], 12);
    EXPECT_EQ(std::filesystem::file_size(file), size) << "the file stays as it is";
    EXPECT_EQ(bench({"--resume", file, "--budget", "100"}).code, 0);
    const auto after = forecast({"--resume", file, "--budget", "100"});
    EXPECT_EQ(after["processes"], 0);
    EXPECT_EQ(after["units"], json::array());
}

TEST_F(ForecastVerb, TableNamesGroupsAndWhatIsSkipped) {
    const auto finished = bench({"memory/steady", "fake/on_two", "--forecast", "--simulate", "1xH200"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.out.find("\nmemory\n  memory/steady "), std::string::npos) << finished.out;
    EXPECT_NE(finished.out.find("skipped: fake/on_two: needs 2 GPUs; found 1"), std::string::npos) << finished.out;
}

TEST_F(ForecastVerb, ComparesNoBuilds) { EXPECT_EQ(bench({"fake/steady", "--forecast", "--against", "x"}).code, 2); }

}  // namespace
}  // namespace tocuda
