// tocuda, Apache-2.0.
// `compare` on the first day: one boot a side, and what is likely.
#include <algorithm>
#include <regex>

#include "command/comparing_test.hpp"

namespace tocuda {
namespace {

using Verdicts = std::vector<std::string>;

class ComparingOnTheFirstDay : public Comparing {
protected:
    // A boot of a host of eight GPUs. The first row is slower by 3.0 to 3.1 % where `factor` says so.
    void boot(const std::string& folder, int session, const std::string& driver, double factor,
              const std::string& host = "node01", const std::string& rack = "", double watts = 700) const {
        auto run = run_of(session, driver);
        run.machine.host = host;
        if (!rack.empty()) run.labels["rack"] = rack;
        run.gpus.clear();
        std::vector<MeasurementRow> rows;
        for (int gpu = 0; gpu < 8; ++gpu) {
            const auto uuid = "GPU-" + host + "-" + std::to_string(gpu);
            run.gpus.push_back({.index = gpu, .uuid = uuid, .name = "NVIDIA H200", .power_limit_w = watts});
            for (auto row : rows_of(session, factor == 1 ? 1 : factor + 1e-4 * gpu)) {
                row.samples.gpu = uuid;
                row.samples.seconds[0] *= (1 + 0.02 * gpu) * (1 + 1e-4 * row.process);
                rows.push_back(row);
            }
        }
        write(folder + "/" + two_digits(session) + ".jsonl", run, rows);
    }
    void one_boot_a_side() const {
        boot("old", 1, "570.86.15", 1);
        boot("new", 2, "580.95.05", 1.03);
    }
};

TEST_F(ComparingOnTheFirstDay, LeansWhereNothingIsKnown) {
    one_boot_a_side();
    const auto found = document({"old", "new"}, 0);
    EXPECT_EQ(verdicts(found), (Verdicts{"undecided", "undecided"}));
    const auto& row = found["rows"][1];
    EXPECT_EQ(row["leans"], "slower");
    EXPECT_EQ(row["gpus"], 8);
    EXPECT_FALSE(row.contains("gpu"));
    EXPECT_EQ(row["start_noise"], nullptr);
    EXPECT_EQ(row["source"], nullptr);
    EXPECT_EQ(row["not_excluded"], nullptr);
    EXPECT_NEAR(row["chance_above"], 0.0305 / 2.576 / std::sqrt(2), 0.0005);
    EXPECT_EQ(compare({"old", "new", "--strict"}).code, 3);
    const auto hopeless = compare({"old", "new", "--fail-on", "likely"});
    EXPECT_EQ(hopeless.code, 0);
    EXPECT_NE(hopeless.err.find("no row can be called likely"), std::string::npos) << hopeless.err;
    const auto told = compare({"old", "new"});
    EXPECT_NE(told.out.find("device clock, 8 GPUs together"), std::string::npos) << told.out;
    EXPECT_NE(told.out.find("leans slower by 3."), std::string::npos) << told.out;
    EXPECT_NE(told.out.find("--start-noise"), std::string::npos) << told.out;
    EXPECT_LE(driven::widest_line(told.out), 80U) << told.out;
}

TEST_F(ComparingOnTheFirstDay, IsLikelyWhereTheNoiseIsTakenAsKnown) {
    one_boot_a_side();
    const auto found = document({"old", "new", "--start-noise", "0.2%"}, 0);
    EXPECT_EQ(verdicts(found), (Verdicts{"undecided", "likely slower"}));
    EXPECT_EQ(found["totals"]["likely slower"], 1);
    EXPECT_EQ(found["rows"][1]["start_noise"], 0.002);
    EXPECT_EQ(found["rows"][1]["source"], "assumed");
    EXPECT_LT(found["rows"][0]["not_excluded"], 0.01);
    EXPECT_EQ(document({"old", "new", "--start-noise", "0.2%", "--fail-on", "likely"}, 1)["rows"], found["rows"]);
    EXPECT_EQ(document({"new", "old", "--start-noise", "0.2", "--fail-on", "likely"}, 0)["rows"][1]["verdict"],
              "likely faster");
    EXPECT_EQ(verdicts(document({"old", "new", "--start-noise", "calls/=0.2%"}, 0)),
              (Verdicts{"undecided", "undecided"}));
    EXPECT_EQ(verdicts(document({"old", "new", "--start-noise", "9%,copy/host_to_device/=0.2%"}, 0)),
              (Verdicts{"undecided", "likely slower"}));
    const auto told = compare({"old", "new", "--start-noise", "0.2%"});
    EXPECT_NE(told.out.find("likely slower by 3."), std::string::npos) << told.out;
    EXPECT_NE(std::regex_replace(told.out, std::regex("\\s+"), " ").find("Starts are assumed to differ by 0.2 %"),
              std::string::npos)
        << told.out;
    EXPECT_NE(told.out.find("assumed  starts have a standard deviation of 0.2 % without any change"), std::string::npos)
        << told.out;
    EXPECT_NE(told.out.find("2 rows: 0 slower, 0 faster, 1 likely slower, 0 same, 1 undecided, 0 invalid; no\n"
                            "  slow-down above 0.8 % in 1 undecided row (likely); all 8 GPUs of one host:\n"
                            "  +3.0 to +3.1 %, which counts as one witness\n"),
              std::string::npos)
        << told.out;
    EXPECT_LE(driven::widest_line(told.out), 80U) << told.out;
    const auto ticket = compare({"old", "new", "--start-noise", "0.2%", "--ticket"}).out;
    EXPECT_NE(ticket.find("(Starts are assumed to differ by 0.2 %; they would have to differ by "), std::string::npos)
        << ticket;
}

TEST_F(ComparingOnTheFirstDay, IsLikelyByTheHistoryOfThisHostOrOfThreeLikeIt) {
    one_boot_a_side();
    for (int session = 3; session <= 13; ++session) boot("own", session, "570.86.15", 1);
    const auto own = document({"old", "new", "--history", "own"}, 0);
    EXPECT_EQ(own["rows"][1]["verdict"], "likely slower");
    EXPECT_EQ(own["rows"][1]["source"], "recorded of these GPUs");
    for (int session = 3; session <= 14; ++session)
        boot("two", session, "570.86.15", 1, session % 2 == 0 ? "node02" : "node03");
    EXPECT_EQ(document({"old", "new", "--history", "two"}, 0)["rows"][1]["verdict"], "undecided");
    for (int session = 3; session <= 17; ++session)
        boot("three", session, "570.86.15", 1, "node0" + std::to_string(2 + session % 3));
    const auto three = document({"old", "new", "--history", "three"}, 0);
    EXPECT_EQ(three["rows"][1]["verdict"], "likely slower");
    EXPECT_EQ(three["rows"][1]["source"], "recorded of 3 machines like this");
}

TEST_F(ComparingOnTheFirstDay, IsSureOfEightHosts) {
    for (int host = 1; host <= 8; ++host) {
        boot("old", host, "570.86.15", 1, "node0" + std::to_string(host));
        boot("new", host + 10, "580.95.05", 1.03, "node0" + std::to_string(host));
    }
    const auto found = document({"old", "new"}, 1);
    EXPECT_EQ(verdicts(found), (Verdicts{"same", "slower"}));
    EXPECT_EQ(found["machines"], 8);
    EXPECT_EQ(found["rows"][1]["gpus"], 64);
    ASSERT_EQ(found["rows"][1]["hosts"].size(), 8U);
    EXPECT_NEAR(found["rows"][1]["hosts"][7]["change"], 0.03, 0.003);
    EXPECT_EQ(found["attribution"]["only"], "driver");
    const auto told = compare({"old", "new"});
    EXPECT_EQ(told.code, 1);
    EXPECT_NE(told.out.find("8 of 8 hosts slower, most of all node0"), std::string::npos) << told.out;
    EXPECT_NE(told.out.find("64 GPUs together"), std::string::npos) << told.out;
    EXPECT_LE(driven::widest_line(told.out), 80U) << told.out;
    // A ninth host that changed by much more is a finding of its own.
    boot("old", 9, "570.86.15", 1, "node09");
    boot("new", 19, "580.95.05", 1.2, "node09");
    const auto unlike = document({"old", "new"}, 1)["rows"][1]["unlike"];
    ASSERT_EQ(unlike.size(), 1U);
    EXPECT_EQ(unlike[0]["host"], "node09");
    const auto all = document({"old", "new"}, 1);
    EXPECT_EQ(all["hosts_apart"][0]["host"], "node09");
    EXPECT_EQ(all["hosts_apart"][0]["sure"], true);
    EXPECT_EQ(all["totals"]["hosts_unlike"], 1);
    const auto nine = compare({"old", "new"});
    EXPECT_TRUE(std::regex_search(nine.out, std::regex(R"(!\s+node09\s+unlike\s+the\s+rest:\s+\+(19|20)\.)")))
        << nine.out;
    for (const auto* file : {"old/9.jsonl", "new/19.jsonl"}) std::filesystem::remove(place.folder / file);

    std::filesystem::remove(place.folder / "new/18.jsonl");
    const auto seven = compare({"old", "new"});
    EXPECT_EQ(seven.code, 0) << seven.err;
    EXPECT_NE(seven.out.find("1 more host, measured before and after"), std::string::npos) << seven.out;
}

TEST_F(ComparingOnTheFirstDay, AsksNoNoiseOfStartsWhereEightHostsShowIt) {
    for (int host = 1; host <= 8; ++host) {
        const auto name = "node" + two_digits(host);
        boot("old", host, "570.86.15", 1, name);
        boot("new", host + 10, "580.95.05", 1 + 0.01 * (host % 3), name);
    }
    const auto finished = compare({"old", "new", "--start-noise", "0.2%", "--fail-on", "likely"});
    EXPECT_EQ(finished.out.find("--start-noise was not used"), std::string::npos) << finished.out;
    EXPECT_EQ(finished.err.find("no row can be called likely"), std::string::npos) << finished.err;
}

TEST_F(ComparingOnTheFirstDay, IsSureOfEightRacksButNotOfTwo) {
    for (int host = 1; host <= 8; ++host) {
        const auto name = "node0" + std::to_string(host);
        for (const auto& [folder, racks] : {std::pair("eight", 8), std::pair("two", 2)}) {
            const auto rack = "r" + std::to_string(host % racks);
            boot(folder + std::string("/old"), host, "570.86.15", 1, name, rack);
            boot(folder + std::string("/new"), host + 10, "580.95.05", 1.03, name, rack);
        }
    }
    const auto eight = document({"eight/old", "eight/new", "--block", "rack"}, 1)["rows"][1];
    EXPECT_EQ(eight["verdict"], "slower");
    ASSERT_EQ(eight["blocks"].size(), 8U);
    EXPECT_TRUE(eight["blocks"][0]["block"].get<std::string>().starts_with("r"));
    EXPECT_FALSE(eight.contains("hosts"));
    EXPECT_EQ(document({"two/old", "two/new"}, 1)["rows"][1]["verdict"], "slower");
    EXPECT_EQ(document({"two/old", "two/new", "--block", "rack"}, 0)["rows"][1]["because"], "2 of 8 blocks");
    const auto told = compare({"two/old", "two/new", "--block", "rack"});
    EXPECT_TRUE(std::regex_search(told.out, std::regex(R"(2 of 2\s+blocks slower,)"))) << told.out;
    EXPECT_NE(told.out.find("6 more blocks, measured before and after"), std::string::npos) << told.out;
    const auto unknown = compare({"two/old", "two/new", "--block", "row"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_EQ(driven::lines_in(unknown.err), 1U) << unknown.err;
    EXPECT_EQ(compare({"two/new", "--block", "rack"}).code, 2);
}

TEST_F(ComparingOnTheFirstDay, NamesHostsOnOneSideAndGpusThatMoved) {
    for (int host = 1; host <= 3; ++host) boot("old", host, "570.86.15", 1, "node0" + std::to_string(host));
    boot("new", 11, "580.95.05", 1, "node01");
    boot("new", 14, "580.95.05", 1, "node04");
    boot("new", 15, "580.95.05", 1, "node02");
    auto run = run_of(16, "580.95.05");
    run.machine.host = "node05";
    run.gpus = {{.index = 0, .uuid = "GPU-node03-0", .name = "NVIDIA H200"}};
    auto rows = rows_of(16);
    for (auto& row : rows) row.samples.gpu = "GPU-node03-0";
    write("new/16.jsonl", run, rows);
    const auto found = document({"old", "new"}, 0);
    EXPECT_EQ(found["hosts_on_one_side"]["old"], (Verdicts{"node03"}));
    EXPECT_EQ(found["hosts_on_one_side"]["new"], (Verdicts{"node04", "node05"}));
    EXPECT_EQ(found["moved_gpus"], nlohmann::json::parse(R"([{"gpu":"GPU-node03-0","old":"node03","new":"node05"}])"));
    for (const auto* words : {"", "--ticket"}) {
        driven::Words all{"old", "new"};
        if (*words != '\0') all.emplace_back(words);
        auto said = compare(all).out;
        std::ranges::replace(said, '\n', ' ');
        said = std::regex_replace(said, std::regex(" +"), " ");
        EXPECT_NE(said.find("1 host on the old side only, and no witness: node03"), std::string::npos) << said;
        EXPECT_NE(said.find("2 hosts on the new side only, and no witness: node04, node05"), std::string::npos) << said;
        EXPECT_NE(said.find("1 GPU moved, whose hosts count as one: GPU-node03-0 node03 -> node05"), std::string::npos)
            << said;
    }
}

TEST_F(ComparingOnTheFirstDay, IsSureOfTheDriverIfEightHostsKeptIt) {
    for (int host = 1; host <= 16; ++host) {
        const bool kept = host > 8;
        const auto name = "node" + two_digits(host);
        boot("old", host, "570.86.15", 1, name);
        boot("new", host + 20, kept ? "570.86.15" : "580.95.05", kept ? 1.01 : 1.03, name);
    }
    const auto found = document({"old", "new"}, 1);
    const auto& row = found["rows"][1];
    EXPECT_EQ(row["verdict"], "slower");
    EXPECT_EQ(row["hosts"].size(), 8U);
    EXPECT_NEAR(row["change"], 0.02, 0.002);
    EXPECT_EQ(row["controls"]["count"], 8);
    EXPECT_EQ(row["controls"]["subtracted"], true);
    EXPECT_EQ(found["attribution"]["only"], "driver");
    EXPECT_NE(
        place.run({"report", place.folder / "old", place.folder / "new", "-o", "-"}).out.find("driver 580.95.05: "),
        std::string::npos);
    std::filesystem::remove(place.folder / "new/36.jsonl");
    const auto seven = compare({"old", "new"});
    EXPECT_TRUE(
        std::regex_search(seven.out, std::regex(R"(7 hosts that kept the\s+driver: \+1.\d %,\s+not\s+subtracted)")))
        << seven.out;
    EXPECT_NE(seven.out.find("the driver changed: 570.86.15"), std::string::npos)
        << "the missing host is no difference";
    const auto page = place.run({"report", place.folder / "old", place.folder / "new", "-o", "-"}).out;
    EXPECT_EQ(page.find("driver 580.95.05: "), std::string::npos);
    EXPECT_NE(page.find("since 2026-11-21 (driver changed): "), std::string::npos);
}

TEST_F(ComparingOnTheFirstDay, LeavesOutHostsThatKeptTheDriverAndChangedOtherwise) {
    for (int host = 1; host <= 16; ++host) {
        const bool kept = host > 8;
        const auto name = "node" + two_digits(host);
        boot("old", host, "570.86.15", 1, name);
        boot("new", host + 20, kept ? "570.86.15" : "580.95.05", kept ? 1.05 : 1, name, "", kept ? 500.0 : 700.0);
    }
    const auto found = document({"old", "new"}, 0);
    EXPECT_EQ(verdicts(found), (Verdicts{"same", "same"}));
    EXPECT_EQ(found["left_out_hosts"], 8);
    EXPECT_EQ(found["attribution"]["only"], "driver");
    const auto told = compare({"old", "new"});
    EXPECT_NE(told.out.find("8 hosts kept the driver, but something else changed"), std::string::npos) << told.out;
}

TEST_F(ComparingOnTheFirstDay, NamesAHostThatKeptTheDriverAndMoved) {
    for (int host = 1; host <= 17; ++host) {
        const bool kept = host > 8;
        const auto name = "node" + two_digits(host);
        boot("old", host, "570.86.15", 1, name);
        boot("new", host + 20, kept ? "570.86.15" : "580.95.05", host == 12 ? 1.2 : kept ? 1 : 1.03, name);
    }
    const auto row = document({"old", "new"}, 1)["rows"][1];
    EXPECT_EQ(row["verdict"], "slower");
    EXPECT_NEAR(row["controls"]["change"], 0, 0.002) << "without that host";
    ASSERT_EQ(row["unlike"].size(), 1U);
    EXPECT_EQ(row["unlike"][0]["host"], "node12");
}

TEST_F(ComparingOnTheFirstDay, IsSureOfADriverThatWasRolledBackIfTheOldOneIsAsBefore) {
    const auto title = [&](const std::string& folder, double again) {
        for (int host = 1; host <= 8; ++host) {
            const auto name = "node" + two_digits(host);
            boot(folder + "/old", host, "570.86.15", 1, name);
            boot(folder + "/new", host + 20, "580.95.05", 1.03, name);
            boot(folder + "/old", host + 40, "570.86.15", again, name);
        }
        return place.run({"report", place.folder / folder / "old", place.folder / folder / "new", "-o", "-"}).out;
    };
    EXPECT_NE(title("back", 1).find("driver 580.95.05: "), std::string::npos);
    const auto found = document({"back/old", "back/new"}, 1);
    EXPECT_EQ(found["rolled_back"], true);
    EXPECT_EQ(found["rows"][1]["separated"], true);
    EXPECT_EQ(found["attribution"]["is_cause"], true);
    EXPECT_NEAR(found["rows"][1]["drift"], 0, 0.002);
    // Something else has made it slow.
    EXPECT_EQ(title("slow", 1.03).find("driver 580.95.05: "), std::string::npos);
    const auto slow = document({"slow/old", "slow/new"}, 1);
    EXPECT_NEAR(slow["rows"][1]["drift"], 0.03, 0.002);
    EXPECT_EQ(slow["attribution"]["is_cause"], false);
    EXPECT_TRUE(slow["attribution"]["text"].get<std::string>().ends_with("; not shown to be the cause"));
    EXPECT_TRUE(
        std::regex_search(compare({"slow/old", "slow/new"}).out, std::regex(R"(the old\s+driver\s+again:\s+\+3.)")));
}

TEST_F(ComparingOnTheFirstDay, SaysWhichWayTimeWent) {
    one_boot_a_side();
    EXPECT_EQ(document({"old", "new"}, 0)["backwards"], false);
    const auto turned = compare({"new", "old"});
    EXPECT_TRUE(std::regex_search(turned.out, std::regex(R"(were\s+OLD\s+and\s+NEW\s+swapped\?)"))) << turned.out;
    boot("old", 3, "570.86.15", 1);
    const auto back = document({"old", "new"}, 0);
    EXPECT_EQ(back["rolled_back"], true);
    EXPECT_EQ(back["backwards"], false);
}

TEST_F(ComparingOnTheFirstDay, NamesAGpuThatChangedAlone) {
    one_boot_a_side();
    auto run = run_of(2, "580.95.05");
    run.machine.host = "node01";
    std::vector<MeasurementRow> rows;
    for (int gpu = 0; gpu < 8; ++gpu) {
        const auto uuid = "GPU-node01-" + std::to_string(gpu);
        run.gpus.push_back({.index = gpu, .uuid = uuid, .name = "NVIDIA H200"});
        for (auto row : rows_of(2, gpu == 6 ? 1.3 : 1 + 1e-4 * gpu)) {
            row.samples.gpu = uuid;
            row.samples.seconds[0] *= (1 + 0.02 * gpu) * (1 + 1e-4 * row.process);
            rows.push_back(row);
        }
    }
    write("new/02.jsonl", run, rows);
    const auto found = document({"old", "new"}, 0);
    const auto& unlike = found["rows"][1]["unlike_gpus"];
    ASSERT_EQ(unlike.size(), 1U) << found["rows"][1];
    EXPECT_EQ(unlike[0]["gpu"], "GPU-node01-6");
    for (const auto* words : {"--all", "--ticket"}) {
        auto said = compare({"old", "new", words}).out;
        std::ranges::replace(said, '\n', ' ');
        said = std::regex_replace(said, std::regex(" +"), " ");
        EXPECT_NE(said.find("unlike the others of its host: +30.0 %"), std::string::npos) << said;
    }
}

TEST_F(ComparingOnTheFirstDay, ReportsWhatItsOptionsSay) {
    for (int host = 1; host <= 8; ++host) {
        const auto name = "node" + two_digits(host);
        boot("old", host, "570.86.15", 1, name, "r" + std::to_string(host % 2));
        boot("new", host + 10, "580.95.05", 1.03, name, "r" + std::to_string(host % 2));
    }
    const auto report = [&](driven::Words more) {
        driven::Words all{"report", place.folder / "old", place.folder / "new", "--markdown"};
        all.insert(all.end(), more.begin(), more.end());
        return place.run(all);
    };
    EXPECT_NE(report({}).out.find("1 slower"), std::string::npos);
    EXPECT_NE(report({"--block", "rack"}).out.find("0 slower"), std::string::npos);
    EXPECT_NE(report({"--margin", "10"}).out.find("0 slower"), std::string::npos);
    EXPECT_EQ(report({"--block", "row"}).code, 2);
    EXPECT_EQ(place.run({"report", place.folder / "old", "--block", "rack", "--markdown"}).code, 2);
    const auto assumed = report({"--block", "rack", "--start-noise", "0.2%"}).out;
    EXPECT_NE(assumed.find("starts have a standard deviation of 0.2 %"), std::string::npos) << assumed;
}

TEST_F(ComparingOnTheFirstDay, SaysThatANoiseNamesNoRow) {
    one_boot_a_side();
    EXPECT_NE(compare({"old", "new", "--start-noise", "nosuch/=0.2%"}).err.find("names none of the compared"),
              std::string::npos);
    EXPECT_EQ(compare({"old", "new", "--start-noise", "0.2%"}).err.find("names none"), std::string::npos);
}

TEST_F(ComparingOnTheFirstDay, RefusesNoiseThatIsNone) {
    one_boot_a_side();
    for (const auto* wrong : {"x", "0", "-1", "51%", "copy/=", "=1", "1,,2", "1 %", "nan"}) {
        const auto told = compare({"old", "new", "--start-noise", wrong});
        EXPECT_EQ(told.code, 2) << wrong;
        EXPECT_EQ(driven::lines_in(told.err), 1U) << told.err;
    }
    EXPECT_EQ(compare({"old", "new", "--fail-on", "perhaps"}).code, 2);
    EXPECT_EQ(compare({"--fleet", "old", "--start-noise", "1"}).code, 2);
}

}  // namespace
}  // namespace tocuda
