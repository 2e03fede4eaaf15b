// tocuda, Apache-2.0.
// The threads wait on one condition variable. A count of the threads inside a job lets `run` wait for them; a thread
// that wakes after the job has closed does not join it.
#include "measurement/threads.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>
#include <utility>

namespace tocuda {

Crew::Crew(unsigned threads, std::function<void()> greet) : greeting(std::move(greet)) {
    for (unsigned i = 1; i < threads; ++i) others.emplace_back([this] { wait_for_jobs(); });
}

Crew::~Crew() {
    {
        const std::lock_guard lock(mutex);
        over = true;
    }
    called.notify_all();
    for (auto& other : others) other.join();
}

void Crew::run(const std::function<void()>& job) {
    {
        const std::lock_guard lock(mutex);
        open = &job;
        ++number;
        inside = 1;
    }
    if (!others.empty()) called.notify_all();
    take_part(job);
    std::unique_lock lock(mutex);
    open = nullptr;
    left.wait(lock, [&] { return inside == 0; });
    if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
}

void Crew::take_part(const std::function<void()>& job) {
    std::exception_ptr caught;
    try {
        job();
    } catch (...) {
        caught = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    if (caught && !thrown) thrown = std::move(caught);  // moved, so that the thread that rethrows it frees it
    if (--inside == 0) left.notify_one();
}

void Crew::wait_for_jobs() {
    bool greeted = false;
    const std::function<void()> greet_first = [&] {
        if (!greeted) greeting();
        greeted = true;
    };
    unsigned long done = 0;
    std::unique_lock lock(mutex);
    while (true) {
        called.wait(lock, [&] { return over || (open && number != done); });
        if (over) return;
        done = number;
        ++inside;
        const std::function<void()> job = [&greet_first, wanted = open] {
            greet_first();
            (*wanted)();
        };
        lock.unlock();
        take_part(job);
        lock.lock();
    }
}

namespace {

// The number of processors that the control group's CPU quota amounts to, rounded up; 0 if there is no quota.
unsigned share_of_time() {
    std::ifstream file("/sys/fs/cgroup/cpu.max");
    double quota = 0;
    double period = 0;
    if (!(file >> quota >> period) || quota <= 0 || period <= 0) return 0;
    return static_cast<unsigned>(std::clamp(std::ceil(quota / period), 1.0, 4096.0));
}

}  // namespace

void at_once(Crew& crew, const std::function<void()>& another_does, const std::function<void()>& caller_does) {
    const auto caller = std::this_thread::get_id();
    std::atomic<bool> joined{false};
    const auto wait = [&] {  // a thread that joins too late would not take part
        while (!joined) std::this_thread::yield();
    };
    crew.run([&] {
        if (std::this_thread::get_id() != caller) {
            if (!joined.exchange(true)) another_does();
            return;
        }
        try {
            caller_does();
        } catch (...) {
            wait();
            throw;
        }
        wait();
    });
}

unsigned usable_threads() {
    cpu_set_t allowed;
    unsigned count = std::max(1U, std::thread::hardware_concurrency());
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        count = static_cast<unsigned>(std::max(1, CPU_COUNT(&allowed)));
    const auto share = share_of_time();
    return share == 0 ? count : std::min(count, share);
}

}  // namespace tocuda

// Waking threads takes longer than a small job, so no thread begins before all are awake.

namespace tocuda {
namespace {

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct FreeSet {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

bool keep_to(int processor) {
    const std::unique_ptr<cpu_set_t, FreeSet> set(CPU_ALLOC(static_cast<std::size_t>(processor) + 1));
    const auto bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(processor) + 1);
    CPU_ZERO_S(bytes, set.get());
    CPU_SET_S(static_cast<std::size_t>(processor), bytes, set.get());
    return ::pthread_setaffinity_np(::pthread_self(), bytes, set.get()) == 0;
}

}  // namespace

Team::Team(const std::vector<int>& processors) : spans(processors.size()) {
    for (unsigned member = 0; member < processors.size(); ++member)
        threads.emplace_back([this, member, processor = processors[member]] { wait_for_jobs(member, processor); });
    seconds_of([](unsigned) {});  // by then each is bound
}

Team::~Team() {
    {
        const std::lock_guard lock(mutex);
        over = true;
    }
    called.notify_all();
    for (auto& thread : threads) thread.join();
}

double Team::seconds_of(const Job& wanted) {
    std::unique_lock lock(mutex);
    job = &wanted;
    awake = 0;
    at_work = size();
    ++number;
    called.notify_all();
    finished.wait(lock, [this] { return at_work == 0; });
    const auto earlier = [](const Span& one, const Span& other) { return one.began < other.began; };
    const auto sooner = [](const Span& one, const Span& other) { return one.ended < other.ended; };
    return std::max_element(spans.begin(), spans.end(), sooner)->ended -
           std::min_element(spans.begin(), spans.end(), earlier)->began;
}

void Team::wait_for_jobs(unsigned member, int processor) {
    if (!keep_to(processor)) ++unbound;
    unsigned long done = 0;
    std::unique_lock lock(mutex);
    while (true) {
        called.wait(lock, [&] { return over || number != done; });
        if (over) return;
        done = number;
        const auto& wanted = *job;
        lock.unlock();
        ++awake;
        // With more threads than processors, the others need this one's.
        for (unsigned looks = 1; awake < size(); ++looks)
            if (looks % 1024 == 0) std::this_thread::yield();
        spans[member].began = seconds_now();
        wanted(member);
        spans[member].ended = seconds_now();
        lock.lock();
        if (--at_work == 0) finished.notify_one();
    }
}

std::vector<int> spread_over(const std::vector<int>& processors, unsigned threads) {
    std::vector<int> chosen;
    for (std::size_t i = 0; i < threads; ++i)
        chosen.push_back(threads > processors.size() ? processors[i % processors.size()]
                                                     : processors[i * processors.size() / threads]);
    return chosen;
}

}  // namespace tocuda
