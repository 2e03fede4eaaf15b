// tocuda, Apache-2.0.
// The kernels of atomic operations, compiled for the GPU and for the CPU.
#include "kernels/atomics.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

#include "kernels/half_pair.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace kernels::atomics {

constexpr unsigned in_flight = 15;  // operations that a thread issues before it uses what the first one read

// A thread adds 1 each time. Half numbers cannot count far, so there it adds (1, -1) and (-1, 1) by turns.
template <class Number>
constexpr Number added(unsigned round) {
    if constexpr (std::is_same_v<Number, HalfPair>) return {round % 2 == 0 ? 0xbc003c00U : 0x3c00bc00U};
    else return Number{1};
}

// Each is higher than all that were offered to the same number before.
template <class Number>
constexpr Number offered(unsigned thread, unsigned threads, unsigned round) {
    return static_cast<Number>(thread + 1) + static_cast<Number>(round) * threads;
}

template <class Number>
constexpr std::uint64_t bits_of(const Number& number) {
    if constexpr (sizeof(Number) == 8) return std::bit_cast<std::uint64_t>(number);
    else return std::bit_cast<std::uint32_t>(number);
}

// `stride` is 0 or 1. The compiler must not know that all threads have the same number: it would make one operation of
// those of a warp.
template <AtomicOperation operation, class Number, bool used>
struct Atomically {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, Number* target, std::size_t stride, unsigned groups,
                              [[maybe_unused]] std::uint64_t* found) const {
        const auto thread = block.block * block.threads + block.thread;
        auto* const to = target + thread * stride;
        const auto value = [&](unsigned round) {
            if constexpr (operation == AtomicOperation::add) return added<Number>(round);
            else return offered<Number>(thread, block.blocks * block.threads, round);
        };
        std::uint64_t bits = 0;
        for (unsigned group = 0; group < groups; ++group) {
            Number before[in_flight]{};
            for (unsigned i = 0; i < in_flight; ++i) {
                const auto next = value(group * in_flight + i);
                if constexpr (!used && operation == AtomicOperation::add) block.reduce_add(to, next);
                else if constexpr (!used) block.reduce_max(to, next);
                else if constexpr (operation == AtomicOperation::add) before[i] = block.fetch_add(to, next);
                else before[i] = block.fetch_max(to, next);
            }
            for (unsigned i = 0; i < in_flight; ++i) bits ^= bits_of(before[i]);
        }
        if constexpr (used) found[thread] = bits;
    }
};

// Counts up by one if nobody was faster.
template <class Number>
struct Swapping {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, Number* target, std::size_t stride, unsigned groups,
                              std::uint64_t* found) const {
        const auto thread = block.block * block.threads + block.thread;
        auto* const to = target + thread * stride;
        Number expected = 0;
        std::uint64_t swapped = 0;
        for (unsigned i = 0; i < groups * in_flight; ++i) {
            const auto before = block.compare_and_swap(to, expected, expected + 1);
            const bool did = before == expected;
            swapped += did ? 1 : 0;
            expected = did ? expected + 1 : before;
        }
        found[thread] = swapped;
    }
};

// Calls the function with a number of the type.
template <class Call>
void with_number(AtomicNumber number, const Call& call) {
    if (number == AtomicNumber::int32) return call(std::uint32_t{});
    return call(static_cast<unsigned long long>(0));
}
template <class Call>
void with_any_number(AtomicNumber number, const Call& call) {
    if (number == AtomicNumber::float32) return call(float{});
    if (number == AtomicNumber::half2) return call(HalfPair{});
    with_number(number, call);
}

// Calls the function with the kernel.
template <class Call>
void with_kernel(const Atomics& of, const Call& call) {
    constexpr auto add = AtomicOperation::add;
    constexpr auto max = AtomicOperation::max;
    if (of.operation == AtomicOperation::cas)
        with_number(of.number, [&](auto number) { call(Swapping<decltype(number)>{}, number); });
    else if (of.operation == max)
        with_number(of.number, [&](auto number) {
            if (of.used) call(Atomically<max, decltype(number), true>{}, number);
            else call(Atomically<max, decltype(number), false>{}, number);
        });
    else
        with_any_number(of.number, [&](auto number) {
            if (of.used) call(Atomically<add, decltype(number), true>{}, number);
            else call(Atomically<add, decltype(number), false>{}, number);
        });
}

