// tocuda, Apache-2.0.
// What `tocuda simulate` says of a command at its end, added up over its processes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tocuda {

struct SimulationCounts {
    struct Gpu {
        std::uint64_t peak_allocated_bytes = 0;  // of the process that used most
        std::uint64_t peak_reserved_bytes = 0;
    };

    std::vector<Gpu> gpus{};
    std::uint64_t host_to_device_bytes = 0;
    std::uint64_t device_to_host_bytes = 0;
    std::uint64_t device_to_device_bytes = 0;
    std::uint64_t peer_bytes = 0;
    std::uint64_t peak_pinned_bytes = 0;    // added up: each process's own
    std::uint64_t peak_pageable_bytes = 0;  // 0: not seen
    std::uint64_t recordings_cut = 0;       // of memory, because a file could not be written
    std::uint64_t memory_questions = 0;     // how often it was asked how much memory is free
    std::uint64_t compiled = 0;             // graphs of torch.compile, which ran operator by operator
    std::uint64_t computed = 0;             // operators
    std::uint64_t read_back_not_computed = 0;
    std::uint64_t read_back_not_known = 0;  // after a kernel of no operator
    std::vector<std::uint64_t> faults{};    // how often each happened, in the order of the machine's
    std::map<std::pair<std::string, std::string>, std::uint64_t> not_computed{};  // by operator and the user's line
    std::set<std::string> unsupported{};
};

}  // namespace tocuda
