// tocuda, Apache-2.0.
// `cite` on files written by the test: how a row is chosen, what the citation says, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command/driven_program_test.hpp"
#include "lines/measurement_line.hpp"
#include "lines/row_line.hpp"
#include "model/row.hpp"
#include "record/result_file.hpp"
#include "record/row_id.hpp"

namespace tocuda {
namespace {

class Cite : public testing::Test {
protected:
    Cite() {
        run.run = "11112222-3333-4444-8555-666677778888";
        run.time = "2026-11-21T10:00:00Z";
        run.verb = "bench";
        run.device = Device::real;
        run.session = "22223333-4444-4555-8666-777788889999";
        run.protocol = Protocol{};
        run.suite = {.version = "0.1.0", .commit = "0123456789abcdef0123456789abcdef01234567", .dirty = false};
        run.driver.kernel_module = "580.95.05";
        run.libtorch.version = "2.15.0";
        run.gpus = {{.index = 0, .uuid = "GPU-1", .name = "NVIDIA H200"}};
    }

    static std::vector<std::string> simulated_by(Device device) {
        if (device != Device::simulated) return {};
        return {"runtime 1xH200"};
    }
    MeasurementRow row(const std::string& benchmark, const Parameters& parameters, int round, int process) const {
        return {.benchmark = benchmark,
                .id = row_id(benchmark, parameters, Protocol{}.version),
                .device = run.device,
                .stand_in = simulated_by(run.device),
                .round = round + 1,
                .process = process,
                .samples = {.parameters = parameters,
                            .check = "made up",
                            .batch = 1,
                            .bytes_one_way = 1'000'000,
                            .bytes_touched = 2'000'000,
                            .seconds = {0.001 * (1 + 0.001 * round)},
                            .gpu = "GPU-1"}};
    }
    void add_rounds(ResultFile& out, int from, int to) const {
        for (int round = from; round < to; ++round) {
            for (const int bytes : {1000, 4096})
                out.append(to_line(row("copy/host_to_device/pinned", {{"bytes", bytes}}, round, 2 * round)));
            out.append(to_line(row("framework/to", {{"bytes", 4096}, {"through", "libtorch"}}, round, 2 * round + 1)));
        }
        out.end("complete");
    }
    // A file with two sizes of a copy and one row through LibTorch, each measured in `processes` processes.
    std::string file(int processes = 6) {
        auto out = ResultFile::create(place.results, run);
        add_rounds(out, 0, processes);
        return out.path();
    }
    driven::Finished cite(driven::Words words) {
        words.insert(words.begin(), "cite");
        return place.run(words);
    }
    void expect_refused(const std::string& file, const std::string& why) {
        const auto finished = cite({file, "framework/to"});
        EXPECT_EQ(finished.code, 1) << finished.err;
        EXPECT_NE(finished.err.find(why), std::string::npos) << finished.err;
        EXPECT_EQ(finished.out, "");
    }
    void expect_unknown(const driven::Words& row, const std::string& what) {
        driven::Words words{file()};
        words.insert(words.end(), row.begin(), row.end());
        const auto finished = cite(words);
        EXPECT_EQ(finished.code, 2) << finished.err;
        EXPECT_EQ(driven::lines_in(finished.err), 1U) << finished.err;
        EXPECT_NE(finished.err.find(what), std::string::npos) << finished.err;
        EXPECT_EQ(finished.out, "");
    }

