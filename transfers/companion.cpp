// tocuda, Apache-2.0.
// Hands one task at a time to the second thread, under a lock.
#include "transfers/companion.hpp"

#include <utility>

namespace tocuda {

Companion::Companion() : thread([this] { serve(); }) {}

Companion::~Companion() {
    {
        const std::lock_guard lock(mutex);
        over = true;
    }
    changed.notify_all();
    thread.join();
}

void Companion::serve() {
    std::unique_lock lock(mutex);
    while (true) {
        changed.wait(lock, [&] { return over || task; });
        if (over) return;
        lock.unlock();
        std::exception_ptr caught;
        try {
            (*task)();
        } catch (...) {
            caught = std::current_exception();
        }
        lock.lock();
        thrown = caught;
        task = nullptr;
        changed.notify_all();
    }
}

std::exception_ptr Companion::wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return task == nullptr; });
    return std::exchange(thrown, nullptr);
}

void Companion::during(const std::function<void()>& companion_does, const std::function<void()>& caller_does) {
    {
        const std::lock_guard lock(mutex);
        task = &companion_does;
    }
    changed.notify_all();
    try {
        caller_does();
    } catch (...) {
        wait();
        throw;
    }
    if (const auto caught = wait()) std::rethrow_exception(caught);
}

}  // namespace tocuda
