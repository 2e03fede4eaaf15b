// tocuda, Apache-2.0.
// With --json a failure is one document on standard output, and its line is on standard error all the same.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "command/driven_program_test.hpp"
#include "record/made_up_file_test.hpp"

namespace tocuda {
namespace {

struct Failure {
    driven::Words words;
    int code;
    std::string message;  // part of it
};

void expect_document(const driven::Place& place, const Failure& failure) {
    auto words = failure.words;
    words.emplace_back("--json");
    const auto finished = place.run(words);
    const auto& first = words.front();
    EXPECT_EQ(finished.code, failure.code) << first << ": " << finished.err;
    ASSERT_TRUE(nlohmann::json::accept(finished.out)) << first << ": " << finished.out;
    const auto document = nlohmann::json::parse(finished.out);
    ASSERT_TRUE(document.contains("error")) << first << ": " << finished.out;
    EXPECT_EQ(document["error"]["exit_code"], failure.code);
    const auto message = document["error"]["message"].get<std::string>();
    EXPECT_NE(message.find(failure.message), std::string::npos) << message;
    EXPECT_NE(finished.err.find(message + "\n"), std::string::npos) << "stderr keeps its line: " << finished.err;
}

TEST(Failures, AreDocumentsOfEveryVerb) {
    driven::Place place;
    place.add_worker("tocuda-steady", driven::worker_script({driven::simple_scenario("steady/one")}));
    driven::write(place.folder / "notes.jsonl", "not a result file\n");
    for (const auto& failure :
         std::vector<Failure>{{{"lst"}, 2, "unknown verb 'lst'"},
                              {{"list", "steady/tow"}, 2, "steady/tow"},
                              {{"list", "--jsn"}, 2, "unknown option '--jsn'"},
                              {{"show"}, 2, "is missing"},
                              {{"show", "steady/tow"}, 2, "steady/tow"},
                              {{"run", "steady/tow"}, 2, "steady/tow"},
                              {{"run", "--jobs", "0"}, 2, "'0' is not a whole number"},
                              {{"run", "--simulate", "lots"}, 2, "lots"},
                              {{"run", "--resume", "notes.jsonl"}, 2, "notes.jsonl: not a result file"},
                              {{"bench", "no/such"}, 2, "no/such"},
                              {{"judge", "missing.jsonl"}, 2, "missing.jsonl"},
                              {{"judge", "notes.jsonl"}, 2, "notes.jsonl: not a result file"},
                              {{"compare", "notes.jsonl"}, 2, "notes.jsonl: not a result file"},
                              {{"compare", "notes.jsonl", "notes.jsonl"}, 2, "notes.jsonl: not a result file"},
                              {{"compare", "--fleet", "missing"}, 2, "missing"},
                              {{"compare", "--history", "missing"}, 2, "missing"},
                              {{"cite", "notes.jsonl", "00ff"}, 2, "notes.jsonl"},
                              {{"verify", "missing.jsonl"}, 2, "missing.jsonl"},
                              {{"reproduce", "notes.jsonl"}, 2, "notes.jsonl"},
                              {{"merge", "notes.jsonl", "-o", "out.jsonl"}, 2, "notes.jsonl"}})
        expect_document(place, failure);
}

TEST(Failures, AreDocumentsIfNothingCouldBeRun) {
    const driven::Place empty;
    expect_document(empty, {{"run"}, 4, "tocuda: "});
    expect_document(empty, {{"bench"}, 4, "tocuda: "});
}

TEST(Failures, NameEveryFileWithoutRows) {
    const driven::Place place;
    for (const auto* name : {"a.jsonl", "b.jsonl"})
        driven::write(place.folder / name, made_up::text({.run = made_up::run(name)}));
    const auto finished = place.run({"judge", "a.jsonl", "b.jsonl"});
    EXPECT_EQ(finished.code, 4) << finished.err;
    EXPECT_EQ(finished.err, "tocuda: no rows in a.jsonl, b.jsonl\n");
}

TEST(Failures, WithoutJsonPrintNoDocument) {
    const driven::Place place;
    EXPECT_EQ(place.run({"judge", "missing.jsonl"}).out, "");
    EXPECT_EQ(place.run({"lst"}).out, "");
}

}  // namespace
}  // namespace tocuda
