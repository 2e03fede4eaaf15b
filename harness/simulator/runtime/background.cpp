// tocuda, Apache-2.0.
// Runs host functions outside the lock, and completes deferred work about a millisecond after it was requested.
#include "runtime/background.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "runtime/simulation.hpp"

namespace tocuda::simulator {
namespace {

constexpr std::chrono::milliseconds a_while{1};
constexpr int idle_rounds = 100;  // then it sleeps until woken, which costs the caller more than a call may

bool anything_waits(const Simulation& simulation) {
    const auto waits = [](const Stream* stream) { return !stream->idle(); };
    return std::any_of(simulation.leaving.begin(), simulation.leaving.end(), waits) ||
           std::any_of(simulation.devices.begin(), simulation.devices.end(), [&](const auto& device) {
               return std::any_of(device->streams.begin(), device->streams.end(), waits);
           });
}

Stream* stream_with_host_function(const Simulation& simulation) {
    for (const auto& device : simulation.devices) {
        for (Stream* stream : device->streams) {
            if (stream->host_function_due() != nullptr) return stream;
        }
    }
    for (Stream* stream : simulation.leaving) {
        if (stream->host_function_due() != nullptr) return stream;
    }
    return nullptr;
}

}  // namespace

Background& Background::here() {
    static Background* const only = new Background;
    return *only;
}

void Background::watch() {
    Simulation& simulation = Simulation::here();
    if (asleep_) simulation.changed.notify_all();
    if (started_) return;
    started_ = true;
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals belong to the program's own threads
    std::thread([this, &simulation] { run(simulation); }).detach();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool Background::run_a_host_function(Simulation& simulation) {
    std::unique_lock lock(simulation.mutex);
    Stream* stream = stream_with_host_function(simulation);
    if (stream == nullptr) return false;
    const auto function = *stream->host_function_due();
    lock.unlock();
    function();
    lock.lock();
    stream->host_function_done();
    stream->advance(simulation.now);
    simulation.changed.notify_all();
    return true;
}

void Background::run(Simulation& simulation) {
    int idle = 0;
    while (true) {
        while (run_a_host_function(simulation)) idle = 0;
        std::unique_lock lock(simulation.mutex);
        if (stream_with_host_function(simulation) != nullptr) continue;
        asleep_ = idle > idle_rounds;
        if (asleep_) {
            simulation.changed.wait(lock);
            idle = 0;
        } else {
            simulation.changed.wait_for(lock, a_while);
        }
        asleep_ = false;
        idle = anything_waits(simulation) ? 0 : idle + 1;
        simulation.advance_all(end_of_time);
    }
}

}  // namespace tocuda::simulator
