// tocuda, Apache-2.0.
// Threads that persist between jobs.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tocuda {

// A pool of threads that persists between jobs, so that a job does not pay for starting threads.
class Crew {
public:
    // `threads` includes the caller of `run`; each of the others calls `greet` once before its first job.
    explicit Crew(unsigned threads, std::function<void()> greet = [] {});
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    unsigned size() const { return static_cast<unsigned>(others.size()) + 1; }

    // Runs the job in the caller and, at the same time, in each other thread that wakes before the caller has finished.
    // The job must therefore hand out its work piece by piece. Returns when all participants have finished; rethrows
    // the first exception.
    void run(const std::function<void()>& job);

private:
    void wait_for_jobs();
    void take_part(const std::function<void()>& job);  // the thread is already counted in `inside`

    std::function<void()> greeting;
    std::mutex mutex{};
    std::condition_variable called{};
    std::condition_variable left{};
    const std::function<void()>* open = nullptr;  // the job that threads can still join
    unsigned long number = 0;                     // of the current job
    unsigned inside = 0;
    bool over = false;
    std::exception_ptr thrown{};
    std::vector<std::thread> others{};
};

// Runs both at once, one in another thread of the crew and one in the caller, and returns when both have ended.
// Rethrows the first exception. The crew must have another thread, and no greeting that fails.
void at_once(Crew& crew, const std::function<void()>& another_does, const std::function<void()>& caller_does);

// Returns how many threads this process can run at once: the processors it may use, limited by its control group's CPU
// quota.
unsigned usable_threads();

// Threads that each keep to a processor of their own and have a number, so that each has its own share of the memory.
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

// The time that several threads take together: what they do at the same time counts once.
class SharedTime {
public:
    // `pass` is called with the seconds in which at least one thread has worked, one call after the other.
    explicit SharedTime(std::function<void(double seconds)> pass) : pass_time(std::move(pass)) {}

    void spend(const std::function<void()>& work) {
        const AtWork counted(*this);
        work();
    }

private:
    using Clock = std::chrono::steady_clock;

    class AtWork {
    public:
        explicit AtWork(SharedTime& time) : shared(time) { shared.change(1); }
        ~AtWork() { shared.change(-1); }
        AtWork(const AtWork&) = delete;
        AtWork& operator=(const AtWork&) = delete;

    private:
        SharedTime& shared;
    };

    void change(int by) {
        const std::lock_guard lock(changing);
        const auto now = Clock::now();
        if (threads > 0) pass_time(std::chrono::duration<double>(now - passed).count());
        passed = now;
        threads += by;
    }

    std::function<void(double)> pass_time;
    std::mutex changing{};
    int threads = 0;
    Clock::time_point passed{};
};

}  // namespace tocuda
