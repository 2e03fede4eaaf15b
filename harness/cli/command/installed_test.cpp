// tocuda, Apache-2.0.
// Tests workers as they are in an installed tree: with digests beside them, and with the LibTorch of a Python.
#include <gtest/gtest.h>

#include "command/driven_program_test.hpp"
#include "json_lines/worker_lines.hpp"
#include "model/row.hpp"
#include "record/digest.hpp"

namespace tocuda {
namespace {

namespace filesystem = std::filesystem;

const std::string script_of_python = "#!/bin/sh\nprintf '%s\\n' ";
const std::string needs = "needs torch 2.15; ";

class Installed : public testing::Test {
protected:
    // A worker that uses LibTorch, and leaves a note of its first argument and of `variable` whenever it is started.
    void add_worker(const std::string& variable) {
        const std::string head = to_line(WorkerLine{});
        auto script = driven::worker_script(scenarios);
        script.replace(script.find(head), head.size(), to_line(WorkerLine{.built_with = {{"libtorch", "2.15.0"}}}));
        script.replace(0, 10, "#!/bin/sh\necho \"$1 $" + variable + "\" >>" + notes().string() + "\n");
        worker = place.add_worker("tocuda-steady", script);
    }
    filesystem::path notes() const { return place.folder / "notes"; }
    // The description is older than the worker, as in a copy whose files got new times.
    void describe_earlier() const {
        place.describe("tocuda-steady", scenarios);
        filesystem::last_write_time(worker.string() + ".describe.jsonl",
                                    filesystem::last_write_time(worker) - std::chrono::hours(1));
    }
    // The tree is for LibTorch 2.15, and the Python that is asked for its torch answers with `lines`.
    void use_python(const std::string& lines) {
        driven::write(place.workers / "libtorch_version", "2.15\n");
        place.variables["TOCUDA_PYTHON"] = place.add_worker("python", script_of_python + lines + "\n");
    }
    // Runs the scenario with a LibTorch that does not suit, and returns the reason in its row.
    std::string because_skipped() {
        add_worker("TOCUDA_TORCH");
        const auto run = place.run({"run"});
        EXPECT_EQ(run.code, 4) << run.err;
        EXPECT_NE(run.err.find("tocuda: tocuda-steady " + needs), std::string::npos) << run.err;
        EXPECT_EQ(driven::text_of(notes()), "describe \n");
        const auto recording = place.recording();
        const auto* row = driven::find_row(recording, "steady/one");
        if (!row) return "no row";
        EXPECT_EQ(row->claims.at(0).verdict, Verdict::skipped);
        return row->claims.at(0).because;
    }

    driven::Place place;
    std::vector<Scenario> scenarios{driven::simple_scenario("steady/one")};
    filesystem::path worker;
};

TEST_F(Installed, WorkerWithItsDigestIsNotAsked) {
    add_worker("HOME");
    describe_earlier();
    Digest digest;
    digest.add(driven::text_of(worker));
    driven::write(worker.string() + ".sha256", digest.hex() + "  tocuda-steady\n");
    const auto listed = place.run({"list"});
    EXPECT_NE(listed.out.find("steady/one"), std::string::npos) << listed.out;
    EXPECT_EQ(driven::text_of(notes()), "");
}

TEST_F(Installed, WorkerWithAnotherDigestIsAsked) {
    add_worker("TOCUDA_TORCH");
    describe_earlier();
    driven::write(worker.string() + ".sha256", Digest().hex() + "  tocuda-steady\n");
    place.run({"list"});
    EXPECT_EQ(driven::text_of(notes()), "describe \n");
}

TEST_F(Installed, LibTorchOfPythonIsUsedAndRecorded) {
    add_worker("LD_LIBRARY_PATH:$TOCUDA_PYTHON:$TOCUDA_TORCH");
    use_python("/a/torch 2.15.3 /a/python /a/runtime");
    place.variables["LD_LIBRARY_PATH"] = "/own";
    const auto run = place.run({"run"});
    EXPECT_EQ(run.code, 0) << run.err;
    const std::string environment = "/a/torch/lib:/a/runtime:/own:/a/python:/a/torch\n";
    const auto started = driven::text_of(notes());
    for (const std::string word : {"describe ", "observe ", "judge "})
        EXPECT_NE(started.find(word + environment), std::string::npos) << started;
    EXPECT_EQ(place.recording().sections.at(0).run.libtorch.version, "2.15.3");
}

TEST_F(Installed, OtherVersionOfTorchIsNamed) {
    use_python("'the installed one is 2.9.0, not 2.15'; exit 1");
    EXPECT_EQ(because_skipped(), needs + place.variables["TOCUDA_PYTHON"] +
                                     ": the installed one is 2.9.0, not 2.15; set TOCUDA_PYTHON to a Python with "
                                     "torch 2.15");
}

TEST_F(Installed, PythonWithoutTorchIsNamed) {
    use_python("''; exit 1");
    EXPECT_NE(because_skipped().find("torch is not installed"), std::string::npos);
}

TEST_F(Installed, MissingPythonIsNamed) {
    use_python("");
    place.variables["TOCUDA_PYTHON"] = "/nowhere/python";
    EXPECT_NE(because_skipped().find("/nowhere/python: it does not start"), std::string::npos);
}

TEST_F(Installed, WithoutLibTorchRecordedVerdictsAreKept) {
    add_worker("HOME");
    EXPECT_EQ(place.run({"run"}).code, 0);
    use_python("''; exit 1");
    const auto judged = place.run({"judge", place.files().at(0)});
    EXPECT_EQ(judged.code, 0) << judged.err;
    EXPECT_NE(judged.out.find("TRUE"), std::string::npos) << judged.out;
    EXPECT_NE(judged.err.find("tocuda-steady cannot judge; its recorded verdicts are kept: " + needs),
              std::string::npos)
        << judged.err;
}

}  // namespace
}  // namespace tocuda
