// tocuda, Apache-2.0.
// Tests the output: one JSON document, 80 columns, no unwanted colour, errors in one line; and the memory it takes.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "command/driven_program_test.hpp"
#include "model/row.hpp"

namespace tocuda {
namespace {

constexpr std::array verbs{"list", "show", "run", "judge"};

class Output : public testing::Test {
protected:
    Output() {
        auto scenario = driven::simple_scenario("steady/one_with_a_name_that_is_longer_than_most_columns_are");
        scenario.summary =
            "has a summary that is not short either, so that it goes on over more than one line of eighty columns";
        scenario.claims[0].statement =
            "a statement that is as long as some are, and says again and again that it is long, until it is wrapped";
        scenario.needs.gpus = 0;
        auto absent = driven::simple_scenario("steady/two");
        absent.needs.gpus = 64;
        place.add_worker("tocuda-steady", driven::worker_script({scenario, absent}, "see where here"));
    }

    driven::Place place;
};

TEST_F(Output, JsonIsOneDocumentAndNothingElse) {
    for (const auto& words :
         std::vector<driven::Words>{{"run", "--json"}, {"list", "--json"}, {"show", "steady/two", "--json"}}) {
        const auto finished = place.run(words);
        EXPECT_EQ(finished.code, 0) << words[0] << finished.err;
        EXPECT_TRUE(nlohmann::json::accept(finished.out)) << words[0] << finished.out;
    }
    const auto judged = place.run({"judge", place.files().at(0), "--json"});
    EXPECT_TRUE(nlohmann::json::accept(judged.out)) << judged.out;
}

TEST_F(Output, FitsEightyColumns) {
    for (const auto& words : std::vector<driven::Words>{{"run"}, {"list"}, {"show", "steady/"}, {"--help"}}) {
        const auto finished = place.run(words);
        EXPECT_LE(driven::widest_line(finished.out), 80U) << words[0] << "\n" << finished.out;
    }
    const auto judged = place.run({"judge", place.files().at(0)});
    EXPECT_LE(driven::widest_line(judged.out), 80U) << judged.out;
}

TEST_F(Output, HelpFitsEightyColumnsAndEndsWithTwoExamples) {
    for (const std::string verb : {"list", "show", "run", "bench", "judge", "compare", "report", "cite", "reproduce",
                                   "verify", "merge", "import", "replay", "fit", "simulate", "completion", "man"}) {
        const auto help = place.run({verb, "--help"});
        EXPECT_EQ(help.code, 0);
        EXPECT_LE(driven::widest_line(help.out), 80U) << help.out;
        const auto examples = help.out.find("Examples:\n  tocuda " + verb);
        ASSERT_NE(examples, std::string::npos) << help.out;
        EXPECT_EQ(driven::lines_in(help.out.substr(examples)), 3U) << help.out;
    }
}

TEST_F(Output, UnknownVerbIsOneLineWithNearestName) {
    const auto wrong = place.run({"lst"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_EQ(driven::lines_in(wrong.err), 1U) << wrong.err;
    EXPECT_NE(wrong.err.find("list"), std::string::npos) << wrong.err;
}

TEST_F(Output, UnknownOptionIsOneLineWithNearestName) {
    for (const std::string verb : verbs) {
        const auto wrong = place.run({verb, "--jsn", "--", "x"});
        EXPECT_EQ(wrong.code, 2);
        EXPECT_EQ(driven::lines_in(wrong.err), 1U) << wrong.err;
        EXPECT_NE(wrong.err.find("--json"), std::string::npos) << wrong.err;
    }
}

TEST_F(Output, UnknownScenarioIsOneLineWithNearestName) {
    for (const std::string verb : {"list", "show", "run"}) {
        const auto wrong = place.run({verb, "steady/tow"});
        EXPECT_EQ(wrong.code, 2);
        EXPECT_EQ(driven::lines_in(wrong.err), 1U) << wrong.err;
        EXPECT_NE(wrong.err.find("steady/two"), std::string::npos) << wrong.err;
    }
}

TEST_F(Output, RefusesInvalidNumbers) {
    for (const auto& words : std::vector<driven::Words>{{"run", "--jobs", "0"},
                                                        {"run", "--timeout", "-1"},
                                                        {"run", "--jobs", "many"},
                                                        {"run", "--timeout", "nan"},
                                                        {"run", "--timeout", "inf"},
                                                        {"run", "--timeout", "1q"},
                                                        {"judge", "--timeout", "nan", "FILE"}}) {
        const auto wrong = place.run(words);
        EXPECT_EQ(wrong.code, 2) << words[2];
        EXPECT_EQ(driven::lines_in(wrong.err), 1U) << wrong.err;
        EXPECT_NE(wrong.err.find("'" + words[2] + "' is not a "), std::string::npos) << wrong.err;
    }
}

TEST_F(Output, TimesTakeAUnit) {
    for (const auto* time : {"90", "90s", "2m", "0.5h"})
        EXPECT_EQ(place.run({"run", "steady/", "--timeout", time}).code, 0) << time;
}

TEST_F(Output, RefusesOptionWithoutValue) {
    for (const std::string option : {"--output", "--resume", "--simulate", "--gpus"}) {
        const auto empty = place.run({"run", option, ""});
        EXPECT_EQ(empty.code, 2) << option;
        EXPECT_EQ(empty.err, "tocuda: " + option + ": needs a value that is not empty\n");
        const auto none = place.run({"run", option});
        EXPECT_EQ(none.code, 2) << option;
        EXPECT_EQ(none.err, "tocuda: " + option + " needs a value\n");
        const auto swallowed = place.run({"run", option, "--quiet"});
        EXPECT_EQ(swallowed.code, 2) << option;
        EXPECT_EQ(swallowed.err, "tocuda: " + option + ": needs a value, but '--quiet' is an option\n");
    }
}

TEST_F(Output, RefusesUnknownOptionOfVersion) {
    EXPECT_EQ(place.run({"--version", "--json"}).code, 0);
    EXPECT_EQ(place.run({"--version", "--jsn"}).code, 2);
}

TEST_F(Output, EscapeCodesOfOthersAreNotPrinted) {
    const std::string ruling =
        R"({"kind":"ruling","name":"%s","variant":"default","claim":"901-01","verdict":"refuted",)"
        R"("because":"\\u001b[31mred"}\n)";
    place.add_worker("tocuda-loud", driven::worker_script({driven::simple_scenario("loud/red")}, "see key value",
                                                          "printf '" + ruling + "' \"$name\" >&3"));
    const auto finished = place.run({"run", "loud/red"});
    EXPECT_EQ(finished.code, 1) << finished.err;
    EXPECT_NE(finished.out.find("[31mred"), std::string::npos) << finished.out;
    EXPECT_EQ(finished.out.find('\x1b'), std::string::npos) << finished.out;
    EXPECT_EQ(place.run({"show", "\x1b[31m"}).err.find('\x1b'), std::string::npos);
}

TEST_F(Output, MisspeltClaimSuggestsNearest) {
    EXPECT_NE(place.run({"show", "90101"}).err.find("did you mean '901-01'?"), std::string::npos)
        << place.run({"show", "90101"}).err;
}

TEST_F(Output, MissingAndUnexpectedArgumentsAreOneLine) {
    EXPECT_EQ(place.run({"show"}).err, "tocuda: NAME is missing; usage: tocuda show [OPTIONS] NAME...\n");
    EXPECT_EQ(place.run({"judge"}).err, "tocuda: FILE is missing; usage: tocuda judge [OPTIONS] FILE...\n");
    EXPECT_EQ(place.run({"man", "steady/two"}).err,
              "tocuda: unexpected argument 'steady/two'; usage: tocuda man [OPTIONS]\n");
}

TEST_F(Output, RefusesPipeAsProfile) {
    const auto pipe = place.folder / "pipe.json";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const auto wrong = place.run({"run", "--simulate", "1x" + pipe.string()});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_NE(wrong.err.find("is not a regular file"), std::string::npos) << wrong.err;
}

TEST_F(Output, RefusesPipeAsResultFile) {
    const auto pipe = place.folder / "pipe.jsonl";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    for (const auto& words : std::vector<driven::Words>{{"run", "--resume", pipe}, {"judge", pipe}}) {
        const auto wrong = place.run(words);
        EXPECT_EQ(wrong.code, 2);
        EXPECT_NE(wrong.err.find("not a regular file"), std::string::npos) << wrong.err;
    }
}

TEST_F(Output, RunFailsWithoutWorkers) {
    driven::Place empty;
    const auto finished = empty.run({"run"});
    EXPECT_EQ(finished.code, 4);
    EXPECT_EQ(driven::lines_in(finished.err), 1U) << finished.err;
}

// Otherwise the result file would get the number of standard output, and the table would be written into it.
TEST_F(Output, ClosedDescriptorsDoNotDamageFile) {
    const auto finished =
        driven::Started("/bin/sh", {"-c", "exec " + driven::tocuda() + " run <&- >&- 2>&-"}, place, {}).wait();
    EXPECT_EQ(finished.code, 0);
    EXPECT_EQ(place.recording().warnings, std::vector<std::string>{});
}

TEST_F(Output, ShowClaimPrintsOnlyThatClaim) {
    auto two = driven::simple_scenario("steady/carries_two");
    two.claims.push_back({"901-02", "other things work too"});
    two.variants.push_back({.name = "second", .expected = {{"901-02", Verdict::refuted}}});
    place.add_worker("tocuda-steady", driven::worker_script({two}));
    const auto shown = place.run({"show", "901-02"}).out;
    EXPECT_NE(shown.find("other things work too"), std::string::npos) << shown;
    EXPECT_NE(shown.find("second"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("simple things work"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("901-01"), std::string::npos) << shown;
}

TEST_F(Output, ShowClaimPrintsAllScenariosThatCarryIt) {
    place.add_worker("tocuda-steady", driven::worker_script({driven::simple_scenario("steady/one"),
                                                             driven::simple_scenario("steady/two")}));
    const auto document = nlohmann::json::parse(place.run({"show", "901-01", "--json"}).out);
    ASSERT_EQ(document.at("scenarios").size(), 2U) << document;
    EXPECT_EQ(document["scenarios"][1].at("name"), "steady/two");
    EXPECT_TRUE(document["scenarios"][1].contains("last")) << document;
    EXPECT_EQ(nlohmann::json::parse(place.run({"show", "steady/one", "--json"}).out).at("name"), "steady/one");
}

TEST_F(Output, ShowDocumentHasEveryBenchmark) {
    place.add_fake_bench();
    const auto document = nlohmann::json::parse(place.run({"show", "fake/", "--json"}).out);
    EXPECT_GT(document.at("benchmarks").size(), 1U);
    EXPECT_EQ(nlohmann::json::parse(place.run({"show", "fake/steady", "--json"}).out).at("name"), "fake/steady");
}

TEST_F(Output, TicketTellsWhatTheRunBeforeSaw) {
    place.run({"run"});
    EXPECT_EQ(place.run({"show", "901-01", "--ticket"}).out.find("Before, "), std::string::npos);
    place.run({"run"});
    const auto ticket = place.run({"show", "901-01", "--ticket"}).out;
    EXPECT_NE(ticket.find("\nBefore, in run "), std::string::npos) << ticket;
    EXPECT_TRUE(ticket.ends_with(", it was true.\n")) << ticket;
}

TEST_F(Output, ShowPrintsWhatIsObservedAndWhatDecides) {
    auto scenario = driven::simple_scenario("steady/told");
    scenario.observed = "where the tensor is afterwards";
    scenario.decisive = "whether that is the GPU";
    scenario.differs = {{"message", {{"2.11", "old words"}, {"2.15", "new words"}}}};
    place.add_worker("tocuda-steady", driven::worker_script({scenario}));
    const auto shown = place.run({"show", "steady/told"}).out;
    for (const auto* said : {"where the tensor is afterwards", "whether that is the GPU", "old words", "2.15"})
        EXPECT_NE(shown.find(said), std::string::npos) << shown;
}

TEST_F(Output, ListAndRunSayWhatNeedsNoGpu) {
    EXPECT_NE(place.run({"list", "steady/one*"}).out.find(" cpu "), std::string::npos);
    EXPECT_NE(place.run({"run", "steady/one*"}).out.find("Seen on the CPU."), std::string::npos);
}

TEST_F(Output, ConcurrentRunsWriteTwoWholeFiles) {
    auto first = driven::start(place, {"run"});
    auto second = driven::start(place, {"run"});
    EXPECT_EQ(first.wait().code, 0);
    EXPECT_EQ(second.wait().code, 0);
    ASSERT_EQ(place.files().size(), 2U);
    for (const auto& file : place.files()) {
        const auto read = read_recording(file);
        ASSERT_TRUE(read.has_value()) << read.error().what;
        EXPECT_TRUE(read->warnings.empty());
    }
}

TEST_F(Output, ProgramIsNotLinkedToCudaOrTorch) {
    const auto linked = driven::Started("/usr/bin/ldd", {driven::tocuda()}, place, {}).wait();
    ASSERT_NE(linked.out.find("libc.so"), std::string::npos) << linked.out << linked.err;
    for (const auto* library : {"libcuda", "libcudart", "libtorch", "libc10"})
        EXPECT_EQ(linked.out.find(library), std::string::npos) << linked.out;
}

TEST_F(Output, ListUsesAtMostThirtyMegabytes) {
    place.run({"list"});  // writes the descriptions
    EXPECT_LE(place.run({"list"}).peak_kib, 30L * 1024);
}

}  // namespace
}  // namespace tocuda
