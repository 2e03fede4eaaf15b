// tocuda, Apache-2.0.
// Tests the relay with a thread as its engine: every byte arrives in its place, no buffer is written while it is read,
// and exceptions are rethrown after everything has ended.
#include "measurement/relay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "measurement/payload.hpp"

namespace tocuda {
namespace {

struct Faults {
    int failing_start = -1;  // the number of the call that fails
    int failing_wait = -1;
};

// Moves the buffers one after another, in the order of the calls, each after a short delay.
class ThreadEngine final : public CopyEngine {
public:
    ThreadEngine(bool outwards, std::size_t far_bytes, std::vector<std::byte*> memory, Faults told = {})
        : far(far_bytes), sends(outwards), buffers(std::move(memory)), faults(told), asked(buffers.size(), 0),
          done(buffers.size(), 0), thread([this] { work(); }) {}
    ~ThreadEngine() override {
        {
            const std::lock_guard lock(mutex);
            over = true;
        }
        changed.notify_all();
        thread.join();
    }

    void start(std::size_t buffer, std::size_t place, std::size_t bytes) override {
        const std::lock_guard lock(mutex);
        if (starts++ == faults.failing_start) throw std::runtime_error("start failed");
        if (sends && asked[buffer] != done[buffer]) throw std::logic_error("a buffer was filled before it was free");
        tasks.push_back({buffer, place, bytes});
        ++asked[buffer];
        changed.notify_all();
    }
    void wait(std::size_t buffer) override {
        std::unique_lock lock(mutex);
        if (waits++ == faults.failing_wait) throw std::runtime_error("wait failed");
        const auto until = asked[buffer];
        changed.wait(lock, [&] { return done[buffer] >= until; });
    }
    void drain() noexcept override {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return tasks.empty(); });
        drained = true;
    }

    std::vector<std::byte> far;
    bool drained = false;
    int starts = 0;

private:
    struct Task {
        std::size_t buffer;
        std::size_t place;
        std::size_t bytes;
    };

    void work() {
        std::unique_lock lock(mutex);
        while (true) {
            changed.wait(lock, [&] { return over || !tasks.empty(); });
            if (tasks.empty()) return;
            const auto task = tasks.front();
            lock.unlock();
            std::this_thread::yield();
            auto* const near_side = buffers[task.buffer];
            if (sends) std::memcpy(far.data() + task.place, near_side, task.bytes);
            else std::memcpy(near_side, far.data() + task.place, task.bytes);
            lock.lock();
            tasks.pop_front();
            ++done[task.buffer];
            changed.notify_all();
        }
    }

    bool sends;
    std::vector<std::byte*> buffers;
    Faults faults;
    int waits = 0;
    std::mutex mutex{};
    std::condition_variable changed{};
    std::deque<Task> tasks{};
    std::vector<int> asked;
    std::vector<int> done;
    bool over = false;
    std::thread thread;
};

struct Case {
    std::size_t bytes = 0;
    Cut cut{};
    unsigned threads = 1;
    std::size_t buffers = 2;
    RelayWait waiting = RelayWait::yielding;
};

const CopyPart plain = [](std::byte* to, const std::byte* from, std::size_t bytes) { std::memcpy(to, from, bytes); };

// Each buffer is exactly as large as a chunk, so that the address sanitizer finds writes past its end.
struct Ring {
    Ring(std::size_t count, std::size_t bytes) {
        for (std::size_t i = 0; i < count; ++i) memory.push_back(std::make_unique<std::byte[]>(bytes));
    }
    std::vector<std::byte*> buffers() const {
        std::vector<std::byte*> each;
        for (const auto& one : memory) each.push_back(one.get());
        return each;
    }
    std::vector<std::unique_ptr<std::byte[]>> memory{};
};

std::vector<std::byte> payload(std::size_t bytes) {
    std::vector<std::byte> all(bytes);
    write_payload(all, 0);
    return all;
}

bool sends(const Case& how, const CopyPart& copy = plain) {
    const Ring ring(how.buffers, how.cut.chunk_bytes);
    ThreadEngine engine(true, how.bytes, ring.buffers());
    Crew crew(how.threads);
    Relay relay(crew, engine, ring.buffers(), how.waiting);
    const auto source = payload(how.bytes);
    for (int time = 0; time < 2; ++time) {
        std::fill(engine.far.begin(), engine.far.end(), std::byte{0});
        relay.send(source, how.cut, copy);
        if (engine.far != source) return false;
    }
    return true;
}

bool fetches(const Case& how, const CopyPart& copy = plain) {
    const Ring ring(how.buffers, how.cut.chunk_bytes);
    ThreadEngine engine(false, how.bytes, ring.buffers());
    Crew crew(how.threads);
    Relay relay(crew, engine, ring.buffers(), how.waiting);
    engine.far = payload(how.bytes);
    for (int time = 0; time < 2; ++time) {
        std::vector<std::byte> target(how.bytes);
        relay.fetch(target, how.cut, copy);
        if (target != engine.far) return false;
    }
    return true;
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const std::size_t bytes : {0, 1, 100, 101, 1999})
        for (const Cut cut : {Cut{100, 100}, Cut{100, 30}, Cut{1000, 64}, Cut{1, 1}})
            for (const unsigned threads : {1U, 3U})
                for (const std::size_t buffers : {1U, 2U, 4U}) {
                    if (bytes > 100 * cut.part_bytes) continue;
                    all.push_back({bytes, cut, threads, buffers});
                }
    return all;
}

