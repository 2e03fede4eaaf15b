// tocuda, Apache-2.0.
// Where operators draw random numbers from: the stream of the GPU's generator, as it stood before the call.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/cuda/PhiloxCudaState.h>

#include <cstdint>
#include <optional>

#include "computing/philox.hpp"

namespace tocuda::computing {

// Where the generator stood. Of a captured call its parts are addresses in the GPU's memory, which each launch of the
// graph finds advanced.
struct Draw {
    at::PhiloxCudaState state;
    std::uint64_t threads = 0;  // as many as one kernel draws with at most: as many as the GPU runs at once
};

// Tells from an operator's schema whether and how it draws.
class Drawing {
public:
    explicit Drawing(const c10::OperatorHandle& op);

    // Where the generator stands that a call with these arguments will draw from, if it will.
    std::optional<Draw> before(const torch::jit::Stack& stack, std::size_t below) const;

private:
    bool draws;
    std::optional<std::size_t> generator_argument;  // among the arguments
    std::optional<std::size_t> dropout_argument;
};

// Given to the CPU's operators as their generator, so that none touches the CPU's own.
class Numbers : public at::CPUGeneratorImpl {
public:
    explicit Numbers(const Draw& draw);

    // The threads of LibTorch's kernels that draw `count` numbers.
    std::uint64_t threads_for(std::uint64_t count) const;

    // What the next kernel's threads draw, up to this many words each.
    Philox take(std::uint64_t words);

    // For operators whose order of drawing is not reproduced: from now on `random()` follows from seed and offset. The
    // words are those of as many threads, not of one: its next draw would be the same words from a later one on.
    void seed_cpu();

private:
    Philox of_gpu;
    std::uint64_t thread_count;
};

}  // namespace tocuda::computing
