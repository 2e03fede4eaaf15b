// tocuda, Apache-2.0.
// Looks for the simulated runtime once, then calls it or reads the real clock.
#include "measurement/host_time.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>

#include "measurement/threads.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda {
namespace {

template <class Function>
Function* named(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace

std::optional<double> virtual_seconds() {
    static auto* const ask = named<decltype(tocuda_simulation_state)>("tocuda_simulation_state");
    if (!ask) return std::nullopt;
    tocuda_simulation_state_t state{};
    state.version = 1;
    if (ask(&state) != 0) return std::nullopt;
    return state.seconds;
}

double host_seconds() {
    if (const auto seconds = virtual_seconds()) return *seconds;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void move_simulated_bytes(bool on) {
    static auto* const clock_only = named<decltype(tocuda_simulation_clock_only)>("tocuda_simulation_clock_only");
    if (clock_only) clock_only(on ? 0 : 1);
}

void pass_host_seconds(double seconds) {
    static auto* const pass = named<decltype(tocuda_simulation_pass)>("tocuda_simulation_pass");
    if (pass) pass(seconds);
}

}  // namespace tocuda

// Looks up the simulated runtime's functions in this process; they are absent with a real runtime.

namespace tocuda {
namespace {

constexpr std::size_t simulated_threads = 8;

decltype(tocuda_simulation_clock_only)* clock_only() {
    static const auto found =
        reinterpret_cast<decltype(&tocuda_simulation_clock_only)>(dlsym(RTLD_DEFAULT, "tocuda_simulation_clock_only"));
    return found;
}

}  // namespace

bool gpus_are_simulated() { return virtual_seconds().has_value(); }

bool only_the_clock_counts() { return clock_only() && clock_only()(-1) != 0; }

void host_touched(const std::byte* from, std::size_t bytes) {
    static const auto tell = reinterpret_cast<decltype(&tocuda_simulation_host_touched)>(
        dlsym(RTLD_DEFAULT, "tocuda_simulation_host_touched"));
    if (tell) tell(from, bytes);
}

std::size_t chosen_threads(std::size_t most) {
    return std::min<std::size_t>(gpus_are_simulated() ? simulated_threads : usable_threads(), most);
}

// The threads share one virtual clock, so each advances it at the rate of all threads together.
CopyPart as_one_of(std::size_t threads, const CopyPart& copy) {
    if (!gpus_are_simulated()) return copy;
    const auto rate =
        std::min(static_cast<double>(threads) * simulated_thread_bytes_per_second, simulated_host_bytes_per_second);
    const bool done = !only_the_clock_counts();
    return [rate, done, copy](std::byte* to, const std::byte* from, std::size_t bytes) {
        if (done) copy(to, from, bytes);
        pass_host_seconds(static_cast<double>(bytes) / rate);
    };
}

void in_real_time(const std::function<void()>& work) {
    static SharedTime time(pass_host_seconds);
    time.spend(work);
}

}  // namespace tocuda