    driven::Place place;
    RunLine run;
};

TEST_F(Cite, PrintsEverythingOnOneLine) {
    const auto finished = cite({file(), "copy/host_to_device/pinned", "bytes=4KiB"});
    ASSERT_EQ(finished.code, 0) << finished.err;
    EXPECT_EQ(driven::lines_in(finished.out), 1U);
    for (const char* part :
         {"copy/host_to_device/pinned bytes=4096: 0.99751 GB/s [0.99502, 1.0000] (one way), "
          "1.0025 ms [1.0000 ms, 1.0050 ms] by the device clock",
          "95 % interval over 6 processes, 1 session", "NVIDIA H200, driver 580.95.05, tocuda 0.1.0 (0123456789ab)",
          "run 11112222-3333-4444-8555-666677778888, 2026-11-21, sha256 "})
        EXPECT_NE(finished.out.find(part), std::string::npos) << part << "\n" << finished.out;
    EXPECT_EQ(finished.out.find("LibTorch"), std::string::npos) << finished.out;
}

TEST_F(Cite, EndsWithTheFirstDigitsOfTheSectionsChecksum) {
    const auto name = file();
    const auto finished = cite({name, "framework/to"});
    const auto recording = read_recording(name).value();
    EXPECT_TRUE(finished.out.ends_with("sha256 " + recording.sections[0].end->sha256.substr(0, 12) + "\n"))
        << finished.out;
}

TEST_F(Cite, DigitsAreAcceptedByVerifyCited) {
    const auto name = file();
    const auto text = cite({name, "framework/to"}).out;
    ASSERT_GT(text.size(), 13U);
    const auto digits = text.substr(text.size() - 13, 12);
    const auto verified = place.run({"verify", name, "--cited", digits});
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    EXPECT_EQ(place.run({"verify", name, "--cited", "000000000000"}).code, 1);
}

TEST_F(Cite, NamesLibTorchIfTheRowUsesIt) {
    EXPECT_NE(cite({file(), "framework/to"}).out.find("LibTorch 2.15.0"), std::string::npos);
}

TEST_F(Cite, AcceptsAnIdAndAPrefix) {
    const auto name = file();
    const auto id = row_id("framework/to", {{"bytes", 4096}, {"through", "libtorch"}}, Protocol{}.version);
    for (const auto digits : {16U, 8U})
        EXPECT_TRUE(cite({name, id.substr(0, digits)}).out.starts_with("framework/to bytes=4096 through=libtorch: "))
            << digits;
}

TEST_F(Cite, PrintsABibtexEntry) {
    const auto finished = cite({file(), "framework/to", "--bibtex"});
    EXPECT_TRUE(finished.out.starts_with("@misc{tocuda:11112222:")) << finished.out;
    EXPECT_NE(finished.out.find("year = {2026}"), std::string::npos) << finished.out;
    EXPECT_NE(finished.out.find("95 \\% interval"), std::string::npos) << finished.out;
    EXPECT_EQ(std::count(finished.out.begin(), finished.out.end(), '{'),
              std::count(finished.out.begin(), finished.out.end(), '}'));
}

TEST_F(Cite, JsonHasTextBibtexAndRow) {
    const auto document = nlohmann::json::parse(cite({file(), "framework/to", "--json"}).out);
    EXPECT_TRUE(document.at("text").is_string());
    EXPECT_TRUE(document.at("bibtex").get<std::string>().starts_with("@misc{"));
    EXPECT_EQ(document.at("row").at("processes"), 6);
}

TEST_F(Cite, JsonListsEveryReasonForARefusal) {
    run.suite.dirty = true;
    const auto finished = cite({file(5), "framework/to", "--json"});
    EXPECT_EQ(finished.code, 1) << finished.err;
    const auto document = nlohmann::json::parse(finished.out);
    EXPECT_TRUE(document.at("text").is_null() && document.at("bibtex").is_null()) << document;
    EXPECT_EQ(document.at("row").at("benchmark"), "framework/to");
    ASSERT_EQ(document.at("refused").size(), 2U) << document;
    EXPECT_TRUE(document.at("refused")[0].get<std::string>().starts_with("dirty: ")) << document;
    EXPECT_TRUE(document.at("refused")[1].get<std::string>().starts_with("too few: 5 processes")) << document;
}

TEST_F(Cite, RowsOfTwoSectionsAreCitableForVerifyToo) {
    const auto name = file(3);
    run.resumes = run.run;
    run.run.front() = '9';
    auto more = ResultFile::resume(name, run);
    add_rounds(more, 3, 6);
    EXPECT_EQ(cite({name, "framework/to"}).code, 0);
    const auto verified = place.run({"verify", name});
    EXPECT_NE(verified.out.find("\n  citable\n"), std::string::npos) << verified.out;
}

TEST_F(Cite, RejectsAnEmptyWord) { expect_unknown({""}, "ROW: needs a value that is not empty"); }
TEST_F(Cite, SuggestsTheNearestRow) { expect_unknown({"framework/too"}, "did you mean 'framework/to'?"); }
TEST_F(Cite, ListsWhatDistinguishesAmbiguousRows) {
    expect_unknown({"copy/host_to_device/pinned"}, "choose one of: bytes=1000, bytes=4096");
}
TEST_F(Cite, ListsAvailableValues) {
    expect_unknown({"framework/to", "through=runtime"}, "available: through=libtorch");
}
TEST_F(Cite, SuggestsTheNearestParameter) { expect_unknown({"framework/to", "byts=4096"}, "did you mean 'bytes'?"); }
TEST_F(Cite, AWordThatIsNoChoiceIsRefused) { expect_unknown({"framework/to", "bytes"}, "'bytes' is not KEY=VALUE"); }

TEST_F(Cite, DistinguishesDriversOfOneFile) {
    const auto first = driven::text_of(file());
    run.run = "99992222-3333-4444-8555-666677778888";
    run.driver.kernel_module = "590.10";
    const auto both = place.folder / "both.jsonl";
    driven::write(both, first + driven::text_of(file()));
    const auto ambiguous = cite({both, "framework/to"});
    EXPECT_EQ(ambiguous.code, 2);
    EXPECT_NE(ambiguous.err.find("driver=580.95.05"), std::string::npos) << ambiguous.err;
    EXPECT_NE(cite({both, "framework/to", "driver=590"}).out.find("driver 590.10"), std::string::npos);
}

TEST_F(Cite, RefusesSimulatedRows) {
    run.device = Device::simulated;
    expect_refused(file(), "simulated: ");
}

TEST_F(Cite, RefusesADirtyTree) {
    run.suite.dirty = true;
    expect_refused(file(), "dirty: ");
}

TEST_F(Cite, RefusesFiveProcesses) { expect_refused(file(5), "too few: 5 processes count"); }

TEST_F(Cite, RefusesAnAlteredFile) {
    const auto name = file();
    auto text = driven::text_of(name);
    text.replace(text.find("580.95"), 6, "590.95");
    driven::write(name, text);
    expect_refused(name, "checksum");
}

TEST_F(Cite, RefusesAPartialFile) {
    const auto name = file();
    const auto text = driven::text_of(name);
    driven::write(name, text.substr(0, text.rfind("{\"kind\":\"end\"")));
    expect_refused(name, "no end line");
}

TEST_F(Cite, RejectsAFileWithoutMeasurements) {
    auto out = ResultFile::create(place.results, run);
    out.end("complete");
    const auto finished = cite({out.path(), "framework/to"});
    EXPECT_EQ(finished.code, 2);
    EXPECT_NE(finished.err.find("no measurement and no claim"), std::string::npos) << finished.err;
}

class CiteClaim : public Cite {
protected:
    CiteClaim() {
        run.verb = "run";
        place.add_worker("tocuda-steady", driven::worker_script({driven::simple_scenario("steady/one")}));
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

TEST_F(CiteClaim, SaysThatTheDriverWasFake) {
    const auto finished = cite({file({row("default", Device::simulated, "4 of 4 arrived")}), "901-01"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.out.find("seen by steady/one (default); with a fake driver (12080), LibTorch"),
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
    EXPECT_NE(finished.out.find("seen by steady/one (cpu); no GPU"), std::string::npos) << finished.out;
}

TEST_F(CiteClaim, TicketTellsVariantsApartAndHowToRepeat) {
    file({row("default", Device::none, "1 allocation"), row("other", Device::none, "100 allocations")});
    const auto ticket = place.run({"show", "901-01", "--ticket"});
    EXPECT_EQ(ticket.code, 0) << ticket.err;
    for (const auto* part : {"**901-01** (\"simple things work\") is false: 1 allocation; ", "sha256 ",
                             "Repeat with `tocuda run 901-01`.", "\n- steady/one (other): false: 100 allocations\n"})
        EXPECT_NE(ticket.out.find(part), std::string::npos) << ticket.out;
}

TEST_F(Cite, TicketOfARowHasItsNumbersAndHowToRepeat) {
    file();
    const auto id = row_id("framework/to", {{"bytes", 4096}, {"through", "libtorch"}}, Protocol{}.version);
    const auto ticket = place.run({"show", id.substr(0, 8), "--ticket"});
    EXPECT_EQ(ticket.code, 0) << ticket.err;
    for (const auto* part :
         {"**framework/to bytes=4096 through=libtorch**: ", " GB/s [", "95 % interval over 6 processes",
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
    EXPECT_NE(ticket.find("median, too few for an interval, over 2 processes"), std::string::npos) << ticket;
}

}  // namespace
}  // namespace tocuda
