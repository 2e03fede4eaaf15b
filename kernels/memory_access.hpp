// tocuda, Apache-2.0.
// Memory accesses beyond plain loads and stores: cache hints, 256-bit accesses, asynchronous copies. The only place
// where kernels differ by architecture; for a C++ compiler there are bodies with the same effect.
//
// On the CPU an asynchronous copy is done as late as allowed, when it is awaited, so that reading too early or
// overwriting data that is still to be read gives wrong bytes there too. If a GPU lacks an instruction the kernel
// traps; its benchmark is skipped before that.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tocuda {

struct alignas(16) [[gnu::may_alias]] Vector16 {
    std::uint32_t words[4];
};

struct alignas(32) [[gnu::may_alias]] Vector32 {
    std::uint32_t words[8];
};

// plain: default caching. no_allocate: loaded data is not kept in L1. streaming_store: stored data is evicted from
// every cache first. streaming: loaded data as well.
enum class Hint { plain, no_allocate, streaming_store, streaming };

#ifdef __CUDA_ARCH__
template <Hint hint>
constexpr Vector32 load_of_256_bits([[maybe_unused]] const void* from) {
    Vector32 to{};
#if __CUDA_ARCH__ >= 1000
    auto& in = to.words;
    if constexpr (hint == Hint::no_allocate)
        asm volatile("ld.global.L1::no_allocate.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                     : "=r"(in[0]), "=r"(in[1]), "=r"(in[2]), "=r"(in[3]), "=r"(in[4]), "=r"(in[5]), "=r"(in[6]),
                       "=r"(in[7])
                     : "l"(from)
                     : "memory");
    else if constexpr (hint == Hint::streaming)
        asm volatile("ld.global.cs.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                     : "=r"(in[0]), "=r"(in[1]), "=r"(in[2]), "=r"(in[3]), "=r"(in[4]), "=r"(in[5]), "=r"(in[6]),
                       "=r"(in[7])
                     : "l"(from)
                     : "memory");
    else
        asm volatile("ld.global.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                     : "=r"(in[0]), "=r"(in[1]), "=r"(in[2]), "=r"(in[3]), "=r"(in[4]), "=r"(in[5]), "=r"(in[6]),
                       "=r"(in[7])
                     : "l"(from)
                     : "memory");
#else
    asm volatile("trap;");
#endif
    return to;
}

template <bool streaming>
constexpr void store_of_256_bits([[maybe_unused]] void* to, [[maybe_unused]] const Vector32& value) {
#if __CUDA_ARCH__ >= 1000
    const auto& out = value.words;
    if constexpr (streaming)
        asm volatile("st.global.cs.v8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(to), "r"(out[0]), "r"(out[1]),
                     "r"(out[2]), "r"(out[3]), "r"(out[4]), "r"(out[5]), "r"(out[6]), "r"(out[7])
                     : "memory");
    else
        asm volatile("st.global.v8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(to), "r"(out[0]), "r"(out[1]),
                     "r"(out[2]), "r"(out[3]), "r"(out[4]), "r"(out[5]), "r"(out[6]), "r"(out[7])
                     : "memory");
#else
    asm volatile("trap;");
#endif
}
#endif

// Loads are issued in program order and before any later store. The loads are not marked read-only (`.nc`), so the
// compiler must assume that loads and stores may overlap; otherwise it would move stores between the loads to save
// registers.
template <Hint hint, class Element>
constexpr Element load(const Element* from) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Element) == 16 && (hint == Hint::no_allocate || hint == Hint::streaming)) {
        std::uint32_t a, b, c, d;
        if constexpr (hint == Hint::no_allocate)
            asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                         : "l"(from)
                         : "memory");
        else
            asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                         : "l"(from)
                         : "memory");
        return __builtin_bit_cast(Element, (Vector16{{a, b, c, d}}));
    }
    if constexpr (sizeof(Element) == 32) return __builtin_bit_cast(Element, load_of_256_bits<hint>(from));
#endif
    return *from;
}

template <Hint hint, class Element>
constexpr void store(Element* to, const Element& value) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Element) == 16 && (hint == Hint::streaming || hint == Hint::streaming_store)) {
        const auto held = __builtin_bit_cast(Vector16, value);
        asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(held.words[0]), "r"(held.words[1]),
                     "r"(held.words[2]), "r"(held.words[3])
                     : "memory");
        return;
    }
    if constexpr (sizeof(Element) == 32)
        return store_of_256_bits < hint == Hint::streaming ||
               hint == Hint::streaming_store > (to, __builtin_bit_cast(Vector32, value));
#endif
    *to = value;
}

