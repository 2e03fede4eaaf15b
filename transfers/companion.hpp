// tocuda, Apache-2.0.
// A persistent second thread that runs a task while the caller runs another.
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

    // Runs both at once, one in the companion's thread and one in the caller's, and returns when both have ended.
    // Rethrows the caller's exception, otherwise the companion's.
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
