// tocuda, Apache-2.0.
// Waking threads takes longer than a small job, so no thread begins before all are awake.
#include "measurement/team.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <memory>

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
