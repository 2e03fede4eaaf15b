// tocuda, Apache-2.0.
// The session rule with made-up times, and the session file: locked, never torn, and never blocking a run.
#include "machine/session.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/machine_tree_test.hpp"
#include "machine/text_file.hpp"

namespace tocuda {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr sys_seconds noon{seconds{1'795'262'400}};
constexpr Runner self{100, 5};
constexpr Runner other{200, 6};

bool all_alive(Runner) { return true; }
bool none_alive(Runner) { return false; }

const SessionState earlier{"first", "boot-a", "7", noon, {}};

SessionState next(const SessionState& before, sys_seconds now) {
    return begun(before, "boot-a", "7", now, self, all_alive, "second");
}

TEST(SessionRule, FirstRunBeginsASession) {
    EXPECT_EQ(begun({}, "boot-a", "7", noon, self, all_alive, "second"),
              (SessionState{"second", "boot-a", "7", noon, {self}}));
}

TEST(SessionRule, ContinuesForTenMinutes) { EXPECT_EQ(next(earlier, noon + minutes{10}).id, "first"); }

TEST(SessionRule, EndsAfterTenMinutes) { EXPECT_EQ(next(earlier, noon + minutes{10} + seconds{1}).id, "second"); }

TEST(SessionRule, AnotherBootBeginsASession) {
    EXPECT_EQ(begun(earlier, "boot-b", "7", noon, self, all_alive, "second").id, "second");
}

TEST(SessionRule, AnotherDriverLoadBeginsASession) {
    EXPECT_EQ(begun(earlier, "boot-a", "8", noon, self, all_alive, "second").id, "second");
}

TEST(SessionRule, UnfinishedRunKeepsTheSessionOpen) {
    auto before = earlier;
    before.running = {other};
    const auto state = next(before, noon + minutes{300});
    EXPECT_EQ(state.id, "first");
    EXPECT_EQ(state.running, (std::vector<Runner>{other, self}));
}

TEST(SessionRule, KilledRunDoesNotKeepTheSessionOpen) {
    auto before = earlier;
    before.running = {other};
    EXPECT_EQ(begun(before, "boot-a", "7", noon + minutes{300}, self, none_alive, "second").id, "second");
}

TEST(SessionRule, TenMinutesCountFromTheEndOfTheRun) {
    const auto state = ended(next(earlier, noon), noon + minutes{60}, self);
    EXPECT_EQ(state.running, std::vector<Runner>{});
    EXPECT_EQ(next(state, noon + minutes{69}).id, "first");
}

TEST(SessionRule, ClockSetFarBackBeginsASession) { EXPECT_EQ(next(earlier, noon - minutes{11}).id, "second"); }

TEST(SessionText, IsReadBack) {
    auto state = earlier;
    state.running = {self, other};
    state.load_mark = "";
    EXPECT_EQ(session_state_of(text_of(state)), state);
}

TEST(SessionText, RefusesTornLines) {
    auto state = earlier;
    state.running = {self};
    const auto text = text_of(state);
    for (std::size_t length = 0; length < text.size(); ++length) {
        const bool whole_lines = length == text.find("running");
        EXPECT_EQ(session_state_of(text.substr(0, length)).has_value(), whole_lines) << length;
    }
}

TEST(SessionText, RefusesUnknownLines) {
    EXPECT_EQ(session_state_of(text_of(earlier) + "colour blue\n"), std::nullopt);
}

struct SessionFile : testing::Test {
    Session begin(sys_seconds now) { return begin_session("boot-a", "7", now, tree.root / "state/tocuda"); }
    void end(sys_seconds now) { end_session("boot-a", now, tree.root / "state/tocuda"); }

