// tocuda, Apache-2.0.
// The time that several threads take together: what they do at the same time counts once.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <utility>

namespace tocuda {

class SharedTime {
public:
    // `pass` is called with the seconds in which at least one thread has worked, one call after the other.
    explicit SharedTime(std::function<void(double seconds)> pass) : pass_(std::move(pass)) {}

    void spend(const std::function<void()>& work) {
        const AtWork counted(*this);
        work();
    }

private:
    using Clock = std::chrono::steady_clock;

    class AtWork {
    public:
        explicit AtWork(SharedTime& time) : time_(time) { time_.change(1); }
        ~AtWork() { time_.change(-1); }
        AtWork(const AtWork&) = delete;
        AtWork& operator=(const AtWork&) = delete;

    private:
        SharedTime& time_;
    };

    void change(int by) {
        const std::lock_guard lock(changing_);
        const auto now = Clock::now();
        if (threads_ > 0) pass_(std::chrono::duration<double>(now - passed_).count());
        passed_ = now;
        threads_ += by;
    }

    std::function<void(double)> pass_;
    std::mutex changing_{};
    int threads_ = 0;
    Clock::time_point passed_{};
};

}  // namespace tocuda
