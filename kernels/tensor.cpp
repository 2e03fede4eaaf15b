// tocuda, Apache-2.0.
// The kernels of the tensor cores' products, compiled for the GPU and for the CPU.
#include "kernels/tensor.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

#include "kernels/number_types.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace kernels::tensor {

constexpr unsigned warp = 32;
constexpr unsigned rows_apart = 8;  // of the two halves of a left factor and of the sums
constexpr unsigned sums_of_lane = 4;

template <TensorNumber number>
using Sum = std::conditional_t<number == TensorNumber::int8, std::int32_t, float>;

template <TensorNumber number>
constexpr std::uint32_t bits_of(int value) {
    const auto real = static_cast<float>(value);
    if constexpr (number == TensorNumber::half) return narrowed_by_bits<Half>(real).bits;
    else if constexpr (number == TensorNumber::bfloat16) return narrowed_by_bits<BFloat16>(real).bits;
    else if constexpr (number == TensorNumber::tf32) return std::bit_cast<std::uint32_t>(real);
    else if constexpr (number == TensorNumber::int8) return static_cast<std::uint8_t>(value);
    else return narrowed_by_bits<Float8E4M3>(real).bits;
}

// A register holds neighbouring places of one sum: as many as have room.
template <TensorNumber number>
inline constexpr unsigned in_register = tensor_depth(number) / 8;

template <TensorNumber number, class Factor>
constexpr std::uint32_t joined(unsigned first, const Factor& factor) {
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < in_register<number>; ++i)
        bits |= bits_of<number>(factor(first + i)) << 32 / in_register<number> * i;
    return bits;
}
template <TensorNumber number>
constexpr std::uint32_t left(unsigned lane, unsigned which) {
    const auto row = lane / 4 + rows_apart * (which % 2);
    const auto first = lane % 4 * in_register<number> + tensor_depth(number) / 2 * (which / 2);
    return joined<number>(first, [&](unsigned place) { return left_factor(row, place); });
}
template <TensorNumber number>
constexpr std::uint32_t right(unsigned lane, unsigned which, unsigned turn) {
    const auto first = lane % 4 * in_register<number> + tensor_depth(number) / 2 * which;
    return joined<number>(first, [&](unsigned place) { return right_factor(place, lane / 4, turn); });
}

constexpr unsigned row_of(unsigned lane, unsigned sum) { return lane / 4 + rows_apart * (sum / 2); }
constexpr unsigned column_of(unsigned lane, unsigned sum) { return lane % 4 * 2 + sum % 2; }

template <TensorNumber number>
constexpr int product(unsigned lane, unsigned sum, unsigned turn) {
    int all = 0;
    for (unsigned place = 0; place < tensor_depth(number); ++place)
        all += left_factor(row_of(lane, sum), place) * right_factor(place, column_of(lane, sum), turn);
    return all;
}

// What a lane has of the factors. On the CPU, which has no tensor cores, it has its part of the products instead.
template <TensorNumber number>
class Factors {
public:
    constexpr explicit Factors(unsigned lane) {
#ifdef __CUDA_ARCH__
        for (unsigned i = 0; i < 4; ++i) a[i] = left<number>(lane, i);
        for (unsigned turn = 0; turn < 2; ++turn)
            for (unsigned i = 0; i < 2; ++i) b[turn][i] = right<number>(lane, i, turn);
#else
        for (unsigned turn = 0; turn < 2; ++turn)
            for (unsigned i = 0; i < sums_of_lane; ++i) products[turn][i] = product<number>(lane, i, turn);
#endif
    }

