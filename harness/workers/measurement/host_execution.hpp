// tocuda, Apache-2.0.
// Runs a kernel on the CPU, block after block and thread after thread in a chosen order. A barrier switches to the next
// thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include "measurement/block.hpp"

namespace tocuda {

// The orders in which the CPU runs threads that a GPU runs at once. A correct kernel gives the same result in each.
enum class ThreadOrder { ascending, descending, seeded };

inline constexpr std::array<ThreadOrder, 3> thread_orders{ThreadOrder::ascending, ThreadOrder::descending,
                                                          ThreadOrder::seeded};

constexpr const char* word(ThreadOrder order) {
    return order == ThreadOrder::ascending ? "ascending" : order == ThreadOrder::descending ? "descending" : "seeded";
}

// Returns each number below `count` once; the seeded order is the same on every machine.
std::vector<unsigned> in_order(ThreadOrder order, unsigned count);

// The pattern in shared memory before anything is written. It differs between the orders, so that no single value hides
// a read of unwritten memory.
constexpr std::byte unwritten(ThreadOrder order) {
    return order == ThreadOrder::ascending    ? std::byte{0xFB}
           : order == ThreadOrder::descending ? std::byte{0x7B}
                                              : std::byte{0xFF};
}

// Undefined behaviour on a GPU: a barrier that not every thread reaches, or more shared memory than the launch
// requested.
struct KernelFault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Each array is a separate allocation, so that the address sanitizer finds accesses out of bounds.
class SharedMemory {
public:
    SharedMemory(std::size_t limit_bytes, std::byte pattern) : limit(limit_bytes), fill(pattern) {}
    void* array(std::size_t number, std::size_t bytes, std::size_t alignment);

private:
    struct Free {
        std::size_t alignment;
        void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{alignment}); }
    };
    struct Array {
        std::unique_ptr<std::byte[], Free> memory;
        std::size_t bytes;
    };
    std::size_t limit;
    std::size_t used = 0;
    std::byte fill;
    std::vector<Array> arrays{};
};

class Waiting {
public:
    virtual void wait() = 0;  // until every thread of the block waits

protected:
    ~Waiting() = default;
};

struct HostBlock {
    unsigned thread = 0;
    unsigned threads = 1;
    unsigned block = 0;
    unsigned blocks = 1;
    SharedMemory* memory = nullptr;
    Waiting* waiting = nullptr;
    std::size_t arrays = 0;  // requested by this thread so far

    void barrier() const { waiting->wait(); }
    void keep_lowest(unsigned long long* into, unsigned long long value) const {
        if (value < *into) *into = value;
    }
    void add(unsigned long long* to, unsigned long long value) const { *to += value; }
    template <class Number>
    Number fetch_add(Number* to, Number value) const {
        return exchanged(to, [&](const Number& before) { return before + value; });
    }
    template <class Number>
    Number fetch_max(Number* to, Number value) const {
        return exchanged(to, [&](const Number& before) { return before < value ? value : before; });
    }
    template <class Number>
    void reduce_add(Number* to, Number value) const {
        fetch_add(to, value);
    }
    template <class Number>
    void reduce_max(Number* to, Number value) const {
        fetch_max(to, value);
    }
    template <class Number>
    Number compare_and_swap(Number* to, Number expected, Number desired) const {
        std::atomic_ref(*to).compare_exchange_strong(expected, desired);
        return expected;
    }
    unsigned seen(const unsigned* flag) const { return std::atomic_ref(*const_cast<unsigned*>(flag)).load(); }
    void show(unsigned* flag, unsigned value) const { std::atomic_ref(*flag).store(value); }
    void signal(unsigned* flag, unsigned value) const { show(flag, value); }
    // Kernels take no time here: the simulated runtime charges for them.
    unsigned long long nanoseconds() const { return 0; }
    long long cycles() const { return 0; }
    template <class To>
    To* followed(To* const* at) const {
        return *at;
    }
    template <class To>
    To* followed_past_l1(To* const* at) const {
        return *at;
    }
    unsigned multiprocessor(unsigned of) const { return block % of; }  // as if they were that many
    void* shared_array(std::size_t bytes, std::size_t alignment) { return memory->array(arrays++, bytes, alignment); }

private:
    // Atomically, for any type with 4 or 8 bytes.
    template <class Number, class Change>
    static Number exchanged(Number* at, const Change& change) {
        const std::atomic_ref there(*at);
        auto before = there.load();
        while (!there.compare_exchange_weak(before, change(before))) continue;
        return before;
    }
};

using ThreadBody = std::function<void(HostBlock&)>;

// Runs these blocks of the grid in this order, each thread as a fiber.
void run_waiting(const Grid& grid, const std::vector<unsigned>& blocks, ThreadOrder order, const ThreadBody& body);
// The same for kernels without a barrier: reaching one throws KernelFault.
void run_straight(const Grid& grid, const std::vector<unsigned>& blocks, ThreadOrder order, const ThreadBody& body);

inline void run_waiting(const Grid& grid, ThreadOrder order, const ThreadBody& body) {
    run_waiting(grid, in_order(order, grid.blocks), order, body);
}
inline void run_straight(const Grid& grid, ThreadOrder order, const ThreadBody& body) {
    run_straight(grid, in_order(order, grid.blocks), order, body);
}

// Runs some blocks of a launch that is too large to run whole.
template <class Kernel, class... Arguments>
void run_blocks_on_host(const Grid& grid, const std::vector<unsigned>& blocks, ThreadOrder order, Kernel kernel,
                        Arguments... arguments) {
    const auto body = [&](HostBlock& block) { kernel(block, arguments...); };
    if constexpr (Kernel::has_barrier) run_waiting(grid, blocks, order, body);
    else run_straight(grid, blocks, order, body);
}

template <class Kernel, class... Arguments>
void run_on_host(const Grid& grid, ThreadOrder order, Kernel kernel, Arguments... arguments) {
    run_blocks_on_host(grid, in_order(order, grid.blocks), order, kernel, arguments...);
}

}  // namespace tocuda