    MachineTree tree;
};

TEST_F(SessionFile, IsCreatedWithItsFolder) {
    const auto session = begin(noon);
    EXPECT_EQ(session.id.size(), 36u);
    EXPECT_EQ(session.not_kept, std::nullopt);
}

TEST_F(SessionFile, IsFoundByTheNextRun) {
    const auto first = begin(noon).id;
    end(noon + minutes{30});
    EXPECT_EQ(begin(noon + minutes{39}).id, first);
    end(noon + minutes{39});
    EXPECT_NE(begin(noon + minutes{50}).id, first);
}

TEST_F(SessionFile, DamagedFileBeginsASession) {
    const auto first = begin(noon).id;
    tree.write("state/tocuda/session-boot-a", "tocuda session 1\nid " + first);
    const auto second = begin(noon);
    EXPECT_NE(second.id, first);
    EXPECT_EQ(second.not_kept, std::nullopt);
}

TEST_F(SessionFile, ReportsAFolderThatCannotBeCreated) {
    tree.write("state", "a file where the folder should be");
    const auto session = begin(noon);
    EXPECT_EQ(session.id.size(), 36u);
    ASSERT_TRUE(session.not_kept.has_value());
    EXPECT_NE(session.not_kept->cause.find("state"), std::string::npos) << session.not_kept->cause;
    EXPECT_NO_THROW(end(noon));
}

TEST_F(SessionFile, ReportsAFileThatCannotBeReplaced) {
    tree.folder("state/tocuda/session-boot-a/in-the-way");
    const auto session = begin(noon);
    ASSERT_TRUE(session.not_kept.has_value());
    EXPECT_NE(session.not_kept->cause.find("cannot be written"), std::string::npos) << session.not_kept->cause;
}

TEST_F(SessionFile, ReportsAMissingStateFolder) {
    const auto session = begin_session("boot-a", "7", noon, {});
    ASSERT_TRUE(session.not_kept.has_value());
    EXPECT_NE(session.not_kept->cause.find("HOME"), std::string::npos);
}

TEST_F(SessionFile, OtherMachinesWithTheSameHomeDoNotInterfere) {
    const auto first = begin(noon).id;
    EXPECT_NE(begin_session("boot-b", "7", noon, tree.root / "state/tocuda").id, first);
    end(noon);
    EXPECT_EQ(begin(noon + minutes{5}).id, first);
}

TEST_F(SessionFile, RemovesFilesOfOldBoots) {
    begin(noon);
    const auto old = tree.root / "state/tocuda/session-boot-a";
    std::filesystem::last_write_time(old, std::filesystem::file_time_type::clock::now() - std::chrono::hours{24 * 31});
    begin_session("boot-b", "7", noon, tree.root / "state/tocuda");
    EXPECT_FALSE(std::filesystem::exists(old));
}

// A process that holds a removed lock file would no longer exclude others.
TEST_F(SessionFile, KeepsTheLockOfABootInUse) {
    begin(noon);
    const auto lock = tree.root / "state/tocuda/lock-boot-a";
    std::filesystem::last_write_time(lock, std::filesystem::file_time_type::clock::now() - std::chrono::hours{24 * 31});
    const auto kept_file = std::filesystem::path(lock).replace_filename("kept");
    std::filesystem::create_hard_link(lock, kept_file);
    begin(noon);
    begin_session("boot-b", "7", noon, tree.root / "state/tocuda");
    EXPECT_TRUE(std::filesystem::exists(lock) && std::filesystem::equivalent(lock, kept_file));
}

TEST_F(SessionFile, SimultaneousStartsShareOneSession) {
    constexpr int count = 16;
    for (int i = 0; i < count; ++i) {
        const auto child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            tree.write("said/" + std::to_string(i), begin(noon).id);
            end(noon);
            _exit(0);
        }
    }
    for (int i = 0; i < count; ++i) wait(nullptr);
    const auto first = read_text(tree.root / "said/0");
    ASSERT_TRUE(first && first->size() == 36);
    for (int i = 1; i < count; ++i) EXPECT_EQ(read_text(tree.root / "said" / std::to_string(i)), first) << i;
}

TEST(SessionFolder, FollowsTheEnvironment) {
    const char* kept_state = std::getenv("XDG_STATE_HOME");
    const std::string before = kept_state == nullptr ? "" : kept_state;
    setenv("XDG_STATE_HOME", "/somewhere", 1);
    EXPECT_EQ(session_folder(), "/somewhere/tocuda");
    unsetenv("XDG_STATE_HOME");
    EXPECT_TRUE(session_folder().empty() || session_folder().string().ends_with(".local/state/tocuda"));
    if (!before.empty()) setenv("XDG_STATE_HOME", before.c_str(), 1);
}

}  // namespace
}  // namespace tocuda