std::string in_words(const Case& each) {
    return std::to_string(each.bytes) + " bytes, chunks of " + std::to_string(each.cut.chunk_bytes) + ", parts of " +
           std::to_string(each.cut.part_bytes) + ", " + std::to_string(each.threads) + " threads, " +
           std::to_string(each.buffers) + " buffers";
}

TEST(Relay, SendsEveryByteToItsPlace) {
    for (const auto& each : cases()) EXPECT_TRUE(sends(each)) << in_words(each);
}

TEST(Relay, FetchesEveryByteToItsPlace) {
    for (const auto& each : cases()) EXPECT_TRUE(fetches(each)) << in_words(each);
}

TEST(Relay, MovesEveryByteWhenThreadsWaitByPausing) {
    for (const std::size_t buffers : {2U, 8U}) {
        const Case pausing{1999, {100, 30}, 3, buffers, RelayWait::pausing};
        EXPECT_TRUE(sends(pausing)) << in_words(pausing);
        EXPECT_TRUE(fetches(pausing)) << in_words(pausing);
    }
}

TEST(Relay, AllowsSizeToChangeBetweenTransfers) {
    const Ring ring(3, 100);
    ThreadEngine engine(true, 1000, ring.buffers());
    Crew crew(3);
    Relay relay(crew, engine, ring.buffers());
    for (const std::size_t bytes : {1000, 1, 350, 0, 999}) {
        const auto source = payload(bytes);
        relay.send(source, {.chunk_bytes = bytes == 350 ? 50U : 100U, .part_bytes = 30}, plain);
        EXPECT_TRUE(std::equal(source.begin(), source.end(), engine.far.begin())) << bytes << " bytes";
    }
}

// Tests the tests with a copy that omits a byte.
TEST(RelayTestOfTheTest, DetectsByteThatWasNotCopied) {
    const CopyPart careless = [](std::byte* to, const std::byte* from, std::size_t bytes) {
        std::memcpy(to, from, bytes - 1);
    };
    EXPECT_FALSE(sends({1000, {100, 50}, 2, 2}, careless));
    EXPECT_FALSE(fetches({1000, {100, 50}, 2, 2}, careless));
}

// Returns the text of the exception, or "not drained" if the engine was not drained before it.
std::string failure(bool outwards, Faults faults, const CopyPart& copy = plain) {
    const Ring ring(2, 100);
    ThreadEngine engine(outwards, 1000, ring.buffers(), faults);
    Crew crew(3);
    Relay relay(crew, engine, ring.buffers());
    std::vector<std::byte> host(1000);
    try {
        if (outwards) relay.send(host, {.chunk_bytes = 100, .part_bytes = 25}, copy);
        else relay.fetch(host, {.chunk_bytes = 100, .part_bytes = 25}, copy);
    } catch (const std::exception& error) {
        return engine.drained ? error.what() : "not drained";
    }
    return "";
}

TEST(Relay, RethrowsFailedStart) {
    for (const int number : {0, 1, 5, 9})
        for (const bool outwards : {true, false})
            EXPECT_EQ(failure(outwards, {.failing_start = number}), "start failed") << number;
}

TEST(Relay, RethrowsFailedWait) {
    for (const int number : {0, 1, 5})
        for (const bool outwards : {true, false})
            EXPECT_EQ(failure(outwards, {.failing_wait = number}), "wait failed") << number;
}

TEST(Relay, RethrowsFailedCopy) {
    const CopyPart fails_to_copy = [](std::byte*, const std::byte*, std::size_t) {
        throw std::runtime_error("copy failed");
    };
    for (const bool outwards : {true, false}) EXPECT_EQ(failure(outwards, {}, fails_to_copy), "copy failed");
}

TEST(Relay, WorksAfterFailure) {
    const Ring ring(2, 100);
    ThreadEngine engine(true, 1000, ring.buffers(), {.failing_start = 3});
    Crew crew(3);
    Relay relay(crew, engine, ring.buffers());
    const auto source = payload(1000);
    const Cut cut{.chunk_bytes = 100, .part_bytes = 25};
    EXPECT_THROW(relay.send(source, cut, plain), std::runtime_error);
    relay.send(source, cut, plain);
    EXPECT_EQ(engine.far, source);
}

TEST(Relay, RejectsInvalidCutsAndRings) {
    const Ring ring(1, 100);
    ThreadEngine engine(true, 10, ring.buffers());
    Crew crew(1);
    Relay relay(crew, engine, ring.buffers());
    std::vector<std::byte> host(10);
    EXPECT_THROW(relay.send(host, {.chunk_bytes = 100, .part_bytes = 0}, plain), std::invalid_argument);
    EXPECT_THROW(relay.send(host, {.chunk_bytes = 10, .part_bytes = 20}, plain), std::invalid_argument);
    EXPECT_THROW(Relay(crew, engine, {}), std::invalid_argument);
}

}  // namespace
}  // namespace tocuda
