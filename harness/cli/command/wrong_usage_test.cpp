// tocuda, Apache-2.0.
// What people type wrong, and what they are told: usage, exit code, message. One line on standard error says it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "command/driven_program_test.hpp"

namespace tocuda {
namespace {

struct Usage {
    driven::Words words;
    int code;
    std::string says;  // on standard error; on standard output if the code is 0
};

// One folder for all: workers that are only described, and files to get wrong.
class WrongUsage : public testing::Test {
protected:
    static void SetUpTestSuite() {
        place = std::make_unique<driven::Place>();
        place->add_fake_bench();
        auto two = driven::simple_scenario("steady/two");
        two.summary = "fragments a float64 array";
        two.needs.gpus = 1;
        place->add_worker("tocuda-steady", driven::worker_script({driven::simple_scenario("steady/one"), two}));
        const auto recorded = place->run({"run", "steady/one", "--output", "recorded"});
        ASSERT_EQ(recorded.code, 0) << recorded.err;
        const auto file = *std::filesystem::directory_iterator(place->folder / "recorded");
        const auto text = driven::text_of(file);
        put("good.jsonl", text);
        put("torn.jsonl", text.substr(0, 40));
        put("cut.jsonl", text.substr(0, text.size() - 20));
        put("notes.txt", "not a result file\n");
        put("empty.jsonl", "");
        put("field.json", R"({"figures":{"memory_bytes":1073741824,"multiprocessors":2},"nosie":0.1})");
        put("broken.json", "{");
        std::filesystem::create_directory(place->folder / "nothing");
    }
    static void TearDownTestSuite() { place.reset(); }

    static void put(const std::string& name, const std::string& text) { driven::write(place->folder / name, text); }

    static void expect_told(const std::vector<Usage>& table) {
        for (const auto& [words, code, says] : table) {
            std::string typed = "tocuda";
            for (const auto& word : words) typed += " " + word;
            const auto told = place->run(words);
            EXPECT_EQ(told.code, code) << typed << "\n" << told.err;
            const auto& text = code == 0 ? told.out : told.err;
            EXPECT_NE(text.find(says), std::string::npos) << typed << "\n" << text << "lacks: " << says;
            EXPECT_EQ(told.err.find("?;"), std::string::npos) << typed << "\n" << told.err;
            if (code != 2) continue;
            EXPECT_EQ(driven::lines_in(told.err), 1U) << typed << "\n" << told.err;
            EXPECT_TRUE(told.err.starts_with("tocuda: ")) << typed << "\n" << told.err;
            const bool as_json = std::find(words.begin(), words.end(), "--json") != words.end();
            EXPECT_EQ(told.out.starts_with("{\n  \"error\": {\n"), as_json) << typed << "\n" << told.out;
            EXPECT_EQ(told.out.empty(), !as_json) << typed << "\n" << told.out;
        }
    }

