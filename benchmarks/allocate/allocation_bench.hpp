// tocuda, Apache-2.0.
// What all allocation benchmarks share. An allocation is written and read once before the timing and once after it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda {

struct Allocator {
    std::function<std::byte*(std::size_t bytes)> take{};
    std::function<void(std::byte*, std::size_t bytes)> give_back{};  // throws if it fails
    std::function<void(std::size_t bytes)> before_taking{};          // not timed
    // Writes to the allocation, reads it back and describes the first error. Empty if there is none.
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

AllocationStep step_of(const Parameters& set);  // from the parameter `step`
inline Values every_step() { return {"take", "give_back", "both"}; }

// Writes and reads all bytes with kernels on the GPU. Returns the error, or an empty string.
std::string wrong_for_the_gpu(std::byte* memory, std::size_t bytes, const Stream& stream);
// The same by the CPU alone.
std::string wrong_for_the_cpu(std::byte* memory, std::size_t bytes);
// The same, but the CPU writes and the GPU reads.
std::string wrong_between_cpu_and_gpu(std::byte* memory, std::size_t bytes, const Stream& stream);

// `steps` is the default; a full measurement runs every step.
Benchmark described_allocation(const std::string& what, const std::string& summary, const Values& steps);

}  // namespace tocuda
