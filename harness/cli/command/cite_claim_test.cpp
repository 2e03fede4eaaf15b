// tocuda, Apache-2.0.
// `cite` of claims, and tickets of claims and rows, on files written by the test.
#include <memory>

#include "command/cite_test.hpp"
#include "json_lines/lines.hpp"
#include "model/plan.hpp"

namespace tocuda {
namespace {

class CiteClaim : public Cite {
protected:
    CiteClaim() {
        run.verb = "run";
        judged_as("refuted");
    }

    void judged_as(const std::string& verdict) {
        place.add_worker("tocuda-steady",
                         driven::worker_script({driven::simple_scenario("steady/one")}, "", "rule " + verdict));
    }
    static Row row(const std::string& variant, Device device, const std::string& because) {
        Row row{.name = "steady/one", .variant = variant, .evidence = {.device = device}};
        row.evidence.outcome = {.ended = "exit", .seconds = 0.5};
        if (device == Device::simulated) row.evidence.stand_in = {"driver 12080"};
        row.claims = {{"901-01", Verdict::refuted, Verdict::refuted, because}};
        return row;
    }
    std::string file(const std::vector<Row>& rows) {
        auto out = ResultFile::create(place.results, run);
        for (const auto& row : rows) out.append(to_line(row));
        out.end("complete");
        return out.path();
    }
};

TEST_F(CiteClaim, SaysWhatWasSeenByWhatAndInWhichRun) {
    const auto finished = cite({file({row("default", Device::none, "4 of 4 arrived")}), "901-01"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    for (const auto* part : {"901-01 (\"simple things work\") is false: 4 of 4 arrived; seen by steady/one (default)",
                             "run 11112222-3333-4444-8555-666677778888, 2026-11-21, sha256 "})
        EXPECT_NE(finished.out.find(part), std::string::npos) << finished.out;
}

TEST_F(CiteClaim, HasTheVerdictOfTodaysJudgeAndSaysWhatWasRecorded) {
    judged_as("reproduced");
    const auto finished = cite({file({row("default", Device::none, "4 of 4 arrived")}), "901-01"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.out.find("901-01 (\"simple things work\") is true: "), std::string::npos) << finished.out;
    EXPECT_NE(finished.out.find("; recorded as false, judged again by tocuda "), std::string::npos) << finished.out;
}

TEST_F(CiteClaim, IsReportedWithTheVerdictOfTodaysJudgeToo) {
    const auto recorded = file({row("default", Device::none, "4 of 4 arrived")});
    judged_as("reproduced");
    const auto digest = place.run({"report", recorded, "--markdown"});
    EXPECT_EQ(digest.code, 0) << digest.err;
    EXPECT_NE(digest.err.find("the verdicts of run 11112222 are today's; 901-01 (recorded as false)"),
              std::string::npos)
        << digest.err;
    EXPECT_NE(digest.out.find("1 true"), std::string::npos) << digest.out;
}

TEST_F(CiteClaim, IsShownWithTheVerdictOfTodaysJudgeToo) {
    file({row("default", Device::none, "4 of 4 arrived")});
    const auto before = place.run({"show", "901-01"}).out;
    EXPECT_NE(before.find("last seen  false"), std::string::npos) << before;
    EXPECT_EQ(before.find("judged otherwise"), std::string::npos) << before;
    judged_as("reproduced");
    const auto shown = place.run({"show", "901-01"});
    EXPECT_NE(shown.out.find("last seen  true"), std::string::npos) << shown.out << shown.err;
    EXPECT_NE(shown.out.find("judged otherwise"), std::string::npos) << shown.out;
}

TEST_F(CiteClaim, SaysThatTheDriverWasFake) {
    const auto finished = cite({file({row("default", Device::simulated, "4 of 4 arrived")}), "901-01"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.out.find("seen by steady/one (default); a fake driver: version 12.8, LibTorch"),
              std::string::npos)
        << finished.out;
}

TEST_F(CiteClaim, RefusesSimulatedGpusAlsoBesideAFakeDriver) {
    auto on_gpu = row("default", Device::simulated, "4 of 4 arrived");
    on_gpu.evidence.stand_in = {"runtime 2x8GiB", "driver 12080"};
    const auto finished = cite({file({on_gpu}), "901-01"});
    EXPECT_EQ(finished.code, 1);
    EXPECT_NE(finished.err.find("simulated: seen on a simulated GPU"), std::string::npos) << finished.err;
    EXPECT_EQ(finished.out, "");
}

TEST_F(CiteClaim, LeavesOutSimulatedRowsBesideOthers) {
    const auto finished = cite({file({row("fake", Device::simulated, "as the fake driver was told"),
                                      row("cpu", Device::none, "4 of 4 arrived")}),
                                "901-01"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.out.find("seen by steady/one (cpu); on the CPU ("), std::string::npos) << finished.out;
}

TEST_F(CiteClaim, TicketTellsVariantsApartAndHowToRepeat) {
    file({row("default", Device::none, "1 allocation"), row("other", Device::none, "100 allocations")});
    const auto ticket = place.run({"show", "901-01", "--ticket"});
    EXPECT_EQ(ticket.code, 0) << ticket.err;
    for (const auto* part : {"**901-01** (\"simple things work\") is false: 1 allocation; ", "sha256 ",
                             "Repeat with `tocuda run 901-01`.", "\n- steady/one (other): false: 100 allocations\n"})
        EXPECT_NE(ticket.out.find(part), std::string::npos) << ticket.out;
}

TEST_F(CiteClaim, TicketNamesEveryPlaceWhereItWasSeen) {
    auto simulated = row("gpu", Device::simulated, "4 of 4 arrived");
    simulated.evidence.stand_in = {"runtime 2x8GiB"};
    file({row("cpu", Device::none, "4 of 4 arrived"), row("fake", Device::simulated, "4 of 4 arrived"), simulated});
    const auto ticket = place.run({"show", "901-01", "--ticket"}).out;
    for (const auto* part : {"on the CPU (", "a fake driver: version 12.8", " and SIMULATED 2x8GiB"})
        EXPECT_NE(ticket.find(part), std::string::npos) << ticket;
}

TEST_F(CiteClaim, TicketOfAnAlteredFileSaysSo) {
    const auto name = file({row("default", Device::none, "4 of 4 arrived")});
    EXPECT_EQ(place.run({"show", "901-01", "--ticket"}).out.find("does not verify"), std::string::npos);
    auto text = driven::text_of(name);
    text.replace(text.find("4 of 4"), 6, "3 of 4");
    driven::write(name, text);
    const auto ticket = place.run({"show", "901-01", "--ticket"}).out;
    EXPECT_NE(ticket.find("**This file does not verify**: "), std::string::npos) << ticket;
}

TEST_F(Cite, TicketOfARowHasItsNumbersAndHowToRepeat) {
    file();
    const auto id = row_id("framework/to", {{"bytes", 4096}, {"through", "libtorch"}}, Protocol{}.version);
    const auto ticket = place.run({"show", id.substr(0, 8), "--ticket"});
    EXPECT_EQ(ticket.code, 0) << ticket.err;
    for (const auto* part :
         {"**framework/to bytes=4096 through=libtorch**: ", " GB/s [", "median of 6 processes [its 96.88 % interval",
          "run 11112222-", "Repeat with `tocuda bench framework/to bytes=4096 through=libtorch`."})
        EXPECT_NE(ticket.out.find(part), std::string::npos) << ticket.out;
}

TEST_F(Cite, TicketNamesChangesAndHowTheRunWasMade) {
    run.device = Device::simulated;
    run.suite.dirty = true;
    run.protocol->name = "quick";
    run.plan = std::make_shared<const Plan>(Plan{.where = {.simulate = "1xH200"}});
    const auto name = file();
    const auto id = row_id("framework/to", {{"bytes", 4096}, {"through", "libtorch"}}, Protocol{}.version);
    const auto ticket = place.run({"show", id.substr(0, 8), "--ticket"}).out;
    for (const auto* part : {"(0123456789ab with uncommitted changes)", " --quick --simulate 1xH200`."})
        EXPECT_NE(ticket.find(part), std::string::npos) << ticket;
    const auto verified = place.run({"verify", name}).out;
    for (const auto* part : {"not citable: simulated: ", "dirty: "})
        EXPECT_NE(verified.find(part), std::string::npos) << verified;
}

TEST_F(Cite, TicketSaysThatProcessesAreTooFew) {
    file(2);
    const auto id = row_id("framework/to", {{"bytes", 4096}, {"through", "libtorch"}}, Protocol{}.version);
    const auto ticket = place.run({"show", id, "--ticket"}).out;
    EXPECT_NE(ticket.find("median of 2 processes, too few for an interval, within 1 session"), std::string::npos)
        << ticket;
}

}  // namespace
}  // namespace tocuda