    constexpr void add_product(Sum<number> (&sums)[sums_of_lane], unsigned turn) const {
#ifdef __CUDA_ARCH__
        multiply(sums, b[turn]);
#else
        for (unsigned i = 0; i < sums_of_lane; ++i) sums[i] += static_cast<Sum<number>>(products[turn][i]);
#endif
    }

private:
#ifdef __CUDA_ARCH__
    // Compute capability 8.0 has all but float8, which 8.9 and 12.0 have: for those between the compiler would convert
    // to half numbers and multiply these.
    constexpr void multiply([[maybe_unused]] Sum<number> (&d)[sums_of_lane],
                            [[maybe_unused]] const std::uint32_t (&right)[2]) const {
#if __CUDA_ARCH__ >= 800
        if constexpr (number == TensorNumber::half)
            asm volatile(
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                "{%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(right[0]), "r"(right[1]));
        if constexpr (number == TensorNumber::bfloat16)
            asm volatile(
                "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                "{%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(right[0]), "r"(right[1]));
        if constexpr (number == TensorNumber::tf32)
            asm volatile(
                "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                "{%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(right[0]), "r"(right[1]));
        if constexpr (number == TensorNumber::int8)
            asm volatile(
                "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                "{%0,%1,%2,%3};"
                : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(right[0]), "r"(right[1]));
#endif
#if __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200
        if constexpr (number == TensorNumber::float8)
            asm volatile(
                "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                "{%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(right[0]), "r"(right[1]));
#endif
    }

    std::uint32_t a[4]{};
    std::uint32_t b[2][2]{};
#else
    int products[2][sums_of_lane]{};
#endif
};

// Written out in the code, so that the loop itself hardly counts. Even: the turns of a round are the same.
constexpr unsigned steps_of_round = 16;

template <TensorNumber number, unsigned chains>
struct Multiplies {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, Sum<number>* results, unsigned rounds, TensorTime* time) const {
        const auto thread = block.block * block.threads + block.thread;
        const auto threads = block.blocks * block.threads;
        const Factors<number> factors(block.thread % warp);
        Sum<number> sums[chains][sums_of_lane]{};
        for (unsigned chain = 0; chain < chains; ++chain)
            for (auto& sum : sums[chain]) sum = static_cast<Sum<number>>(chain);
        const auto began_ns = block.nanoseconds();
        const auto began = block.cycles();
#ifdef __CUDA_ARCH__
#pragma unroll 1  // more than a round would be more code than the instruction caches hold
#endif
        for (unsigned round = 0; round < rounds; ++round)
            for (unsigned step = 0; step < steps_of_round; ++step)
                for (auto& of_chain : sums) factors.add_product(of_chain, step % 2);
        for (auto& of_chain : sums) factors.add_product(of_chain, 0);
        const auto cycles = block.cycles() - began;
        if (thread == 0) *time = {cycles, block.nanoseconds() - began_ns};
        for (unsigned chain = 0; chain < chains; ++chain)
            for (unsigned i = 0; i < sums_of_lane; ++i)
                results[(chain * sums_of_lane + i) * threads + thread] = sums[chain][i];
    }
};

// Calls the function with the type, as a constant.
template <class Call>
auto with_number(TensorNumber number, const Call& call) {
    using Number = TensorNumber;
    switch (number) {
        case Number::half:
            return call(std::integral_constant<Number, Number::half>{});
        case Number::bfloat16:
            return call(std::integral_constant<Number, Number::bfloat16>{});
        case Number::tf32:
            return call(std::integral_constant<Number, Number::tf32>{});
        case Number::int8:
            return call(std::integral_constant<Number, Number::int8>{});
        case Number::float8:
            break;
    }
    return call(std::integral_constant<Number, Number::float8>{});
}

}  // namespace kernels::tensor

std::uint32_t left_register(TensorNumber number, unsigned lane, unsigned which) {
    return kernels::tensor::with_number(
        number, [&](auto of) { return kernels::tensor::left<decltype(of)::value>(lane, which); });
}
std::uint32_t right_register(TensorNumber number, unsigned lane, unsigned which, unsigned turn) {
    return kernels::tensor::with_number(
        number, [&](auto of) { return kernels::tensor::right<decltype(of)::value>(lane, which, turn); });
}

std::int64_t TensorProducts::steps() const { return std::int64_t{kernels::tensor::steps_of_round} * rounds + 1; }

std::int64_t TensorProducts::operations() const {
    const std::int64_t of_step = std::int64_t{16} * 8 * tensor_depth(number) * 2;
    return std::int64_t{blocks()} * threads() / kernels::tensor::warp * chains() * steps() * of_step;
}

void launch_tensor_products(const Stream& stream, const TensorProducts& of, std::byte* sums, TensorTime* time) {
    const Grid grid{.blocks = of.blocks(), .threads = of.threads(), .bytes_touched = of.result_bytes()};
    kernels::tensor::with_number(of.number, [&](auto constant) {
        constexpr auto number = decltype(constant)::value;
        auto* const to = reinterpret_cast<kernels::tensor::Sum<number>*>(sums);
        if (of.alone) launch(stream, grid, kernels::tensor::Multiplies<number, 1>{}, to, of.rounds, time);
        else launch(stream, grid, kernels::tensor::Multiplies<number, 8>{}, to, of.rounds, time);
    });
}

std::string wrong_with(const TensorProducts& of, std::span<const std::byte> sums) {
    using namespace kernels::tensor;
    return with_number(of.number, [&](auto constant) -> std::string {
        constexpr auto number = decltype(constant)::value;
        const std::size_t threads = std::size_t{of.blocks()} * of.threads();
        for (std::size_t i = 0; i < of.results(); ++i) {
            const auto lane = static_cast<unsigned>(i % threads % warp);
            const auto sum = static_cast<unsigned>(i / threads % sums_of_lane);
            const auto chain = static_cast<int>(i / threads / sums_of_lane);
            const auto pairs = static_cast<int>(of.steps() / 2);
            const auto first = product<number>(lane, sum, 0);
            const auto expected = static_cast<Sum<number>>(chain + pairs * (first + product<number>(lane, sum, 1)) +
                                                           static_cast<int>(of.steps() % 2) * first);
            std::uint32_t found = 0;
            std::memcpy(&found, sums.data() + i * sizeof found, sizeof found);
            if (found != std::bit_cast<std::uint32_t>(expected))
                return "sum " + std::to_string(sum) + " of chain " + std::to_string(chain) + " of thread " +
                       std::to_string(i % threads) + " is not that of the same products on the CPU";
        }
        return "";
    });
}

}  // namespace tocuda
