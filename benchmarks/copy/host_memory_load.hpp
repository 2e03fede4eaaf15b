// tocuda, Apache-2.0.
// Threads that keep the host's memory busy for as long as something else runs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "measurement/threads.hpp"

namespace tocuda {

class HostMemoryLoad {
public:
    // Each thread copies its own 32 MiB over and over, which together are far more than the caches hold.
    static constexpr std::size_t thread_bytes = std::size_t{64} << 20;

    explicit HostMemoryLoad(std::size_t threads);

    // Starts the threads, calls `timed` once each of them copies, and ends them. Returns whether at least half of them
    // went on copying until `timed` had returned: the others may have lost their processor for a moment. With
    // `takes_real_time` false, `timed` only passes virtual time, and the threads are given the real time to go on.
    bool outlasts(const std::function<void()>& timed, bool takes_real_time = true);

private:
    struct Lane {
        std::unique_ptr<std::byte[]> memory{};
        std::atomic<std::uint64_t> parts{0};  // copied since the load began
    };

    void take_part(Lane& lane);
    void copy_until_over(Lane& lane) const;
    std::size_t lanes_beyond(const std::vector<std::uint64_t>& before) const;

    std::vector<Lane> lanes;
    std::atomic<bool> over{false};
    std::atomic<bool> failed{false};
    Crew crew;
};

}  // namespace tocuda
