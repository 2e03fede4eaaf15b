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
