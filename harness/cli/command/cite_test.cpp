// tocuda, Apache-2.0.
// `cite` on files written by the test: how a row is chosen, what the citation says, and what is refused.
#include "command/cite_test.hpp"

#include <nlohmann/json.hpp>

#include "json_lines/lines.hpp"
#include "printing/flag_words.hpp"

namespace tocuda {
namespace {

TEST_F(Cite, PrintsEverythingOnOneLine) {
    const auto finished = cite({file(), "copy/host_to_device/pinned", "bytes=4KiB"});
    ASSERT_EQ(finished.code, 0) << finished.err;
    EXPECT_EQ(driven::lines_in(finished.out), 1U);
    for (const char* part : {"copy/host_to_device/pinned bytes=4096: 0.99751 GB/s [0.99502, 1.0000] (payload), "
                             "1.0025 ms [1.0000 ms, 1.0050 ms] by the device clock",
                             "median of 6 processes [its 96.88 % interval, by ranks], within 1 session",
                             "NVIDIA H200 (GPU-1), driver 580.95.05, tocuda 0.1.0 (0123456789ab)",
                             "run 11112222-3333-4444-8555-666677778888, 2026-11-21, sha256 "})
        EXPECT_NE(finished.out.find(part), std::string::npos) << part << "\n" << finished.out;
    EXPECT_EQ(finished.out.find("LibTorch"), std::string::npos) << finished.out;
}

TEST_F(Cite, NamesTheToolOfAnImportedRow) {
    run.verb = "import";
    run.protocol.reset();
    run.imported = Import{"nvbandwidth", "v0.8", "a.json", std::string(64, 'a'), 1};
    auto out = ResultFile::create(place.results, run);
    for (int file = 0; file < 6; ++file) {
        auto one = row("nvbandwidth/device_local_copy", {}, file, file);
        one.id = row_id(one.benchmark, {}, 1);
        one.samples.bytes_touched = 0;
        one.imported = Printed{1, "GB/s", "median of its trials"};
        out.append(to_line(one));
    }
    out.end("complete");
    const auto finished = cite({out.path(), "nvbandwidth/device_local_copy"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    for (const char* part :
         {"0.99751 GB/s [0.99502, 1.0000] (payload); median of its trials, the median of 6 runs "
          "with its 95 % interval; ",
          "NVIDIA H200 (GPU-1), driver 580.95.05, measured by nvbandwidth v0.8, imported by tocuda 0.1.0 "
          "from a.json, sha256 aaaaaaaaaaaa"})
        EXPECT_NE(finished.out.find(part), std::string::npos) << part << "\n" << finished.out;
}

TEST_F(Cite, OfAFolderTheNewestFileWithTheRowIsCited) {
    const auto one = file();
    const auto folder = std::filesystem::path(one).parent_path().string();
    EXPECT_EQ(cite({folder, "framework/to"}).out, cite({one, "framework/to"}).out);
    const auto none = cite({folder, "no/row"});
    EXPECT_EQ(none.code, 2);
    EXPECT_NE(none.err.find("no file in this folder has no/row"), std::string::npos) << none.err;
    const auto parent = cite({folder, "copy/host_to_device"});
    EXPECT_NE(parent.err.find("; in this folder: copy/host_to_device/pinned"), std::string::npos) << parent.err;
}

TEST_F(Cite, OfAFolderSaysHowManyRunsAndGpusHaveTheRow) {
    const auto folder = std::filesystem::path(file()).parent_path().string();
    EXPECT_EQ(cite({folder, "framework/to"}).err, "");
    run.run = "99992222-3333-4444-8555-666677778888";
    run.time = "2026-11-22T10:00:00Z";
    file(7);
    const auto cited = cite({folder, "framework/to"});
    EXPECT_NE(
        cited.err.find("2 runs of 1 GPU have this row, with medians of 1.9940 to 1.9950 GB/s; cited is the newest"),
        std::string::npos)
        << cited.err;
    EXPECT_NE(cited.out.find("run 99992222-"), std::string::npos) << cited.out;
}

TEST_F(Cite, PrefersRealRowsToSimulatedOnes) {
    const auto real = driven::text_of(file());
    run.run = "99992222-3333-4444-8555-666677778888";
    run.time = "2026-11-22T10:00:00Z";
    run.device = Device::simulated;
    const auto simulated = file();
    const auto folder = std::filesystem::path(simulated).parent_path().string();
    EXPECT_NE(cite({folder, "framework/to"}).out.find("run 11112222-"), std::string::npos);
    const auto both = place.folder / "both.jsonl";
    driven::write(both, real + driven::text_of(simulated));
    EXPECT_NE(cite({both, "framework/to"}).out.find("run 11112222-"), std::string::npos);
    const auto verified = place.run({"verify", both}).out;
    EXPECT_NE(verified.find("citable: 3 of 6 rows and claims; another is not: simulated: "), std::string::npos)
        << verified;
}

TEST_F(Cite, NamesTheLibcudaThatWasNotInstalled) {
    run.driver.libcuda = "590.44.01";
    const auto finished = cite({file(), "framework/to"});
    ASSERT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.out.find("NVIDIA H200 (GPU-1), libcuda 590.44.01 on module 580.95.05, LibTorch"),
              std::string::npos)
        << finished.out;
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

TEST_F(Cite, PrintsFlagsAsSentences) {
    auto out = ResultFile::create(place.results, run);
    for (int round = 0; round < 6; ++round) {
        auto one = row("framework/to", {}, round, round);
        one.samples.flags = {"sw_power_cap", "in pieces of 16 MiB"};
        out.append(to_line(one));
    }
    out.end("complete");
    const auto text = cite({out.path(), "framework/to"}).out;
    EXPECT_NE(text.find("; flagged: " + flag_in_words("sw_power_cap") + ", in pieces of 16 MiB; "), std::string::npos)
        << text;
}

TEST_F(Cite, PrintsABibtexEntry) {
    const auto finished = cite({file(), "framework/to", "--bibtex"});
    EXPECT_TRUE(finished.out.starts_with("@misc{tocuda:11112222:")) << finished.out;
    EXPECT_NE(finished.out.find("year = {2026}"), std::string::npos) << finished.out;
    EXPECT_NE(finished.out.find("96.88 \\% interval"), std::string::npos) << finished.out;
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
    EXPECT_TRUE(document.at("refused")[1].get<std::string>().starts_with("too few: 5 valid processes")) << document;
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
    expect_unknown({"copy/host_to_device/pinned"}, "choose one of: bytes=512, bytes=4096");
}
TEST_F(Cite, ListsAvailableValues) {
    expect_unknown({"framework/to", "through=runtime"}, "available: through=libtorch");
}
TEST_F(Cite, ListsAvailableNumbersByValue) {
    expect_unknown({"copy/host_to_device/pinned", "bytes=7"}, "available: bytes=512, bytes=4096");
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

TEST_F(Cite, RefusesFiveProcesses) { expect_refused(file(5), "too few: 5 valid processes"); }

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

}  // namespace
}  // namespace tocuda
