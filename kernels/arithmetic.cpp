// tocuda, Apache-2.0.
// Fused multiplications and additions, divisions and square roots in registers, compiled for the GPU and for the CPU.
// All of them round to nearest, as IEEE 754 wants it, so that both have the same results to the last bit.
#include "kernels/arithmetic.hpp"

#include <math.h>

#include <bit>
#include <cstring>
#include <type_traits>
#include <vector>

#include "kernels/number_types.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace kernels::arithmetic {

constexpr unsigned starts = 4;  // threads that are so far apart begin with the same numbers

// The nearest float, but odd where it is not exact: rounding that to a smaller type gives what rounding once would.
constexpr float rounded_to_odd(double exact) {
    const auto nearest = static_cast<float>(exact);
    if (double{nearest} == exact) return nearest;
    const auto magnitude = [](double of) { return of < 0 ? -of : of; };
    const auto bits = std::bit_cast<std::uint32_t>(nearest);
    return std::bit_cast<float>((magnitude(nearest) > magnitude(exact) ? bits - 1 : bits) | 1);
}

// Two small numbers in one word, as GPUs compute with them.
template <class Small>
struct Two {
    std::uint32_t bits = 0;

    static constexpr Two of(float value) { return {narrowed_by_bits<Small>(value).bits * std::uint32_t{0x10001}}; }
    constexpr Small part(unsigned shift) const { return {static_cast<std::uint16_t>(bits >> shift)}; }

    // A double holds the product and the sum of such numbers exactly, as long as they are neither huge nor tiny.
    static constexpr std::uint32_t fused(Small a, Small b, Small c) {
        const double exact = double{widened_by_bits(a)} * widened_by_bits(b) + widened_by_bits(c);
        return narrowed_by_bits<Small>(rounded_to_odd(exact)).bits;
    }
};

template <class Small>
constexpr Two<Small> fused(Two<Small> a, Two<Small> b, Two<Small> c) {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<Small, Half>) {
        Two<Small> result;
        asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(result.bits) : "r"(a.bits), "r"(b.bits), "r"(c.bits));
        return result;
    }
#if __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<Small, BFloat16>) {
        Two<Small> result;
        asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(result.bits) : "r"(a.bits), "r"(b.bits), "r"(c.bits));
        return result;
    }
#endif
#endif
    return {Two<Small>::fused(a.part(0), b.part(0), c.part(0)) | Two<Small>::fused(a.part(16), b.part(16), c.part(16))
                                                                     << 16};
}
template <class Number>
constexpr Number fused(Number a, Number b, Number c) {
    if constexpr (std::is_integral_v<Number>) return a * b + c;
    else if constexpr (std::is_same_v<Number, float>) return ::fmaf(a, b, c);
    else return ::fma(a, b, c);
}

template <class Number>
constexpr Number root(Number of) {
    if constexpr (std::is_same_v<Number, float>) return ::sqrtf(of);
    else return ::sqrt(of);
}

template <class Number>
constexpr Number number_of(double value) {
    if constexpr (std::is_arithmetic_v<Number>) return static_cast<Number>(value);
    else return Number::of(static_cast<float>(value));
}

// What the steps of a chain use by turns. No number grows or shrinks without end.
template <class Number>
struct Given {
    Number factors[2];
    Number terms[2];
};
template <ArithmeticOperation operation, class Number>
constexpr Given<Number> given() {
    if constexpr (std::is_integral_v<Number>) return {{1'664'525, 22'695'477}, {1'013'904'223, 12'345}};
    else if constexpr (operation == ArithmeticOperation::divide)
        return {{number_of<Number>(1.5), number_of<Number>(1.50002)}, {}};
    else return {{number_of<Number>(1.75), number_of<Number>(-0.57)}, {number_of<Number>(0.3), number_of<Number>(0.7)}};
}

template <class Number>
constexpr Number first_of(unsigned thread, unsigned chain) {
    const auto place = 1 + thread % starts + starts * chain;
    if constexpr (std::is_integral_v<Number>) return place;
    else return number_of<Number>(static_cast<double>(place) / 32);
}

template <ArithmeticOperation operation, class Number>
constexpr Number next(Number x, const Given<Number>& with, unsigned turn) {
    if constexpr (operation == ArithmeticOperation::fma) return fused(x, with.factors[turn], with.terms[turn]);
    else if constexpr (operation == ArithmeticOperation::divide) return with.factors[turn] / x;
    else return root(x) + with.terms[turn];
}

// Written out in the code, so that the loop itself hardly counts. A division is a dozen instructions.
template <ArithmeticOperation operation>
inline constexpr unsigned steps_of_round = operation == ArithmeticOperation::fma ? 32 : 4;

