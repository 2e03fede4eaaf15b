// tocuda, Apache-2.0.
// What `bench` measures, how often, in which order, and what it prints, with a worker whose times are invented.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "command/driven_program_test.hpp"
#include "model/measurement.hpp"

namespace tocuda {
namespace {

class Bench : public testing::Test {
protected:
    Bench() { place.add_fake_bench(); }

    driven::Finished bench(driven::Words words, const driven::Variables& more = {}) {
        words.insert(words.begin(), "bench");
        return place.run(words, more);
    }
    nlohmann::json document(driven::Words words) {
        words.push_back("--json");
        const auto finished = bench(words);
        EXPECT_EQ(finished.code, 0) << finished.err;
        return nlohmann::json::parse(finished.out);
    }
    std::vector<MeasurementRow> rows() const {
        std::vector<MeasurementRow> all;
        const auto recording = place.recording();
        for (const auto& section : recording.sections)
            for (const auto& one : section.measurements) all.push_back(one.row);
        return all;
    }
    // What the worker was asked to measure when `bench` is run with these words.
    std::string asked(driven::Words words) {
        const auto log = place.folder / "asked";
        std::filesystem::remove(log);
        words.insert(words.end(), {"--quick", "--output", place.folder / "elsewhere"});
        const auto finished = bench(words, {{"FAKE_LOG", log}});
        EXPECT_EQ(finished.code, 0) << finished.err;
        return driven::text_of(log);
    }
    void expect_usage(const driven::Words& words, const std::string& what) {
        const auto finished = bench(words);
        EXPECT_EQ(finished.code, 2) << finished.err;
        EXPECT_NE(finished.err.find(what), std::string::npos) << finished.err;
        EXPECT_EQ(driven::lines_in(finished.err), 1U) << finished.err;
        EXPECT_EQ(finished.out, "");
        EXPECT_TRUE(place.files().empty());
    }

