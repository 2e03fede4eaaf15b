// tocuda, Apache-2.0.
// What a person sees: colour, width and progress on a real pseudo-terminal; completion by real shells; the manual page.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "command/driven_program_test.hpp"
#include "terminal/paper.hpp"

namespace tocuda {
namespace {

class Terminal : public testing::Test {
protected:
    Terminal() {
        auto absent = driven::simple_scenario("steady/two");
        absent.needs.gpus = 64;
        place.add_worker("tocuda-steady",
                         driven::worker_script({driven::simple_scenario("steady/one"), absent}, "see where here"));
    }
    void SetUp() override {
        if (!std::filesystem::exists("/dev/ptmx") || !std::filesystem::exists("/dev/pts/ptmx"))
            GTEST_SKIP() << "this system has no pseudo-terminals";
    }

    // Returns what tocuda sends to a terminal.
    std::string on_terminal(const driven::Words& words, const driven::Variables& variables,
                            unsigned short columns = 0) {
        const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0)
            throw std::runtime_error("no pseudo-terminal");
        const int slave = ::open(::ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
        const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
        ::ioctl(slave, TIOCSWINSZ, &size);
        driven::Started program(driven::tocuda(), words, place, variables, slave);
        ::close(slave);
        std::string text;
        std::array<char, 4096> room{};
        for (ssize_t count = 0; (count = ::read(master, room.data(), room.size())) > 0;)
            text.append(room.data(), static_cast<std::size_t>(count));
        ::close(master);
        program.wait();
        return text;
    }

    driven::Place place;
};

TEST_F(Terminal, GetsColourUnlessNoColorIsSet) {
    EXPECT_NE(on_terminal({"run"}, {}).find("\x1b["), std::string::npos);
    EXPECT_EQ(on_terminal({"run"}, {{"NO_COLOR", "1"}}).find("\x1b["), std::string::npos);
    EXPECT_EQ(on_terminal({"run"}, {{"TERM", "dumb"}}).find("\x1b["), std::string::npos);
}

TEST_F(Terminal, DecidesTheWidthUnlessColumnsIsSet) {
    auto wide = driven::simple_scenario("wide/one");
    for (int i = 0; i < 30; ++i) wide.summary += " words";
    place.add_worker("tocuda-wide", driven::worker_script({wide}));
    const auto widest = [&](const driven::Variables& variables, unsigned short columns) {
        auto text = on_terminal({"show", "wide/one"}, variables, columns);
        std::erase(text, '\r');
        return driven::widest_line(text);
    };
    EXPECT_GT(widest({}, 100), 90U);
    EXPECT_LE(widest({}, 100), 100U);
    EXPECT_LE(widest({}, 200), 140U) << "wider lines are hard to read";
    EXPECT_GT(widest({}, 200), 130U);
    EXPECT_LE(widest({}, 0), 80U) << "a terminal that does not know its width";
    EXPECT_LE(widest({{"COLUMNS", "90"}}, 200), 90U);
    EXPECT_GT(widest({{"COLUMNS", "90"}}, 0), 80U);
}

TEST_F(Terminal, ShowsAScreenfulAndAllOnRequest) {
    std::vector<Scenario> many;
    for (int i = 1; i <= 40; ++i) {
        many.push_back(driven::simple_scenario("many/number_" + std::to_string(i)));
        const auto id = "9" + std::to_string(100 + i).substr(1) + "-01";
        many.back().claims = {{id, "simple things work"}};
        many.back().variants = {{.name = "default", .expected = {{id, Verdict::skipped}}}};
        many.back().needs.gpus = i <= 20 ? 64 : 65;
    }
    place.add_worker("tocuda-many", driven::worker_script(many));
    EXPECT_LE(driven::lines_in(on_terminal({"run"}, {}, 100)), 24U);
    EXPECT_GE(driven::lines_in(on_terminal({"run", "--all"}, {}, 100)), 41U);
    EXPECT_GE(driven::lines_in(on_terminal({"run", "many/"}, {}, 100)), 41U) << "asked for by name";
    EXPECT_GE(driven::lines_in(place.run({"run"}).out), 41U) << "a pipe gets all";
    const auto skipped = place.run({"run", "many/"}).out;
    EXPECT_NE(skipped.find("Nothing was seen"), std::string::npos) << skipped;
}

TEST_F(Terminal, ProgressIsRewrittenInPlaceAndRemoved) {
    place.add_worker("tocuda-slow",
                     driven::worker_script({driven::simple_scenario("slow/one_of_a_long_name")}, "sleep 2"));
    place.run({"list"});  // keeps the worker's description: waiting for it is progress, too
    for (const unsigned short columns : std::array<unsigned short, 2>{40, 100}) {
        const auto text = on_terminal({"run", "slow/"}, {}, columns);
        std::size_t drawn = 0;
        std::size_t last = 0;
        for (auto at = text.find("\rtocuda: "); at != std::string::npos; at = text.find("\rtocuda: ", at + 1)) {
            ++drawn;
            last = at;
            const auto line = text.substr(at + 1, text.find('\r', at + 1) - at - 1);
            EXPECT_LT(line.size(), columns) << "a full line would wrap: " << line;
            EXPECT_EQ(line.find('\n'), std::string::npos) << line;
            // On a slow machine it first waits for the driver's answer.
            if (line.find("tocuda: waiting for ") == std::string::npos) {
                EXPECT_NE(line.find(" of 1 done"), std::string::npos) << line;
            }
        }
        EXPECT_GE(drawn, 3U) << text;
        const auto removed = text.find('\r', last + 1);
        ASSERT_NE(removed, std::string::npos) << text;
        const auto blank = text.substr(removed + 1, text.find('\r', removed + 1) - removed - 1);
        EXPECT_EQ(blank.find_first_not_of(' '), std::string::npos) << blank;
    }
    EXPECT_EQ(place.run({"run", "slow/"}).err.find('\r'), std::string::npos) << "nothing moves in a file";
}

TEST_F(Terminal, QuietShowsNoProgress) {
    place.add_worker("tocuda-slow", driven::worker_script({driven::simple_scenario("slow/one")}, "sleep 1"));
    place.run({"list"});  // keeps the worker's description: a slow one is reported even then
    EXPECT_EQ(on_terminal({"run", "slow/", "--quiet"}, {}, 80).find("tocuda: "), std::string::npos);
}

TEST_F(Terminal, AsciiUnlessTheLocaleIsUtf8) {
    auto wordy = driven::simple_scenario("wordy/one");
    for (int i = 0; i < 60; ++i) wordy.claims[0].statement += " and more";
    place.add_worker("tocuda-steady", driven::worker_script({wordy}));
    EXPECT_EQ(on_terminal({"run"}, {{"LC_ALL", "C"}}).find('\xE2'), std::string::npos);
    EXPECT_NE(on_terminal({"run"}, {{"LC_ALL", "C"}}).find("..."), std::string::npos);
    EXPECT_NE(on_terminal({"run"}, {{"LC_ALL", "C.UTF-8"}}).find("\xE2\x80\xA6"), std::string::npos);
}

TEST_F(Terminal, ALongSentenceIsCutOnlyInAScreenful) {
    auto wordy = driven::simple_scenario("wordy/one");
    for (int i = 0; i < 60; ++i) wordy.claims[0].statement += " and more";
    wordy.claims[0].statement += " FINIS";
    place.add_worker("tocuda-steady", driven::worker_script({wordy}));
    EXPECT_EQ(on_terminal({"run"}, {}).find("FINIS"), std::string::npos);
    for (const auto& text : {on_terminal({"run", "--all"}, {}), on_terminal({"run", "wordy/"}, {}),
                             place.run({"run"}).out, place.run({"judge", place.files().at(0)}).out})
        EXPECT_NE(text.find("FINIS"), std::string::npos) << text;
}

class Completion : public testing::Test {
protected:
    Completion() { place.add_worker("tocuda-steady", driven::worker_script({driven::simple_scenario("steady/one")})); }