#ifdef __CUDA_ARCH__
constexpr std::uint32_t shared_address(const void* generic) {
    std::uint32_t address;
    asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }" : "=r"(address) : "l"(generic));
    return address;
}
#else
// Copies that were begun but not yet done, oldest first.
template <unsigned most>
class CopiesToCome {
public:
    constexpr void add(void* to, const void* from, std::size_t bytes) { copies[count++] = {to, from, bytes}; }
    constexpr unsigned size() const { return count; }
    constexpr void leave(unsigned left) {
        const auto done = count > left ? count - left : 0;
        for (unsigned i = 0; i < done; ++i)
            std::copy_n(static_cast<const std::byte*>(copies[i].from), copies[i].bytes,
                        static_cast<std::byte*>(copies[i].to));
        for (unsigned i = done; i < count; ++i) copies[i - done] = copies[i];
        count -= done;
    }

private:
    struct Copy {
        void* to = nullptr;
        const void* from = nullptr;
        std::size_t bytes = 0;
    };
    Copy copies[most]{};
    unsigned count = 0;
};
#endif

// Asynchronous 16-byte copies of one thread from global to shared memory, completed in the order in which they were
// begun (cp.async, compute capability 8.0).
template <unsigned most>
class AsynchronousCopies {
public:
    constexpr void begin(Vector16* to, const Vector16* from) {
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
#else
        asm volatile("trap;");
#endif
#else
        copies.add(to, from, sizeof(Vector16));
#endif
    }

    // Begins an empty copy, so that the count of open copies stays the same.
    constexpr void begin_nothing() {
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.commit_group;" ::: "memory");
#endif
#else
        copies.add(nullptr, nullptr, 0);
#endif
    }

    // Waits until all but the newest `open` copies have arrived.
    template <unsigned open>
    constexpr void await() {
        static_assert(open < most);
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory");
#endif
#else
        copies.leave(open);
#endif
    }

private:
#ifndef __CUDA_ARCH__
    CopiesToCome<most> copies{};
#endif
};

// The L2 policy for the lines that a bulk copy reads and writes.
enum class L2Policy { none, evict_first };

// Bulk copies between global and shared memory (TMA, compute capability 9.0), all issued by one thread. Addresses and
// sizes are multiples of 16. A stage is a part of shared memory that tiles pass through; there are at most 32.
class BulkCopies {
public:
    // The barriers are in shared memory, one for each stage. What only stores needs none.
    constexpr explicit BulkCopies(std::uint64_t* stage_barriers, L2Policy of_lines = L2Policy::none)
        : barriers(stage_barriers), lines(of_lines) {}

    // Call before anything else. `loads_each`: the number of loads that fill a stage, at most two.
    constexpr void begin(unsigned stages, [[maybe_unused]] unsigned loads_each = 1) {
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 900
        for (unsigned stage = 0; stage < stages; ++stage)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barriers + stage)),
                         "r"(loads_each)
                         : "memory");
        asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first_to_go));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#else
        asm volatile("trap;");
#endif
#else
        for (unsigned stage = 0; stage < stages; ++stage) barriers[stage] = 0;
#endif
    }

    constexpr void load(unsigned stage, void* to, const void* from, std::uint32_t bytes) {
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 900
        const auto barrier = shared_address(barriers + stage);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
        if (lines == L2Policy::evict_first)
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, "
                "[%3], %4;" ::"r"(shared_address(to)),
                "l"(from), "r"(bytes), "r"(barrier), "l"(first_to_go)
                : "memory");
        else
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                    shared_address(to)),
                "l"(from), "r"(bytes), "r"(barrier)
                : "memory");
#endif
#else
        loads[stage].add(to, from, bytes);
#endif
    }

    constexpr void await_load(unsigned stage) {
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 900
        std::uint32_t arrived = 0;
        while (arrived == 0)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(arrived)
                         : "r"(shared_address(barriers + stage)), "r"(parities >> stage & 1)
                         : "memory");
        parities ^= 1U << stage;
#endif
#else
        loads[stage].leave(0);
#endif
    }

    // What this thread has written to shared memory is there for stores behind the next barrier.
    static constexpr void publish() {
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 900
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#else
        asm volatile("trap;");
#endif
#endif
    }

    constexpr void store(void* to, const void* from, std::uint32_t bytes) {
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 900
        if (lines == L2Policy::evict_first)
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(to),
                         "r"(shared_address(from)), "r"(bytes), "l"(first_to_go)
                         : "memory");
        else
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                         "r"(shared_address(from)), "r"(bytes)
                         : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
#else
        static_cast<void>(lines);  // a CPU has no such policy
        stores.add(to, from, bytes);
#endif
    }

    // Waits until the sources of all but the newest `open` stores may be overwritten.
    template <unsigned open>
    constexpr void await_read() {
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 900
        asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(open) : "memory");
#endif
#else
        stores.leave(open);
#endif
    }

    // Waits until all stores are complete. Call before the block ends.
    constexpr void await_stores() {
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 900
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
#else
        stores.leave(0);
#endif
    }

private:
    std::uint64_t* barriers;
    L2Policy lines;
#ifdef __CUDA_ARCH__
    std::uint32_t parities = 0;
    std::uint64_t first_to_go = 0;
#else
    CopiesToCome<2> loads[32]{};
    CopiesToCome<8> stores{};
#endif
};

}  // namespace tocuda
