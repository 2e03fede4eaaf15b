// tocuda, Apache-2.0.
// A benchmark of taking memory: what all kinds of it share. What is taken is used once before it is timed, and once
// after.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "measurement/gpu/fit.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/sizes.hpp"
#include "measurement/stream.hpp"

namespace tocuda {

struct Allocator {
    std::function<std::byte*(std::size_t bytes)> take{};
    std::function<void(std::byte*, std::size_t bytes)> give_back{};  // throws where it fails
    std::function<void(std::size_t bytes)> before_taking{};          // not timed
    // Writes to what was taken, reads it, and says what is wrong with it.
    std::function<std::string(std::byte*, std::size_t bytes)> what_is_wrong{};
};

enum class AllocationStep { take, give_back, both };

class Allocating : public Bench {
public:
    Allocating(Needed needed, Allocator allocator) : fit(std::move(needed)), by(std::move(allocator)) {}
    ~Allocating() override;
    Allocating(const Allocating&) = delete;
    Allocating& operator=(const Allocating&) = delete;

    std::string why_skipped(const Parameters& set) const override;
    Trial trial(const Parameters& set) override;

private:
    void hold(std::size_t bytes);
    void let_go();

    Fit fit;
    Allocator by;
    std::byte* held = nullptr;
    std::size_t held_bytes = 0;
};

AllocationStep step_of(const Parameters& set);  // of its parameter `step`
inline Values every_step() { return {"take", "give_back", "both"}; }

// All of it by a kernel of the GPU, which writes and reads.
std::string wrong_for_the_gpu(std::byte* memory, std::size_t bytes, const Stream& stream);
// All of it: written by the CPU, read by the GPU.
std::string wrong_between_cpu_and_gpu(std::byte* memory, std::size_t bytes, const Stream& stream);

// By default these steps; every step in a full measurement.
Benchmark described_allocation(const std::string& what, const std::string& summary, const Values& steps);

}  // namespace tocuda
