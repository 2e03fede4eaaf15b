// tocuda, Apache-2.0.
// Threads that each keep to a processor of their own and have a number, so that each has its own share of the memory.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tocuda {

class Team {
public:
    using Job = std::function<void(unsigned member)>;  // must not throw

    explicit Team(const std::vector<int>& processors);  // a thread for each of them
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    unsigned size() const { return static_cast<unsigned>(threads.size()); }
    // Runs the job in all threads at once, and returns how long it took, by the real clock: from the moment at which
    // all of them were awake until the last one had finished.
    double seconds_of(const Job& job);
    bool all_bound() const { return unbound == 0; }  // whether each thread may use its own processor alone

private:
    struct Span {
        double began = 0;
        double ended = 0;
    };

    void wait_for_jobs(unsigned member, int processor);

    std::mutex mutex{};
    std::condition_variable called{};
    std::condition_variable finished{};
    const Job* job = nullptr;
    unsigned long number = 0;  // of the current job
    unsigned at_work = 0;
    bool over = false;
    std::atomic<unsigned> awake{0};
    std::atomic<unsigned> unbound{0};
    std::vector<Span> spans;
    std::vector<std::thread> threads{};
};

// So many of these processors, spread evenly; some of them several times if there are fewer.
std::vector<int> spread_over(const std::vector<int>& processors, unsigned threads);

}  // namespace tocuda
