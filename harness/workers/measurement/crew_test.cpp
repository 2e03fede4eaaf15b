// tocuda, Apache-2.0.
// Tests that a crew shares out its work, closes a job when it is done, and rethrows exceptions.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "measurement/threads.hpp"

namespace tocuda {
namespace {

// Returns how often each piece was done.
std::vector<int> shared_out(Crew& crew, std::size_t pieces) {
    std::vector<std::atomic<int>> done(pieces);
    std::atomic<std::size_t> next{0};
    crew.run([&] {
        for (auto piece = next++; piece < pieces; piece = next++) ++done[piece];
    });
    return {done.begin(), done.end()};
}

TEST(Crew, DoesEachPieceOnce) {
    for (const unsigned threads : {1U, 2U, 5U}) {
        Crew crew(threads);
        EXPECT_EQ(crew.size(), threads);
        for (int job = 0; job < 50; ++job)
            EXPECT_EQ(shared_out(crew, 100), std::vector<int>(100, 1)) << threads << " threads, job " << job;
    }
}

TEST(Crew, RunsJobInCallerIfNoOtherThreadJoins) {
    Crew crew(3);
    for (int job = 0; job < 200; ++job) {
        std::atomic<int> times{0};
        crew.run([&] { ++times; });
        EXPECT_GE(times, 1);
        EXPECT_LE(times, 3);
    }
}

std::string thrown_by(Crew& crew, const std::function<void()>& job) {
    try {
        crew.run(job);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

TEST(Crew, RethrowsCallerExceptions) {
    Crew crew(2);
    const auto caller = std::this_thread::get_id();
    EXPECT_EQ(thrown_by(crew,
                        [&] {
                            if (std::this_thread::get_id() == caller) throw std::runtime_error("by the caller");
                        }),
              "by the caller");
}

// The caller waits until the other thread has joined the job.
TEST(Crew, RethrowsWorkerExceptions) {
    Crew crew(2);
    const auto caller = std::this_thread::get_id();
    std::atomic<bool> came{false};
    const auto job = [&] {
        if (std::this_thread::get_id() == caller) {
            while (!came) std::this_thread::yield();
            return;
        }
        came = true;
        throw std::runtime_error("by another");
    };
    EXPECT_EQ(thrown_by(crew, job), "by another");
}

// The other thread drops its reference to the exception before the caller rethrows it, so the caller is the last owner
// and frees it.
TEST(Crew, WorkerDropsItsExceptionBeforeCallerRethrows) {
    Crew crew(2);
    const auto caller = std::this_thread::get_id();
    for (int job = 0; job < 20000; ++job) {
        std::atomic<bool> came{false};
        std::weak_ptr<int> held;
        try {
            crew.run([&] {
                if (std::this_thread::get_id() == caller) {
                    while (!came) std::this_thread::yield();
                    return;
                }
                const auto load = std::make_shared<int>(job);
                held = load;
                came = true;
                throw load;
            });
            FAIL() << "nothing was thrown";
        } catch (const std::shared_ptr<int>& load) {
            EXPECT_EQ(*load, job);
        }
        ASSERT_TRUE(held.expired()) << "job " << job;
    }
}

TEST(Crew, WorksAfterException) {
    Crew crew(3);
    EXPECT_EQ(thrown_by(crew, [] { throw std::runtime_error("by all"); }), "by all");
    EXPECT_EQ(shared_out(crew, 100), std::vector<int>(100, 1));
}

TEST(Crew, GreetsEachOtherThreadOnceInThatThread) {
    std::atomic<int> greeted{0};
    const auto caller = std::this_thread::get_id();
    Crew crew(3, [&] {
        EXPECT_NE(std::this_thread::get_id(), caller);
        ++greeted;
    });
    for (int job = 0; job < 100; ++job) shared_out(crew, 10);
    EXPECT_LE(greeted, 2);
}

TEST(Crew, FailsJobIfGreetingFails) {
    Crew crew(2, [] { throw std::runtime_error("no device"); });
    const auto caller = std::this_thread::get_id();
    std::atomic<int> inside{0};
    std::string thrown;
    // Repeats until the other thread has joined a job in time.
    while (thrown.empty()) thrown = thrown_by(crew, [&] { ++inside; });
    EXPECT_EQ(thrown, "no device");
    EXPECT_EQ(std::this_thread::get_id(), caller);
}

TEST(Crew, AtLeastOneThreadIsUsable) { EXPECT_GE(usable_threads(), 1U); }

// Each waits for the other, so the test ends only if both run at once.
TEST(AtOnce, RunsBothTasksAtOnce) {
    Crew crew(2);
    for (int time = 0; time < 20; ++time) {
        std::atomic<int> there{0};
        const auto meet = [&] {
            ++there;
            while (there < 2) std::this_thread::yield();
        };
        at_once(crew, meet, meet);
        EXPECT_EQ(there, 2);
    }
}

std::string thrown_by(Crew& crew, const std::function<void()>& one, const std::function<void()>& other) {
    try {
        at_once(crew, one, other);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

const auto fine = [] {};
const auto fails = [] { throw std::runtime_error("failed"); };

TEST(AtOnce, RethrowsExceptionsOfTheOtherThread) {
    Crew crew(2);
    EXPECT_EQ(thrown_by(crew, fails, fine), "failed");
    EXPECT_EQ(thrown_by(crew, fine, fine), "");
}

TEST(AtOnce, RethrowsCallerExceptionsAfterTheOtherThreadEnds) {
    Crew crew(2);
    std::atomic<bool> through{false};
    EXPECT_EQ(thrown_by(crew, [&] { through = true; }, fails), "failed");
    EXPECT_TRUE(through);
}

}  // namespace
}  // namespace tocuda