    driven::Place place;
};

TEST_F(Bench, BadInputGetsOneLineWithSuggestion) {
    expect_usage({"--bytes", "12Q"}, "did you mean");
    expect_usage({"--bytes", "-1"}, "below zero");
    expect_usage({"--bytes", "0"}, "nothing to measure");
    expect_usage({"--bytes", "1GiB..4KiB"}, "ends before it begins");
    expect_usage({"fake/stedy"}, "did you mean 'fake/steady'?");
    expect_usage({"fake/turns", "thruogh=runtime"}, "did you mean 'through'?");
    expect_usage({"fake/turns", "through=runtme"}, "did you mean 'runtime'?");
    expect_usage({"fake/turns", "through=a..b"}, "has no range");
    expect_usage({"bytes=4KiB", "--bytes", "4KiB"}, "chosen twice");
    expect_usage({"--quick", "--full"}, "exclude each other");
    expect_usage({"characterise", "--full"}, "cannot be combined");
    expect_usage({"characterise", "bytes=4KiB"}, "cannot be combined");
    expect_usage({"--bugdet", "3"}, "did you mean '--budget'?");
    expect_usage({"--simulate", "lots"}, "lots");
    expect_usage({"fake/steady", "--resume", "x"}, "--resume");
}

TEST_F(Bench, WithoutGpuItSuggestsDriverOrSimulation) {
    const auto finished =
        bench({"fake/on_gpu"}, {{"LD_LIBRARY_PATH", driven::tests_folder().parent_path() / "simulator/absent"}});
    EXPECT_EQ(finished.code, 4) << finished.err;
    EXPECT_NE(finished.err.find("--simulate 1xH200"), std::string::npos) << finished.err;
    EXPECT_NE(finished.err.find("driver"), std::string::npos) << finished.err;
    EXPECT_TRUE(place.files().empty());
}

TEST_F(Bench, MeasuresRowsThatSettleExactlySixTimes) {
    EXPECT_EQ(bench({"fake/steady"}).code, 0);
    std::map<std::int64_t, std::set<int>> rounds;
    std::set<int> processes;
    for (const auto& row : rows()) {
        rounds[std::get<std::int64_t>(row.samples.parameters.at("bytes").held)].insert(row.round);
        processes.insert(row.process);
    }
    EXPECT_EQ(rounds.size(), 3U);
    for (const auto& [bytes, of] : rounds) EXPECT_EQ(of, (std::set<int>{1, 2, 3, 4, 5, 6})) << bytes;
    EXPECT_EQ(processes.size(), 6U) << "one process measures all sets";
}

TEST_F(Bench, MeasuresUnsettledRowsUpToMaximumProcesses) {
    const auto found = document({"fake/noisy", "fake/steady", "--bytes", "4KiB"});
    for (const auto& row : found["rows"]) {
        const bool noisy = row["benchmark"] == "fake/noisy";
        EXPECT_EQ(row["stopped"], noisy ? "processes" : "settled");
        EXPECT_EQ(row["processes"], noisy ? 30 : 6);
    }
}

TEST_F(Bench, QuickMeasuresMoreThanThreeProcessesIfTimeAllows) {
    const auto log = place.folder / "asked";
    const auto finished = bench({"fake/noisy", "fake/steady", "--quick", "--json"}, {{"FAKE_LOG", log}});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.err.find("2 benchmarks with 2 parameter sets: 3 processes of each in about "), std::string::npos)
        << finished.err;
    EXPECT_NE(finished.err.find(", then more until its interval is narrow, at most 60 s"), std::string::npos)
        << finished.err;
    EXPECT_GE(driven::lines_in(driven::text_of(log)), 12U) << "there was time for an interval";
}

TEST_F(Bench, PrintsForecastBeforeItStarts) {
    const auto out = std::regex_replace(bench({"fake/steady"}).out, std::regex("\n  "), " ");
    EXPECT_NE(out.find("1 benchmark with 3 parameter sets: 6 processes of each in about "), std::string::npos) << out;
    EXPECT_NE(out.find(", at most 8 minutes"), std::string::npos) << out;
    const auto full = std::regex_replace(bench({"fake/steady", "--full"}).out, std::regex("\n  "), " ");
    EXPECT_NE(full.find(", no time limit"), std::string::npos) << full;
}

TEST_F(Bench, DocumentHasAllFieldsOfContract) {
    const auto found = document({"fake/flagged", "--bytes", "4KiB"});
    EXPECT_EQ(found["device"], "none");
    EXPECT_TRUE(std::filesystem::exists(place.folder / found["file"].get<std::string>()));
    const auto& row = found["rows"].at(0);
    for (const auto* field :
         {"benchmark", "parameters", "id", "device", "clock", "status", "median_seconds", "interval_seconds",
          "interval_level", "bytes_per_second_one_way", "bytes_per_second_touched", "percent_of_peak", "processes",
          "samples", "detectable_change", "flags"})
        EXPECT_TRUE(row.contains(field)) << field;
    EXPECT_NEAR(row["median_seconds"].get<double>(), 1.4096e-6, 1e-12);
    EXPECT_EQ(row["samples"], 18);
    EXPECT_EQ(row["flags"], nlohmann::json::array({"sw_power_cap"}));
    EXPECT_EQ(row["id"].get<std::string>().size(), 16U);
    EXPECT_EQ(found["run"], place.recording().sections.at(0).run.run);
}

TEST_F(Bench, FileNamesProtocolSeedAndCompiler) {
    bench({"fake/steady", "--quick", "--seed", "7"});
    const auto run = place.recording().sections.at(0).run;
    ASSERT_TRUE(run.protocol);
    EXPECT_EQ(run.protocol->name, "quick");
    EXPECT_EQ(run.protocol->processes_min, 3);
    EXPECT_EQ(run.seed, 7U);
    EXPECT_EQ(run.cuda.runtime, "13.0");
    EXPECT_EQ(run.cuda.toolkit, "13.0.88");
    EXPECT_EQ(run.cuda.architectures, (std::vector<std::string>{"90a", "120"}));
    EXPECT_EQ(place.recording().sections.at(0).end.value_or(EndLine{}).status, "complete");
}

TEST_F(Bench, FileHasTheLabelsOfTheHost) {
    bench({"fake/steady", "--bytes", "4KiB", "--label", "rack=r12,wave=2"});
    const std::map<std::string, std::string> labels{{"rack", "r12"}, {"wave", "2"}};
    EXPECT_EQ(place.recording().sections.at(0).run.labels, labels);
    EXPECT_EQ(bench({"fake/steady", "--bytes", "4KiB", "--label", "rack=r12", "--label", "wave=2"}).code, 0);
    for (const auto* wrong : {"rack", "=r12", "rack=", "a=1,a=2", "a=1,,b=2"}) {
        const auto refused = bench({"fake/steady", "--label", wrong});
        EXPECT_EQ(refused.code, 2) << wrong;
        EXPECT_EQ(driven::lines_in(refused.err), 1U) << refused.err;
    }
}

TEST_F(Bench, SameSeedMeasuresInSameOrder) {
    const driven::Words words{"fake/steady", "fake/turns", "fake/flagged", "--bytes", "4KiB..1MiB", "--seed", "5"};
    const auto first = asked(words);
    EXPECT_NE(first, "");
    EXPECT_EQ(asked(words), first);
    EXPECT_NE(asked({"fake/steady", "fake/turns", "fake/flagged", "--bytes", "4KiB..1MiB", "--seed", "6"}), first);
}

TEST_F(Bench, AlternatingSetsAreAdjacent) {
    const auto text = asked({"fake/turns", "--seed", "3"});
    std::string before;
    std::size_t pairs = 0;
    for (std::size_t at = text.find("\"bytes\":"), count = 0; at != std::string::npos;
         at = text.find("\"bytes\":", at + 1), ++count) {
        const auto bytes = text.substr(at, text.find(',', at) - at);
        if (count % 2 == 1) pairs += bytes == before ? 1U : 1000U;
        before = bytes;
    }
    EXPECT_EQ(pairs, 18U) << text;
}

TEST_F(Bench, ChoosesSizesByValueListAndRange) {
    EXPECT_EQ(document({"fake/steady", "--quick", "--bytes", "17"})["rows"][0]["parameters"]["bytes"], 17);
    EXPECT_EQ(document({"fake/steady", "--quick", "--bytes", "1KiB,3KiB"})["rows"].size(), 2U);
    EXPECT_EQ(document({"fake/steady", "--quick", "bytes=1KiB..64KiB"})["rows"].size(), 4U) << "1, 4, 16 and 64 KiB";
    EXPECT_EQ(document({"fake/steady", "--full"})["rows"].size(), 4U);
}

TEST_F(Bench, TableFitsEightyColumnsAndNamesFile) {
    const auto finished = bench({"fake/steady", "fake/turns", "fake/flagged"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_LE(driven::widest_line(finished.out), 80U) << finished.out;
    EXPECT_NE(finished.out.find(place.files().at(0).filename()), std::string::npos);
    for (const auto* words :
         {"fake/  host clock", "\n  steady ", "1 MiB", "105.9 us", "9.906", "through=runtime",
          "the GPU was at its power limit", "A  20.00 GB/s touched: made up", "start-up 1.000 us, then 10.00 GB/s"})
        EXPECT_NE(finished.out.find(words), std::string::npos) << words << "\n" << finished.out;
    EXPECT_EQ(finished.out.find('\x1b'), std::string::npos);
}

TEST_F(Bench, HelpFitsEightyColumnsAndEndsWithTwoExamples) {
    const auto finished = bench({"--help"});
    EXPECT_EQ(finished.code, 0);
    EXPECT_LE(driven::widest_line(finished.out), 80U) << finished.out;
    const auto examples = finished.out.find("Examples:");
    ASSERT_NE(examples, std::string::npos);
    EXPECT_EQ(driven::lines_in(finished.out.substr(examples)), 3U) << finished.out;
}

TEST_F(Bench, ListAndShowKnowBenchmarks) {
    const auto list = place.run({"list", "fake/"});
    EXPECT_EQ(list.code, 0) << list.err;
    EXPECT_NE(list.out.find("fake/steady"), std::string::npos);
    EXPECT_LE(driven::widest_line(list.out), 80U) << list.out;
    bench({"fake/steady", "--quick"});
    const auto show = place.run({"show", "fake/steady"});
    EXPECT_EQ(show.code, 0) << show.err;
    EXPECT_LE(driven::widest_line(show.out), 80U) << show.out;
    for (const auto* words : {"is made up", "host clock", "4 KiB, 64 KiB, 1 MiB", "1.410 us"})
        EXPECT_NE(show.out.find(words), std::string::npos) << words << "\n" << show.out;
    const auto json = nlohmann::json::parse(place.run({"show", "fake/steady", "--json"}).out);
    ASSERT_EQ(json["last"].size(), 1U);
    const auto id = json["last"][0]["id"].get<std::string>();
    EXPECT_EQ(place.run({"show", id.substr(0, 8)}).out, show.out) << "the only row";
    const auto by_value = place.run({"show", "fake/steady", "bytes=7"});
    EXPECT_EQ(by_value.code, 2) << by_value.out;
    EXPECT_NE(by_value.err.find("no row with bytes=7; available: bytes="), std::string::npos) << by_value.err;
}

TEST_F(Bench, ShowNamesTheLastValueAndANewerRunWithoutOne) {
    bench({"fake/wrong", "--quick", "--bytes", "64KiB"});
    const auto none = place.run({"show", "fake/wrong"}).out;
    EXPECT_NE(none.find("last tried, without any value, "), std::string::npos) << none;
    EXPECT_EQ(none.find("last measured"), std::string::npos) << none;
    const auto newer = place.files().at(0);
    bench({"fake/wrong", "--quick", "--bytes", "4KiB"});
    for (const auto& file : place.files())
        if (file != newer) std::filesystem::rename(file, place.results / "20000101T000000Z-bench-none-0.jsonl");
    const auto shown = place.run({"show", "fake/wrong"}).out;
    EXPECT_NE(shown.find("last measured on no GPU, 20000101T000000Z"), std::string::npos) << shown;
    EXPECT_NE(shown.find("is newer, but has no value: wrong"), std::string::npos) << shown;
}

TEST_F(Bench, ValuesThatAreNeverValidAreUsageErrors) {
    expect_usage({"fake/limited", "bytes=4"}, "bytes=4: fake/limited: bytes must be at least 16, not 4");
    expect_usage({"fake/limited", "bytes=64,4"}, "bytes=4: fake/limited: bytes must be at least 16, not 4");
    EXPECT_EQ(document({"fake/limited", "--quick", "bytes=4..64"})["rows"].size(), 2U);
    EXPECT_EQ(document({"fake/limited", "fake/steady", "--quick", "bytes=4"})["rows"].size(), 1U);
    const auto shown = place.run({"show", "fake/limited"}).out;
    EXPECT_NE(shown.find("allowed: "), std::string::npos) << shown;
}

}  // namespace
}  // namespace tocuda
