// tocuda, Apache-2.0.
// What the simulator counts in a process, in a file that it maps into memory: `tocuda simulate` reads it whether the
// process exits, crashes or is killed.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tocuda {

using SharedCount = std::atomic<std::uint64_t>;
static_assert(SharedCount::is_always_lock_free);

struct SharedGpuCounts {
    SharedCount allocated_bytes;  // by LibTorch's allocator
    SharedCount peak_allocated_bytes;
    SharedCount peak_reserved_bytes;  // of the device
    SharedCount sent_to_peers_bytes;  // by direct access
    SharedCount received_from_peers_bytes;
};

// An operator or kernel that was not computed. Words end with a zero byte.
struct SharedNotComputed {
    std::array<char, 128> name;
    std::array<char, 256> line;  // of the user's program: "train.py:12"; empty if unknown
    SharedCount count;
};

struct SharedCounts {
    static constexpr std::uint64_t this_version = 6;

    SharedCount version;
    std::array<SharedGpuCounts, 64> gpus;
    SharedCount host_to_device_bytes;
    SharedCount device_to_host_bytes;
    SharedCount device_to_device_bytes;
    SharedCount peer_bytes;
    SharedCount pinned_bytes;  // host memory that the program took from CUDA
    SharedCount peak_pinned_bytes;
    SharedCount peak_pageable_bytes;  // seen when LibTorch allocated on a GPU, if its allocator was recorded
    SharedCount recordings_cut;       // of memory, because a file could not be written
    SharedCount memory_questions;     // how often the program asked how much memory is free
    SharedCount compiled;             // graphs of torch.compile, which ran operator by operator
    SharedCount computed;
    SharedCount read_back_not_computed;
    SharedCount read_back_not_known;     // after a kernel of no operator, which may have changed them
    std::array<SharedCount, 64> faults;  // how often each happened, in the order of the machine's
    SharedCount not_computed_kinds;
    std::array<SharedNotComputed, 256> not_computed;  // further kinds are counted with the last
    std::array<char, 4096> unsupported;               // names, each ended by a newline
};

// Raises a peak; another process or thread may do so at the same time.
inline void raise_to(SharedCount& peak, std::uint64_t value) {
    std::uint64_t known = peak.load(std::memory_order_relaxed);
    while (known < value && !peak.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
    }
}

}  // namespace tocuda