template <ArithmeticOperation operation, class Number, unsigned chains>
struct Computes {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, Number* results, Given<Number> with, unsigned rounds) const {
        const auto thread = block.block * block.threads + block.thread;
        const auto threads = block.blocks * block.threads;
        Number x[chains]{};
        for (unsigned chain = 0; chain < chains; ++chain) x[chain] = first_of<Number>(thread, chain);
        for (unsigned round = 0; round < rounds; ++round)
            for (unsigned step = 0; step < steps_of_round<operation>; ++step)
                for (unsigned chain = 0; chain < chains; ++chain) x[chain] = next<operation>(x[chain], with, step % 2);
        for (unsigned chain = 0; chain < chains; ++chain) results[chain * threads + thread] = x[chain];
    }
};

// Calls the function with the operation, as a constant, and a number of the type.
template <class Call>
void with_kind(const Arithmetic& of, const Call& call) {
    using Operation = ArithmeticOperation;
    const auto floating = [&](auto operation) {
        if (of.number == ArithmeticNumber::float64) call(operation, double{});
        else call(operation, float{});
    };
    if (of.operation == Operation::divide) return floating(std::integral_constant<Operation, Operation::divide>{});
    if (of.operation == Operation::square_root)
        return floating(std::integral_constant<Operation, Operation::square_root>{});
    constexpr std::integral_constant<Operation, Operation::fma> fma;
    if (of.number == ArithmeticNumber::int32) call(fma, std::uint32_t{});
    else if (of.number == ArithmeticNumber::half2) call(fma, Two<Half>{});
    else if (of.number == ArithmeticNumber::bfloat162) call(fma, Two<BFloat16>{});
    else floating(fma);
}

template <ArithmeticOperation operation, class Number>
Number last_of(unsigned thread, unsigned chain, std::int64_t steps) {
    const auto with = given<operation, Number>();
    auto x = first_of<Number>(thread, chain);
    for (std::int64_t step = 0; step < steps; ++step) x = next<operation>(x, with, static_cast<unsigned>(step % 2));
    return x;
}

}  // namespace kernels::arithmetic

std::int64_t Arithmetic::steps() const {
    std::int64_t of_round = 0;
    kernels::arithmetic::with_kind(
        *this, [&](auto kind, auto) { of_round = kernels::arithmetic::steps_of_round<decltype(kind)::value>; });
    return of_round * rounds;
}

std::int64_t Arithmetic::operations() const {
    const bool pair = number == ArithmeticNumber::half2 || number == ArithmeticNumber::bfloat162;
    const std::int64_t of_step = operation == ArithmeticOperation::fma ? (pair ? 4 : 2) : 1;
    return static_cast<std::int64_t>(results()) * steps() * of_step;
}

void launch_arithmetic(const Stream& stream, const Arithmetic& of, std::byte* results) {
    const Grid grid{.blocks = of.blocks(),
                    .threads = of.threads(),
                    .bytes_touched = of.result_bytes() * static_cast<std::size_t>(of.steps())};
    kernels::arithmetic::with_kind(of, [&](auto kind, auto number) {
        using Number = decltype(number);
        constexpr auto operation = decltype(kind)::value;
        const auto with = kernels::arithmetic::given<operation, Number>();
        auto* const to = reinterpret_cast<Number*>(results);
        if (of.alone) launch(stream, grid, kernels::arithmetic::Computes<operation, Number, 1>{}, to, with, of.rounds);
        else launch(stream, grid, kernels::arithmetic::Computes<operation, Number, 8>{}, to, with, of.rounds);
    });
}

std::string wrong_with(const Arithmetic& of, std::span<const std::byte> results) {
    std::string wrong;
    kernels::arithmetic::with_kind(of, [&](auto kind, auto number) {
        using Number = decltype(number);
        constexpr auto starts = kernels::arithmetic::starts;
        std::vector<Number> expected;
        for (unsigned chain = 0; chain < of.chains(); ++chain)
            for (unsigned thread = 0; thread < starts; ++thread)
                expected.push_back(
                    kernels::arithmetic::last_of<decltype(kind)::value, Number>(thread, chain, of.steps()));
        const std::size_t threads = of.results() / of.chains();
        for (std::size_t i = 0; i < of.results() && wrong.empty(); ++i)
            if (std::memcmp(results.data() + i * sizeof(Number), &expected[i / threads * starts + i % threads % starts],
                            sizeof(Number)) != 0)
                wrong = "chain " + std::to_string(i / threads) + " of thread " + std::to_string(i % threads) +
                        " ends with another number than the same operations on the CPU";
    });
    return wrong;
}

}  // namespace tocuda