// What the operations of one thread leave and read if no other thread has the same number.
template <class Number>
struct Alone {
    Number left{};
    std::uint64_t found = 0;

    Alone(const Atomics& atomics, unsigned thread) {
        for (unsigned round = 0; round < atomics.operations_each(); ++round) {
            if (atomics.operation != AtomicOperation::cas) found ^= bits_of(left);
            if (atomics.operation != AtomicOperation::max) left = left + added<Number>(round);
            else if constexpr (std::is_integral_v<Number>) left = offered<Number>(thread, atomics.threads(), round);
        }
        if (atomics.operation == AtomicOperation::cas) found = atomics.operations_each();
        else if (!atomics.used) found = 0;
    }
};

template <class Number>
Number number_at(std::span<const std::byte> target, std::size_t index) {
    Number number{};
    std::memcpy(&number, target.data() + index * sizeof(Number), sizeof(Number));
    return number;
}

template <class Number>
std::string wrong_if_spread(const Atomics& of, std::span<const std::byte> target,
                            std::span<const std::uint64_t> found) {
    const bool alike = of.operation != AtomicOperation::max;  // for all threads
    Alone<Number> alone(of, 0);
    for (unsigned thread = 0; thread < of.threads(); ++thread) {
        if (!alike) alone = Alone<Number>(of, thread);
        if (number_at<Number>(target, thread) != alone.left)
            return "number " + std::to_string(thread) + " is not what the operations on it leave";
        if (found[thread] != alone.found)
            return "thread " + std::to_string(thread) + " did not read what its operations before had left";
    }
    return "";
}

// All threads have the same number.
template <class Number>
std::string wrong_if_shared(const Atomics& of, Number left, std::span<const std::uint64_t> found) {
    std::string wrong_number = "the number is not what the operations on it leave";
    const auto all = static_cast<std::uint64_t>(of.operations());
    std::uint64_t swapped = 0;
    std::uint64_t bits = 0;
    for (const auto each : found) {
        swapped += each;
        bits ^= each;
    }
    if constexpr (std::is_same_v<Number, HalfPair>) {
        const auto each = static_cast<float>(of.threads());
        return left == HalfPair::of(each, -each) ? "" : wrong_number;
    } else {
        if (of.operation == AtomicOperation::cas)
            return left == static_cast<Number>(swapped) && swapped >= of.operations_each() && swapped <= all
                       ? ""
                       : "the number does not tell how often it was swapped";
        if (left != static_cast<Number>(all)) return wrong_number;
        // Each addition has read another number. Which ones the maxima have read depends on their order.
        if (of.operation == AtomicOperation::max || !of.used) return "";
        for (std::uint64_t number = 0; number < all; ++number) bits ^= bits_of(static_cast<Number>(number));
        return bits == 0 ? "" : "the additions did not read each number once";
    }
}

}  // namespace kernels::atomics

unsigned Atomics::operations_each() const { return groups() * kernels::atomics::in_flight; }

void launch_atomics(const Stream& stream, const Atomics& atomics, std::byte* target, std::uint64_t* found) {
    const unsigned threads = atomics.spread ? 256 : 32;  // few on one number are spread over many multiprocessors
    const Grid grid{.blocks = atomics.threads() / threads,
                    .threads = threads,
                    .bytes_touched = static_cast<std::size_t>(atomics.operations()) * atomics.number_bytes()};
    kernels::atomics::with_kernel(atomics, [&](auto kernel, auto number) {
        launch(stream, grid, kernel, reinterpret_cast<decltype(number)*>(target), std::size_t{atomics.spread ? 1U : 0U},
               atomics.groups(), found);
    });
}

std::string wrong_with(const Atomics& atomics, std::span<const std::byte> target,
                       std::span<const std::uint64_t> found) {
    std::string wrong;
    kernels::atomics::with_kernel(atomics, [&](auto, auto number) {
        using Number = decltype(number);
        wrong = atomics.spread
                    ? kernels::atomics::wrong_if_spread<Number>(atomics, target, found)
                    : kernels::atomics::wrong_if_shared(atomics, kernels::atomics::number_at<Number>(target, 0), found);
    });
    return wrong;
}

}  // namespace tocuda
