// tocuda, Apache-2.0.
// Tests that descendants of this process are found, and ended ones recognised.
#include "process/process_tree.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace tocuda {
namespace {

// This process with a child and a grandchild, which wait to be killed.
class ProcessTree : public testing::Test {
protected:
    void SetUp() override {
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        child = fork();
        if (child == 0) {
            const auto below = fork();
            if (below > 0 && write(ends[1], &below, sizeof below) != sizeof below) _exit(1);
            while (true) pause();
        }
        ASSERT_EQ(read(ends[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
        close(ends[0]);
        close(ends[1]);
    }
    void TearDown() override {
        kill(grandchild, SIGKILL);
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    static bool has(const std::vector<pid_t>& processes, pid_t process) {
        return std::ranges::find(processes, process) != processes.end();
    }

    pid_t child = 0;
    pid_t grandchild = 0;
};

TEST_F(ProcessTree, ChildrenExcludeGrandchildren) {
    const auto children = children_of(getpid());
    EXPECT_TRUE(has(children, child));
    EXPECT_FALSE(has(children, grandchild));
}

TEST_F(ProcessTree, SlowWayFindsTheSame) {
    EXPECT_EQ(children_by_asking_all(getpid()), children_of(getpid()));
    EXPECT_EQ(children_by_asking_all(child), std::vector<pid_t>{grandchild});
}

TEST_F(ProcessTree, DescendantsIncludeGrandchildren) {
    const auto descendants = descendants_of(getpid());
    EXPECT_TRUE(has(descendants, child));
    EXPECT_TRUE(has(descendants, grandchild));
}

TEST_F(ProcessTree, ZombieDoesNotRun) {
    EXPECT_TRUE(runs(child));
    kill(child, SIGKILL);
    siginfo_t seen{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &seen, WEXITED | WNOWAIT), 0);
    EXPECT_FALSE(runs(child));
    EXPECT_EQ(resident_bytes_of(child), 0);
}

TEST_F(ProcessTree, RunningProcessHasMemory) { EXPECT_GT(resident_bytes_of(child), 0); }

}  // namespace
}  // namespace tocuda