    // Returns what bash offers after these words; the last one is being typed.
    std::string offered(const std::string& words, int position) const {
        const auto script = "source <(" + driven::tocuda() + " completion bash); COMP_WORDS=(" + driven::tocuda() +
                            " " + words + "); COMP_CWORD=" + std::to_string(position) +
                            "; _tocuda; echo \"${COMPREPLY[@]}\"";
        const auto finished = driven::Started("/bin/bash", {"-c", script}, place, {}).wait();
        EXPECT_EQ(finished.err, "") << script;
        return finished.out;
    }

    driven::Place place;
};

TEST_F(Completion, BashOffersVerbsOptionsAndNames) {
    if (!std::filesystem::exists("/bin/bash")) GTEST_SKIP() << "this system has no bash";
    driven::write(place.folder / "file.jsonl", "");
    EXPECT_EQ(offered("comp", 1), "compare completion\n");
    EXPECT_EQ(offered("run --simu", 2), "--simulate\n");
    EXPECT_EQ(offered("bench --q", 2), "--quick --quiet\n");
    EXPECT_EQ(offered("show steady/o", 2), "steady/one\n");
    EXPECT_EQ(offered("run 901", 2), "901-01\n");
    EXPECT_EQ(offered("judge fil", 2), "file.jsonl\n");
    EXPECT_EQ(offered("run --resume fil", 3), "file.jsonl\n");
    EXPECT_EQ(offered("run --output wor", 3), "workers\n");
    EXPECT_EQ(offered("run --jobs ''", 3), "\n");
    EXPECT_EQ(offered("judge --verdict fa", 3), "false\n");
    EXPECT_EQ(offered("completion z", 2), "zsh\n");
    EXPECT_EQ(offered("help ver", 2), "verify\n");
}

// What the words before the tab become, in a zsh on a pseudo-terminal of its own.
constexpr auto in_zsh = R"(
zmodload zsh/zpty
zpty typist zsh -f -i
zpty -w typist 'PROMPT=; autoload -Uz compinit; compinit -u -D; source script'
zpty -w typist 'tell() { print -r -- "line<$BUFFER>" }; zle -N tell; bindkey "^X" tell; print rea""dy'
while zpty -r typist line && [[ $line != *ready* ]]; do :; done
zpty -w -n typist "$1"$'\t\x18'
while zpty -r typist line; do
  if [[ $line == *line\<*\>* ]]; then print -r -- ${${line#*line<}%>*}; exit; fi
done
)";

TEST_F(Completion, ZshOffersVerbsOptionsNamesAndFiles) {
    if (!std::filesystem::exists("/usr/bin/zsh")) GTEST_SKIP() << "this system has no zsh";
    driven::write(place.folder / "script", place.run({"completion", "zsh"}).out);
    driven::write(place.folder / "file.jsonl", "");
    driven::write(place.folder / "typing", in_zsh);
    const auto program = driven::tocuda();
    const auto path = std::filesystem::path(program).parent_path().string() + ":/usr/bin:/bin";
    for (const auto& [typed, becomes] : {std::pair("tocuda ju", "tocuda judge "),
                                         {"tocuda run --simu", "tocuda run --simulate "},
                                         {"tocuda show steady/o", "tocuda show steady/one "},
                                         {"tocuda run 901", "tocuda run 901-01 "},
                                         {"tocuda judge fil", "tocuda judge file.jsonl "},
                                         {"tocuda run --resume fil", "tocuda run --resume file.jsonl "},
                                         {"tocuda judge --verdict fa", "tocuda judge --verdict false "},
                                         {"tocuda completion z", "tocuda completion zsh "},
                                         {"tocuda help ver", "tocuda help verify "}}) {
        const auto told = driven::Started("/usr/bin/zsh", {"-f", place.folder / "typing", typed}, place,
                                          {{"PATH", path}, {"TERM", "dumb"}})
                              .wait();
        EXPECT_EQ(told.out, std::string(becomes) + "\n") << told.err;
    }
}

TEST_F(Completion, FishOffersVerbsOptionsNamesAndFiles) {
    if (!std::filesystem::exists("/usr/bin/fish")) GTEST_SKIP() << "this system has no fish";
    driven::write(place.folder / "script", place.run({"completion", "fish"}).out);
    driven::write(place.folder / "file.jsonl", "");
    const auto path = std::filesystem::path(driven::tocuda()).parent_path().string() + ":/usr/bin:/bin";
    for (const auto& [typed, offers] : {std::pair("tocuda ju", "judge"),
                                        {"tocuda run --simu", "--simulate"},
                                        {"tocuda show steady/o", "steady/one"},
                                        {"tocuda run 901", "901-01"},
                                        {"tocuda judge fil", "file.jsonl"},
                                        {"tocuda run --resume fil", "file.jsonl"},
                                        {"tocuda judge --verdict fa", "false"},
                                        {"tocuda completion z", "zsh"},
                                        {"tocuda help ver", "verify"}}) {
        const auto told = driven::Started("/usr/bin/fish", {"-N", "-c", "source script; complete -C $argv[1]", typed},
                                          place, {{"PATH", path}, {"HOME", place.folder}})
                              .wait();
        EXPECT_EQ(told.out.substr(0, told.out.find_first_of("\t\n")), offers) << typed << told.out << told.err;
    }
}

TEST_F(Completion, ManualPageHasEveryVerbAndOption) {
    const auto page = place.run({"man"}).out;
    EXPECT_TRUE(page.starts_with(".TH TOCUDA 1")) << page.substr(0, 100);
    const auto help = place.run({"--help"}).out;
    for (const std::string verb :
         {"list", "show", "run", "bench", "judge", "compare", "cite", "verify", "completion"}) {
        EXPECT_NE(page.find(".SS " + verb + "\n"), std::string::npos) << verb;
        EXPECT_NE(help.find("\n  " + verb + " "), std::string::npos) << verb;
        const auto options = place.run({verb, "--help"}).out;
        for (auto at = options.find(" --"); at != std::string::npos; at = options.find(" --", at + 1)) {
            auto name = options.substr(at + 1, options.find_first_of(" ,\n", at + 1) - at - 1);
            for (auto dash = name.find('-'); dash != std::string::npos; dash = name.find('-', dash + 2))
                name.insert(dash, "\\");
            EXPECT_NE(page.find(name), std::string::npos) << verb << " " << name;
        }
    }
    if (!std::filesystem::exists("/usr/bin/groff")) return;
    driven::write(place.folder / "tocuda.1", page);
    const auto read =
        driven::Started("/usr/bin/groff", {"-man", "-ww", "-Tascii", place.folder / "tocuda.1"}, place, {}).wait();
    EXPECT_EQ(read.err, "");
}

}  // namespace
}  // namespace tocuda
