// tocuda, Apache-2.0.
// Tests starting, writing to and stopping children, and what a child inherits.
#include "process/supervisor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "process/child.hpp"
#include "process/guarded_test.hpp"
#include "process/process_tree.hpp"
#include "process/spawning.hpp"

namespace tocuda {
namespace {

using guarded::Heard;

void step_until(Supervisor& supervisor, const std::function<bool()>& reached) {
    for (const double until = now() + 30; !reached() && now() < until;) supervisor.step(0.1);
    EXPECT_TRUE(reached()) << "not reached in 30 s";
}

class TestFile {
public:
    TestFile(const std::string& text, mode_t mode)
        : path(std::filesystem::temp_directory_path() / ("tocuda" + guarded::new_mark())) {
        std::ofstream(path) << text;
        chmod(path.c_str(), mode);
    }
    ~TestFile() { std::filesystem::remove(path); }
    TestFile(const TestFile&) = delete;
    TestFile& operator=(const TestFile&) = delete;

    std::filesystem::path path;
};

Outcome outcome_of(const std::string& program) {
    return guarded::run({.command = {program}, .environment = {}}).ends[0].outcome;
}

TEST(Supervisor, MissingProgramIsNotStarted) {
    const auto outcome = outcome_of("/nowhere/worker");
    EXPECT_EQ(outcome.ended, "not_started");
    EXPECT_EQ(outcome.stopped, "/nowhere/worker: No such file or directory");
}

TEST(Supervisor, ProgramNotOnPathIsNotStarted) {
    EXPECT_EQ(outcome_of("no-such-worker").stopped, "no-such-worker: No such file or directory");
}

TEST(Supervisor, NonExecutableProgramIsNotStarted) {
    const TestFile file("#!/bin/sh\n", 0644);
    const auto outcome = outcome_of(file.path);
    EXPECT_EQ(outcome.ended, "not_started");
    EXPECT_EQ(outcome.stopped, file.path.string() + ": Permission denied");
}

TEST(Supervisor, ProgramOfUnknownFormatIsNotStarted) {
    const TestFile file("\1\2\3", 0755);
    EXPECT_EQ(outcome_of(file.path).stopped, file.path.string() + ": Exec format error");
}

TEST(Supervisor, MissingGuardianIsReportedAtNextStep) {
    Heard heard;
    Supervisor supervisor("/nowhere/tocuda");
    supervisor.start(guarded::faulty("fine"), guarded::into(heard));
    EXPECT_EQ(heard.ends.size(), 0u);
    supervisor.step(5);
    ASSERT_EQ(heard.ends.size(), 1u);
    EXPECT_EQ(heard.ends[0].outcome.ended, "not_started");
    EXPECT_NE(heard.ends[0].outcome.stopped.find("/nowhere/tocuda"), std::string::npos);
}

TEST(Supervisor, NameWithoutSlashIsLookedUpOnChildsPath) {
    const auto heard = guarded::run({.command = {"sh", "-c", "echo found >&3"}, .environment = {"PATH=/nowhere:/bin"}});
    EXPECT_EQ(heard.lines, std::vector<std::string>{"found"});
}

TEST(Supervisor, KeepsExitCode) {
    const auto ended = guarded::run(guarded::shell("exit 7")).ends[0];
    EXPECT_EQ(ended.outcome.ended, "exit");
    EXPECT_EQ(ended.outcome.code, 7);
}

TEST(Supervisor, StandardOutputJoinsStderr) {
    EXPECT_EQ(guarded::run(guarded::shell("echo out; echo err >&2")).ends[0].stderr_tail, "out\nerr\n");
}

TEST(Supervisor, StandardInputIsEmpty) { EXPECT_EQ(guarded::run(guarded::shell("wc -c >&3")).lines.at(0), "0"); }

TEST(Supervisor, ChildHasOnlyDescriptorsZeroToThree) {
    const int left_open = open("/dev/null", O_RDONLY);  // as a shell may leave one open
    const auto mark = guarded::new_mark();
    auto child = guarded::faulty("hang");
    child.environment = guarded::environment_with(mark);
    Heard heard, other;
    Supervisor supervisor;
    supervisor.start(guarded::faulty("hang"), guarded::into(other));
    supervisor.start(child, guarded::into(heard));
    step_until(supervisor, [&] { return !heard.lines.empty(); });
    close(left_open);
    const auto process = guarded::processes_with(mark);
    ASSERT_EQ(process.size(), 1u);
    std::set<std::string> numbers;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(process[0]) + "/fd"))
        numbers.insert(entry.path().filename());
    EXPECT_EQ(numbers, (std::set<std::string>{"0", "1", "2", "3"}));
}