    inline static std::unique_ptr<driven::Place> place;
};

TEST_F(WrongUsage, OfVerbs) {
    expect_told({
        {{"lst"}, 2, "unknown verb 'lst' (did you mean 'list'?); `tocuda --help` lists the verbs"},
        {{"rnu"}, 2, "did you mean 'run'?"},
        {{"benhc"}, 2, "did you mean 'bench'?"},
        {{"xyzzy"}, 2, "unknown verb 'xyzzy'; `tocuda --help` lists the verbs"},
        {{"why"}, 2, "did you mean `tocuda doctor`?"},
        {{"diagnose"}, 2, "`tocuda doctor`"},
        {{"check"}, 2, "`tocuda doctor`"},
        {{"doctro"}, 2, "did you mean 'doctor'?"},
        {{"benchmark"}, 2, "`tocuda bench`"},
        {{"measure"}, 2, "`tocuda bench`"},
        {{"diff"}, 2, "`tocuda compare`"},
        {{"explain"}, 2, "`tocuda show`"},
        {{"validate"}, 2, "`tocuda verify`"},
        {{"--verison"}, 2, "unknown option '--verison'"},
        {{"--json"}, 2, "unknown option '--json'"},
        {{"help", "run"}, 0, "--simulate"},
        {{"help", "bench"}, 0, "--quick"},
        {{"help"}, 0, "Usage: tocuda VERB"},
        {{"help", "rnu"}, 2, "did you mean 'run'?"},
        {{"help", "run", "bench"}, 2, "unexpected argument 'bench'; give one verb"},
        {{"--version", "--jsn"}, 2, "unknown option '--jsn'"},
        {{"completion"}, 2, "SHELL is missing"},
        {{"completion", "tcsh"}, 2, "no completion for 'tcsh'; there is one for bash, zsh and fish"},
        {{"man", "run"}, 2, "unexpected argument 'run'"},
    });
}

TEST_F(WrongUsage, OfListAndShow) {
    expect_told({
        {{"list", "steady/tow"}, 2, "did you mean 'steady/two'?"},
        {{"list", "float64"}, 0, "steady/two"},
        {{"list", "901-01"}, 0, "901-01  simple things work\n\nscenario"},
        {{"list", "fragment", "FLOAT64"}, 0, "steady/two"},
        {{"list", "float64", "nothing"}, 0, "nothing mentions all of these words; the closest"},
        {{"list", "my fp64 tensor fragments"}, 0, "steady/two"},
        {{"list", "bandwidth"}, 0, "fake/steady"},
        {{"list", "bandwith"}, 2, "did you mean 'bandwidth'?"},
        {{"list", "steady/", "fake/"}, 0, "steady/one"},
        {{"list", "steady/", "fake/"}, 0, "fake/steady"},
        {{"list", "--jsn"}, 2, "unknown option '--jsn' (did you mean '--json'?); `tocuda list --help` lists"},
        {{"list", "--names", "--json"}, 2, "--names and --json exclude each other"},
        {{"list", ""}, 2, "needs a value that is not empty"},
        {{"show"}, 2, "NAME is missing; usage: tocuda show [OPTIONS] NAME..."},
        {{"show", "90101"}, 2, "did you mean '901-01'?"},
        {{"show", "simple", "things"}, 0, "steady/one"},
        {{"show", "simple things work"}, 0, "one of them in full: `tocuda show 901-01`"},
        {{"show", "float64 array"}, 0, "901-01"},
        {{"show", "nonsense"}, 2, "no scenario, family, claim or benchmark is named 'nonsense' or speaks of it"},
        {{"show", "901-01", "--ticket"}, 2, "no result of 901-01 in results/local; `tocuda run 901-01` records one"},
        {{"show", "901-01", "--ticket", "--json"}, 2, "exclude each other"},
        {{"show", "fake/steady", "--ticket"}, 2, "`tocuda bench fake/steady` records one"},
        {{"show", "49799839", "--ticket"}, 2, "no row whose id begins with 49799839 in results/local; --output names"},
        {{"show", "901-01", "steady/two", "--ticket"}, 2, "takes one claim or scenario; unexpected 'steady/two'"},
        {{"show", "simple", "--ticket"}, 2, "--ticket needs the name of a claim, scenario or benchmark"},
    });
}

TEST_F(WrongUsage, OfRun) {
    expect_told({
        {{"run", "fake/steady"}, 2, "'fake/steady' is a benchmark; `tocuda bench fake/steady` measures it"},
        {{"run", "fake/"}, 2, "`tocuda bench fake/` measures it"},
        {{"run", "steady/tow"}, 2, "did you mean 'steady/two'?"},
        {{"run", "stead"}, 2, "did you mean 'steady/'?"},
        {{"run", "901-02"}, 2, "did you mean '901-01'?"},
        {{"run", "--jobs", "0"}, 2, "'0' is not a whole number from 1 to 1024"},
        {{"run", "--jobs", "many"}, 2, "'many' is not a whole number"},
        {{"run", "--timeout", "1q"}, 2, "'1q' is not a time: give seconds, or a unit, such as 90, 20m or 1.5h"},
        {{"run", "--timeout"}, 2, "--timeout needs a value"},
        {{"run", "--output", "--quiet"}, 2, "needs a value, but '--quiet' is an option"},
        {{"run", "--output", ""}, 2, "needs a value that is not empty"},
        {{"run", "--timeout", "5", "--timeout", "6"}, 2, "--timeout was given twice: give it once"},
        {{"run", "--jobs", "1", "--jobs", "2"}, 2, "--jobs was given twice: give it once"},
        {{"run", "--output", "a", "--output", "b"}, 2, "--output was given twice: give it once"},
        {{"run", "--output", "r.jsonl"}, 2, "--output is a folder, in which the result file gets its name: 'r.jsonl'"},
        {{"bench", "--output", "r.json"}, 2, "'r.json' is the name of a file"},
        {{"run", "--output", "notes.txt"}, 2, "notes.txt: cannot be created: Not a directory"},
        {{"run", "--output", "notes.txt/below"}, 2, "cannot be created"},
        {{"run", "--output", "/proc/results"}, 2, "; choose another folder with --output"},
        {{"run", "--real", "--simulate", "1x1GiB"}, 2, "--real and --simulate exclude each other"},
        {{"run", "--resume", "good.jsonl", "steady/one"}, 2, "--resume cannot be combined with PATTERN"},
        {{"run", "--resume", "good.jsonl", "--output", "x"}, 2, "--resume continues FILE: it cannot be combined with"},
        {{"bench", "--output=results/local", "--resume", "good.jsonl"}, 2, "--resume continues FILE: it cannot be"},
        {{"run", "--resume", "missing.jsonl"}, 2, "missing.jsonl: No such file or directory"},
        {{"run", "--resume", "notes.txt"}, 2, "notes.txt: not a result file"},
        {{"run", "--resume", "nothing"}, 2, "a folder, not a result file"},
        {{"run", "--simlate", "1x1GiB"}, 2, "did you mean '--simulate'?"},
        {{"run", "--quick"}, 2, "'--quick' (did you mean '--quiet'?); `tocuda run --help` lists the options"},
        {{"run", "--help"}, 0, "open, skipped or broken"},
        {{"run", "--verdict", "wrong"}, 2, "'wrong' is no verdict; use true, false, partly, open, skipped or broken"},
        {{"run", "--verdict", "true", "--json"}, 2, "--json holds every claim"},
        {{"run", "steady/one", "--verdict", "TRUE"}, 0, "TRUE     901-01"},
        {{"run", "steady/one", "--verdict", "false"}, 0, "no claim is false"},
    });
}

TEST_F(WrongUsage, OfSimulatedGpus) {
    expect_told({
        {{"simulate", "1x1GiB", "--record", "missing/file", "--", "true"}, 2, "missing/file: cannot be written"},
        {{"run", "--simulate", "H200"}, 2, "did you mean '1xH200'?"},
        {{"run", "--simulate", "8GiB"}, 2, "did you mean '1x8GiB'?"},
        {{"run", "--simulate", "1xH20"}, 2, "no profile named 'H20' (did you mean 'H200'?)"},
        {{"run", "--simulate", "0x1GiB"}, 2, "at least 1 GPU is needed"},
        {{"run", "--simulate", "2x-1GiB"}, 2, "'-1GiB' is too little"},
        {{"run", "--simulate", "1x1EiB"}, 2, "'1EiB' is too much; a GPU may have from 2MiB to 1TiB"},
        {{"run", "--simulate", "99x1GiB"}, 2, "at most 64 GPUs"},
        {{"run", "--simulate", "1x"}, 2, "has no memory size, file or profile after the 'x'"},
        {{"run", "--simulate", "lots"}, 2, "use COUNTxMEMORY (4x1GiB"},
        {{"run", "--simulate", "1xnotes.txt"}, 2, "the name of a profile's file must end in .json"},
        {{"run", "--simulate", "1xmissing.json"}, 2, "missing.json cannot be read"},
        {{"run", "--simulate", "1xfield.json"}, 2, "field.json: nosie: is unknown (did you mean 'noise'?)"},
        {{"run", "--simulate", "1xfield.json"}, 2, "`tocuda __simulation --fields` lists all"},
        {{"run", "--simulate", "1xbroken.json"}, 2, "broken.json"},
        {{"run", "--simulate", "2x1GiB", "--gpus", "7"},
         2,
         "no GPU '7'; found 2 simulated GPUs (2x1GiB); expected 0 to 1"},
        {{"run", "--simulate", "1x1GiB", "--gpus", "first"}, 2, "no GPU 'first'"},
        {{"run", "--simulate", "2x1GiB", "--gpus", "0,0"}, 2, "GPU 0 is listed twice"},
        {{"run", "--simulate", "2x1GiB", "--gpus", "0,"}, 2, "ends with a comma"},
        {{"bench", "--simulate", "H200"}, 2, "did you mean '1xH200'?"},
    });
}

TEST_F(WrongUsage, OfBench) {
    expect_told({
        {{"bench", "steady/one"}, 2, "'steady/one' is a scenario or claim; `tocuda run steady/one` runs it"},
        {{"bench", "901-01"}, 2, "`tocuda run 901-01` runs it"},
        {{"bench", "fake/stedy"}, 2, "did you mean 'fake/steady'?"},
        {{"bench", "--bytes", "3X"}, 2, "'3X' is not an amount; use a form like 4096, 4KiB, 64MiB or 1.5GiB"},
        {{"bench", "--bytes", "12MB"}, 2, "(did you mean '12MiB'?)"},
        {{"bench", "--bytes", "-1"}, 2, "below zero"},
        {{"bench", "--bytes", "0"}, 2, "nothing to measure"},
        {{"bench", "--bytes", "1GiB..4KiB"}, 2, "the range ends before it begins"},
        {{"bench", "--bytes", "4KiB.."}, 2, "a value is missing"},
        {{"bench", "fake/turns", "thruogh=runtime"}, 2, "did you mean 'through'?"},
        {{"bench", "fake/turns", "through=runtme"}, 2, "did you mean 'runtime'?"},
        {{"bench", "--quick", "--full"}, 2, "exclude each other"},
        {{"bench", "--together"}, 2, "--together needs the GPUs"},
        {{"bench", "--bugdet", "3"}, 2, "did you mean '--budget'?"},
        {{"bench", "fake/steady", "--output", "notes.txt"}, 2, "notes.txt: cannot be created"},
        {{"bench", "--resume", "missing.jsonl"}, 2, "missing.jsonl"},
    });
}

TEST_F(WrongUsage, OfDoctor) {
    expect_told({
        {{"doctor", "--timeout", "2"}, 2, "--timeout needs --deep"},
        {{"doctor", "CUDA error: out of memory"}, 2, "an error text is explained by --message: "},
        {{"doctor", "--message", "notes.txt", "--timeout", "2"}, 2, "--timeout needs --deep"},
        {{"doctor", "--pid", "2147483646"}, 2, "there is no process 2147483646"},
        {{"doctor", "--python", "/nonexistent"}, 2, "--python: /nonexistent is not found"},
        {{"doctor", "--python", "nothing"}, 2, "--python: nothing holds no bin/python"},
        {{"doctor", "--python", "notes.txt", "--json"}, 2, "notes.txt is not a Python interpreter"},
    });
}

TEST_F(WrongUsage, OfFiles) {
    expect_told({
        {{"verify"}, 2, "FILE is missing"},
        {{"verify", "notes.txt"}, 2, "notes.txt: not a result file"},
        {{"verify", "field.json"}, 2, "field.json: not a result file"},
        {{"verify", "missing.jsonl"}, 2, "missing.jsonl: No such file or directory"},
        {{"verify", "empty.jsonl"}, 2, "empty: a result file begins with a run line"},
        {{"verify", "nothing"}, 2, "nothing: no result files (*.jsonl) in this folder"},
        {{"verify", "good.jsonl", "good.jsonl"}, 0, "whole, unaltered"},
        {{"verify", "good.jsonl", "--cited", "12"}, 2, "at least the first 12 hexadecimal digits"},
        {{"verify", "cut.jsonl"}, 1, ""},
        {{"judge"}, 2, "FILE is missing"},
        {{"judge", "torn.jsonl"}, 2, "torn.jsonl:1:"},
        {{"judge", "good.jsonl", "torn.jsonl"}, 2, "torn.jsonl:1: the run line is incomplete: the file was cut off"},
        {{"judge", "notes.txt"}, 2, "notes.txt: not a result file"},
        {{"judge", "good.jsonl", "--verdict", "0"}, 2, "'0' is no verdict"},
        {{"judge", "good.jsonl", "--verdict", "partly"}, 0, "no claim is partly"},
        {{"judge", "good.jsonl", "--verdict", "reproduced"}, 0, "TRUE     901-01"},
        {{"cite", "good.jsonl"}, 2, "ROW is missing"},
        {{"cite", "good.jsonl", "901-02"}, 2, "no measurement and no claim '901-02' in it"},
        {{"cite", "notes.txt", "901-01"}, 2, "notes.txt"},
        {{"cite", "good.jsonl", "901-01", "--json", "--bibtex"}, 2, "exclude each other"},
        {{"merge", "good.jsonl"}, 2, "--output is missing"},
        {{"import", "good.jsonl"}, 2, "--output is missing"},
        {{"import", "good.jsonl", "-o", "out.jsonl"}, 2, "good.jsonl: is a result file of tocuda already"},
        {{"merge", "good.jsonl", "-o", "missing/fleet.jsonl"}, 2, "no such folder: missing"},
        {{"merge", "good.jsonl", "-o", "/proc/fleet.jsonl"}, 2, "/proc/fleet.jsonl: cannot be written"},
        {{"report", "good.jsonl", "-o", "missing/page.html"}, 2, "no such folder: missing"},
        {{"report", "good.jsonl", "-o", "/proc/page.html"}, 2, "/proc/page.html: cannot be written"},
        {{"merge", "good.jsonl", "torn.jsonl", "-o", "fleet.jsonl"},
         2,
         "torn.jsonl:1: the run line is incomplete: the file was cut off"},
        {{"compare"}, 2, "nothing to compare: give NEW, OLD NEW, --history FOLDER or --fleet FILE..."},
        {{"compare", "--ticket"}, 2, "--ticket needs NEW"},
        {{"compare", "good.jsonl", "missing.jsonl"}, 2, "missing.jsonl"},
        {{"compare", "nothing", "good.jsonl"}, 2, "nothing: no result files (*.jsonl) in this folder"},
        {{"compare", "good.jsonl", "good.jsonl", "--margin", "90"}, 2, "no percentage above 0 and up to 50"},
        {{"reproduce"}, 2, "FILE is missing"},
        {{"reproduce", "notes.txt"}, 2, "notes.txt"},
    });
}

}  // namespace
}  // namespace tocuda
