// tocuda, Apache-2.0.
// The event loop alone, with shell scripts as children.
#include "engine/engine.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <map>
#include <utility>

#include "command/driven_program_test.hpp"
#include "process/child.hpp"

namespace tocuda {
namespace {

using Jobs = std::vector<Job>;

class Scripts : public Source {
public:
    std::vector<Job> next() override {
        if (waiting.empty()) return {};
        auto jobs = std::move(waiting.front());
        waiting.pop_front();
        return jobs;
    }
    void look() override {
        ++looks;
        if (on_look) on_look();
    }
    void abandon() override { abandoned = true; }
    void lost(int gpu, const std::string& why) override { said.push_back("lost " + std::to_string(gpu) + ": " + why); }
    std::string progress() const override { return "scripts"; }

    Job job(const std::string& script) {
        return {.command = {"/bin/sh", "-c", script},
                .on_line =
                    [this](std::string_view line) {
                        said.emplace_back(line);
                        return line == "bad" ? std::string("it said bad") : std::string();
                    },
                .on_end = [this](const Ended& end) { ends.push_back(end.outcome); },
                .on_refused = [this](const std::string& why) { said.push_back("refused: " + why); }};
    }

    std::deque<Jobs> waiting{};
    std::vector<std::string> said{};
    std::vector<Outcome> ends{};
    std::function<void()> on_look{};
    int looks = 0;
    bool abandoned = false;
};

EngineSettings settings() { return {.guardian = driven::tocuda()}; }

TEST(Engine, RunsWhatItsSourceBringsAndReportsLinesAndEnds) {
    Scripts scripts;
    scripts.waiting = {{scripts.job("echo one >&3")}, {scripts.job("echo two >&3; exit 3")}};
    EXPECT_TRUE(Engine(settings()).run(scripts));
    std::sort(scripts.said.begin(), scripts.said.end());
    EXPECT_EQ(scripts.said, (std::vector<std::string>{"one", "two"}));
    ASSERT_EQ(scripts.ends.size(), 2U);
    EXPECT_EQ(scripts.ends[0].code + scripts.ends[1].code, 3);
    EXPECT_GE(scripts.looks, 1);
}

TEST(Engine, WritesInputAndClosesIt) {
    Scripts scripts;
    auto job = scripts.job("cat >&3");
    job.input = "first\nsecond\n";
    scripts.waiting = {{job}};
    EXPECT_TRUE(Engine(settings()).run(scripts));
    EXPECT_EQ(scripts.said, (std::vector<std::string>{"first", "second"}));
}

TEST(Engine, StopsChildWhoseLineIsRefused) {
    Scripts scripts;
    scripts.waiting = {{scripts.job("echo bad >&3; sleep 60")}};
    EXPECT_TRUE(Engine(settings()).run(scripts));
    ASSERT_EQ(scripts.ends.size(), 1U);
    EXPECT_EQ(scripts.ends[0].stopped, "it said bad");
}

TEST(Engine, StopsChildrenWhenBudgetIsSpent) {
    Scripts scripts;
    scripts.waiting = {{scripts.job("sleep 60")}};
    auto how = settings();
    how.ends_at = now();
    EXPECT_TRUE(Engine(std::move(how)).run(scripts));
    ASSERT_EQ(scripts.ends.size(), 1U);
    EXPECT_EQ(scripts.ends[0].stopped, "budget");
}

TEST(Engine, RefusesJobWithoutEnvironmentAndContinues) {
    Scripts scripts;
    auto job = scripts.job("echo never >&3");
    job.simulation = "nonsense";
    scripts.waiting = {{job}, {scripts.job("echo next >&3")}};
    EXPECT_TRUE(Engine(settings()).run(scripts));
    ASSERT_EQ(scripts.said.size(), 2U);
    EXPECT_TRUE(scripts.said[0].starts_with("refused: ")) << scripts.said[0];
    EXPECT_EQ(scripts.said[1], "next");
}

TEST(Engine, JobsThatStartTogetherShareBarrier) {
    Scripts scripts;
    const auto* say = "echo \"at $TOCUDA_MEETING\" >&3";
    scripts.waiting = {{scripts.job(say), scripts.job(say)}, {scripts.job(say), scripts.job(say)}, {scripts.job(say)}};
    EXPECT_TRUE(Engine(settings()).run(scripts));
    std::map<std::string, int> count;
    for (const auto& one : scripts.said) ++count[one];
    ASSERT_EQ(count.size(), 3U);
    EXPECT_EQ(count["at "], 1);
    for (const auto& [where, times] : count) EXPECT_EQ(times, where == "at " ? 1 : 2) << where;
}

TEST(Engine, FirstSignalStopsChildrenWithoutReportingTheirEnds) {
    Scripts scripts;
    scripts.waiting = {{scripts.job("echo up >&3; sleep 60")}};
    scripts.on_look = [&] {
        if (!scripts.said.empty() && !scripts.abandoned) ::kill(::getpid(), SIGTERM);
    };
    auto how = settings();
    how.interruptible = true;
    EXPECT_FALSE(Engine(std::move(how)).run(scripts));
    EXPECT_TRUE(scripts.abandoned);
    EXPECT_TRUE(scripts.ends.empty());
}

TEST(Engine, AsksDriverAfterAbnormalEndBeforeStartingAnother) {
    Scripts scripts;
    auto job = scripts.job("exit 1");
    job.gpus = {0};
    scripts.waiting = {{job}};
    scripts.on_look = [&, queued = false]() mutable {
        if (scripts.ends.empty() || std::exchange(queued, true)) return;
        scripts.waiting.push_back({scripts.job("echo next >&3")});
    };
    auto how = settings();
    how.gpus = {Gpu{.index = 0, .uuid = "GPU-0"}};
    ::setenv("LD_LIBRARY_PATH", (driven::tests_folder().parent_path() / "simulator/absent").c_str(), 1);
    EXPECT_TRUE(Engine(std::move(how)).run(scripts));
    ::unsetenv("LD_LIBRARY_PATH");
    ASSERT_EQ(scripts.said.size(), 2U);
    EXPECT_TRUE(scripts.said[0].starts_with("lost 0: GPU 0 (GPU-0) is not used any further")) << scripts.said[0];
    EXPECT_EQ(scripts.said[1], "next");
}

}  // namespace
}  // namespace tocuda