TEST(Supervisor, ChildHasOnlyItsOwnEnvironment) {
    const auto heard = guarded::run({.command = {"/usr/bin/env"}, .environment = {"LD_PRELOAD=", "ONE=1"}});
    EXPECT_EQ(heard.ends[0].stderr_tail, "LD_PRELOAD=\nONE=1\n");
}

TEST(Supervisor, ChildStartsWithNoSignalBlockedOrIgnored) {
    const auto before = signal(SIGXFSZ, SIG_IGN);
    sigset_t blocked, mask;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, &mask);
    const auto ignored =
        guarded::run({.command = {"/bin/sed", "-n", "s/SigIgn:.//p", "/proc/self/status"}, .environment = {}});
    const auto still_blocked =
        guarded::run({.command = {"/bin/sed", "-n", "s/SigBlk:.//p", "/proc/self/status"}, .environment = {}});
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    signal(SIGXFSZ, before);
    constexpr auto of_the_c_library = std::uint64_t{3} << 31;  // 32 and 33, which it sets up itself
    EXPECT_EQ(std::stoull(ignored.ends[0].stderr_tail, nullptr, 16) & ~of_the_c_library, 0u);
    EXPECT_EQ(std::stoull(still_blocked.ends[0].stderr_tail, nullptr, 16), 0u);
}

TEST(Supervisor, SendsInputAndReceivesItBack) {
    Heard heard;
    Supervisor supervisor;
    auto echo = guarded::shell("cat >&3");
    echo.keep_input = true;
    const auto id = supervisor.start(echo, guarded::into(heard));
    supervisor.send(id, "first\n");
    step_until(supervisor, [&] { return !heard.lines.empty(); });
    const std::string large(1 << 20, 'l');
    supervisor.send(id, large + "\n");
    supervisor.close_input(id);
    step_until(supervisor, [&] { return !heard.ends.empty(); });
    EXPECT_EQ(heard.lines, (std::vector<std::string>{"first", large}));
    EXPECT_TRUE(heard.ends.at(0).outcome.normal());
}

TEST(Supervisor, SendingToClosedInputIsHarmless) {
    Heard heard;
    Supervisor supervisor;
    auto deaf = guarded::shell("exec <&-; echo closed >&3; sleep 0.2");
    deaf.keep_input = true;
    const auto id = supervisor.start(deaf, guarded::into(heard));
    step_until(supervisor, [&] { return !heard.lines.empty(); });
    supervisor.send(id, "anybody?\n");
    step_until(supervisor, [&] { return !heard.ends.empty(); });
    EXPECT_TRUE(heard.ends.at(0).outcome.normal());
}

TEST(Supervisor, StopRecordsTheReason) {
    Heard heard;
    Supervisor supervisor;
    const auto id = supervisor.start(guarded::faulty("hang"), guarded::into(heard));
    step_until(supervisor, [&] { return !heard.lines.empty(); });
    supervisor.stop(id, "interrupted");
    step_until(supervisor, [&] { return !heard.ends.empty(); });
    EXPECT_EQ(heard.ends.at(0).outcome.ended, "signal");
    EXPECT_EQ(heard.ends.at(0).outcome.code, 9);
    EXPECT_EQ(heard.ends.at(0).outcome.stopped, "interrupted");
}

