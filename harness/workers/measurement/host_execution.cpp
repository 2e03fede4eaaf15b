// tocuda, Apache-2.0.
// Implements blocks, threads, shared memory and barriers on the CPU.
#include "measurement/host_execution.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <utility>

#include "measurement/block.hpp"
#include "measurement/fiber.hpp"

namespace tocuda {
namespace {

constexpr unsigned most_threads = 1024;  // per block, on every existing GPU

void check(const Grid& grid) {
    if (grid.blocks == 0 || grid.threads == 0 || grid.threads > most_threads)
        throw KernelFault("no GPU can launch " + std::to_string(grid.blocks) + " blocks of " +
                          std::to_string(grid.threads) + " threads");
}

class NoWaiting final : public Waiting {
public:
    void wait() override { throw KernelFault("a kernel declared without a barrier reached one"); }
};

class FiberThreads final : public Waiting {
public:
    explicit FiberThreads(unsigned threads) : fibers(threads) {}

    void run(std::vector<HostBlock>& views, const std::vector<unsigned>& sequence, const ThreadBody& body) {
        for (const auto thread : sequence) fibers[thread].begin([&view = views[thread], &body] { body(view); });
        std::size_t ended = 0;
        while (ended == 0) {
            for (const auto thread : sequence) {
                current = &fibers[thread];
                current->resume();
                ended += current->ended() ? 1 : 0;
            }
        }
        if (ended != sequence.size())
            throw KernelFault(std::to_string(ended) + " of " + std::to_string(sequence.size()) +
                              " threads ended while the others waited at a barrier");
    }

    void wait() override { current->suspend(); }

private:
    std::vector<Fiber> fibers;
    Fiber* current = nullptr;
};

HostBlock view_of(const Grid& grid, unsigned block, unsigned thread, SharedMemory& memory, Waiting& waiting) {
    return {.thread = thread,
            .threads = grid.threads,
            .block = block,
            .blocks = grid.blocks,
            .memory = &memory,
            .waiting = &waiting};
}

}  // namespace

std::vector<unsigned> in_order(ThreadOrder order, unsigned count) {
    std::vector<unsigned> sequence(count);
    std::iota(sequence.begin(), sequence.end(), 0U);
    if (order == ThreadOrder::descending) std::reverse(sequence.begin(), sequence.end());
    if (order == ThreadOrder::seeded) {
        std::mt19937_64 random(count);
        for (std::size_t left = sequence.size(); left > 1; --left)
            std::swap(sequence[left - 1], sequence[random() % left]);
    }
    return sequence;
}

void* SharedMemory::array(std::size_t number, std::size_t bytes, std::size_t alignment) {
    if (number < arrays.size()) {
        if (arrays[number].bytes != bytes)
            throw KernelFault("the threads of a block disagree on the size of a shared array");
        return arrays[number].memory.get();
    }
    used = aligned_up(used, alignment) + bytes;
    if (used > limit)
        throw KernelFault(std::to_string(used) + " bytes of shared memory are used, but only " + std::to_string(limit) +
                          " were requested");
    auto* fresh = static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{alignment}));
    std::fill_n(fresh, bytes, fill);
    arrays.push_back({{fresh, Free{alignment}}, bytes});
    return fresh;
}

void run_waiting(const Grid& grid, const std::vector<unsigned>& blocks, ThreadOrder order, const ThreadBody& body) {
    check(grid);
    const auto sequence = in_order(order, grid.threads);
    FiberThreads threads(grid.threads);
    for (const auto block : blocks) {
        SharedMemory memory(grid.shared_bytes, unwritten(order));
        std::vector<HostBlock> views;
        for (unsigned thread = 0; thread < grid.threads; ++thread)
            views.push_back(view_of(grid, block, thread, memory, threads));
        threads.run(views, sequence, body);
    }
}

void run_straight(const Grid& grid, const std::vector<unsigned>& blocks, ThreadOrder order, const ThreadBody& body) {
    check(grid);
    const auto sequence = in_order(order, grid.threads);
    NoWaiting nowhere;
    for (const auto block : blocks) {
        SharedMemory memory(grid.shared_bytes, unwritten(order));
        for (const auto thread : sequence) {
            auto view = view_of(grid, block, thread, memory, nowhere);
            body(view);
        }
    }
}

}  // namespace tocuda
