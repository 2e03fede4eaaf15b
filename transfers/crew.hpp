// tocuda, Apache-2.0.
// Threads that are kept between two jobs, so that a job costs no start of a thread.
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
    // The caller of `run` is the first of them; `greet` is done once by each of the others, before anything else.
    explicit Crew(unsigned threads, std::function<void()> greet = [] {});
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    unsigned size() const { return static_cast<unsigned>(others.size()) + 1; }

    // The job is done by the caller and, at the same time, by each of the others that wakes before the caller is
    // through with it: so it has to share its work out as it goes on. Ends when all who took part have; throws what the
    // first of them threw.
    void run(const std::function<void()>& job);

private:
    void wait_for_jobs();
    void take_part(const std::function<void()>& job);  // by one who is counted as inside

    std::function<void()> greeting;
    std::mutex mutex{};
    std::condition_variable called{};
    std::condition_variable left{};
    const std::function<void()>* open = nullptr;  // the job that one can still join
    unsigned long number = 0;                     // of the job
    unsigned inside = 0;
    bool over = false;
    std::exception_ptr thrown{};
    std::vector<std::thread> others{};
};

// How many threads this process can run at once: of the processors that it may use, no more than its group's share of
// time.
unsigned usable_threads();

}  // namespace tocuda
