// tocuda, Apache-2.0.
// A pool of threads that persists between jobs, so that a job does not pay for starting threads.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tocuda {

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

}  // namespace tocuda