TEST(Supervisor, StopAfterTheEndChangesNothing) {
    Heard heard;
    Supervisor supervisor;
    const auto id = supervisor.start(guarded::shell("exit 0"), guarded::into(heard));
    usleep(300'000);  // it has ended by now, but no step has seen it
    supervisor.stop(id, "interrupted");
    step_until(supervisor, [&] { return !heard.ends.empty(); });
    EXPECT_TRUE(heard.ends.at(0).outcome.normal()) << describe_end(heard.ends.at(0).outcome);
}

TEST(Supervisor, SixteenConcurrentChildrenEndOnce) {
    std::vector<Heard> heard(16);
    Supervisor supervisor;
    for (std::size_t at = 0; at < heard.size(); ++at)
        supervisor.start(guarded::shell("sleep 0.2; echo " + std::to_string(at) + " >&3"), guarded::into(heard[at]));
    EXPECT_EQ(supervisor.running(), 16);
    step_until(supervisor, [&] { return supervisor.running() == 0; });
    for (std::size_t at = 0; at < heard.size(); ++at) {
        EXPECT_EQ(heard[at].lines, std::vector<std::string>{std::to_string(at)});
        EXPECT_EQ(heard[at].ends.size(), 1u);
    }
}

TEST(Supervisor, ReactionMayStartAnotherChild) {
    Heard second;
    Supervisor supervisor;
    supervisor.start(
        guarded::shell("exit 0"),
        {{}, [&](const Ended&) { supervisor.start(guarded::shell("echo second >&3"), guarded::into(second)); }});
    step_until(supervisor, [&] { return !second.ends.empty(); });
    EXPECT_EQ(second.lines, std::vector<std::string>{"second"});
}

TEST(Supervisor, WakeDescriptorEndsTheWait) {
    Supervisor supervisor;
    const auto pipe = make_pipe();
    ASSERT_EQ(::write(pipe.write.get(), "!", 1), 1);
    const double before = now();
    supervisor.step(600, pipe.read.get());
    EXPECT_LT(now() - before, 300);
}

TEST(Supervisor, DestructorEndsAllChildren) {
    const auto mark = guarded::new_mark();
    auto child = guarded::faulty("hang");
    child.environment = guarded::environment_with(mark);
    int ends = 0;
    {
        Heard heard;
        Supervisor supervisor;
        supervisor.start(child, {guarded::into(heard).on_line, [&](const Ended&) { ++ends; }});
        step_until(supervisor, [&] { return !heard.lines.empty(); });
        EXPECT_EQ(guarded::processes_with(mark).size(), 1u);
    }
    EXPECT_EQ(guarded::processes_with(mark).size(), 0u);
    EXPECT_EQ(ends, 0) << "the objects that reactions use may be gone by then";
}

class HolderKilled : public testing::TestWithParam<std::string> {};

TEST_P(HolderKilled, EndsEveryDescendant) {
    const auto mark = guarded::new_mark();
    Spawning spawning;
    for (int number = 0; number < 3; ++number) spawning.hand_on(number, number);
    const auto holder = spawning.start("/proc/self/exe", {"holder", "__holder", GetParam(), mark}, {"A=b"});
    ASSERT_EQ(holder.problem, 0);
    for (const double until = now() + 30; guarded::processes_with(mark).empty() && now() < until;) usleep(10'000);
    EXPECT_FALSE(guarded::processes_with(mark).empty());
    kill(holder.process, SIGKILL);
    waitpid(holder.process, nullptr, 0);
    EXPECT_TRUE(guarded::none_left_with(mark));
}

INSTANTIATE_TEST_SUITE_P(Supervisor, HolderKilled, testing::Values("hang", "stays_with_grandchild_in_own_session"),
                         [](const auto& test) { return test.param; });

class GuardianTold : public testing::TestWithParam<int> {};

TEST_P(GuardianTold, LeavesNothingBehind) {
    const auto mark = guarded::new_mark();
    auto child = guarded::faulty("stays_with_grandchild_in_own_session");
    child.environment = guarded::environment_with(mark);
    Heard heard;
    Supervisor supervisor;
    supervisor.start(child, guarded::into(heard));
    step_until(supervisor, [&] { return !heard.lines.empty(); });
    for (const auto guardian : children_of(getpid())) kill(guardian, GetParam());
    step_until(supervisor, [&] { return !heard.ends.empty(); });
    EXPECT_EQ(guarded::processes_with(mark).size(), 0u);
    EXPECT_EQ(heard.ends.at(0).outcome.ended, "signal");
    EXPECT_NE(heard.ends.at(0).outcome.stopped, "");
}

INSTANTIATE_TEST_SUITE_P(Supervisor, GuardianTold, testing::Values(SIGHUP, SIGINT, SIGTERM, SIGKILL),
                         [](const auto& test) { return std::string(sigabbrev_np(test.param)); });

}  // namespace
}  // namespace tocuda
