// tocuda, Apache-2.0.
// A second thread that is kept, for what has to go on at the same time.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace tocuda {

class Companion {
public:
    Companion();
    ~Companion();
    Companion(const Companion&) = delete;
    Companion& operator=(const Companion&) = delete;

    // The companion does the one while the caller does the other. Ends when both have; throws what the caller's threw,
    // else the companion's.
    void during(const std::function<void()>& companion_does, const std::function<void()>& caller_does);

private:
    void serve();
    std::exception_ptr wait();

    std::mutex mutex{};
    std::condition_variable changed{};
    const std::function<void()>* task = nullptr;
    std::exception_ptr thrown{};
    bool over = false;
    std::thread thread;
};

}  // namespace tocuda
