// tocuda, Apache-2.0.
// The kernels of the tensor cores' products, compiled for the GPU and for the CPU.
#include "kernels/tensor.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

#include "kernels/memory_access.hpp"
#include "kernels/number_types.hpp"
#include "measurement/block.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace kernels::tensor {

constexpr unsigned warp = 32;
constexpr unsigned rows_apart = 8;  // of the two halves of a left factor and of the sums
constexpr unsigned rows_of_warp = 16;
constexpr unsigned columns_of_chain = 8;
constexpr unsigned sums_of_lane = 4;
constexpr unsigned columns_of_group = 64;

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
constexpr std::uint32_t left(unsigned lane, unsigned which, unsigned first_row = 0) {
    const auto row = first_row + lane / 4 + rows_apart * (which % 2);
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
constexpr int product(unsigned row, unsigned column, unsigned turn) {
    int all = 0;
    for (unsigned place = 0; place < tensor_depth(number); ++place)
        all += left_factor(row, place) * right_factor(place, column, turn);
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
            for (unsigned i = 0; i < sums_of_lane; ++i)
                products[turn][i] = product<number>(row_of(lane, i), column_of(lane, i), turn);
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

// Where a group's right factor has a 32-bit word of a column: blocks of 8 columns by 16 bytes, the second 16 bytes of
// those columns next to them, as the descriptor says.
constexpr unsigned words_of_column = 8;
constexpr unsigned words_of_right = columns_of_group * words_of_column;
constexpr unsigned place_of(unsigned column, unsigned word) {
    return (column / 8 * 2 + word / 4) * 32 + column % 8 * 4 + word % 4;
}

// The same for a group of four warps (wgmma, compute capability 9.0 alone): 64 rows by 64 columns, the left factor in
// registers and the right ones in shared memory. The sums of eight columns are those of a chain.
template <TensorNumber number>
class FactorsOfGroup {
public:
    static constexpr unsigned sums = columns_of_group / columns_of_chain * sums_of_lane;

    template <class Block>
    constexpr explicit FactorsOfGroup(Block& block) {
        const auto lane = block.thread % warp;
        const auto first_row = block.thread / warp * rows_of_warp;
#ifdef __CUDA_ARCH__
        for (unsigned i = 0; i < 4; ++i) a[i] = left<number>(lane, i, first_row);
        auto* words = shared<std::uint32_t>(block, 2 * words_of_right);
        for (auto i = block.thread; i < 2 * words_of_right; i += block.threads) {
            const auto column = i % words_of_right / words_of_column;
            const auto word = i % words_of_column;
            words[i / words_of_right * words_of_right + place_of(column, word)] =
                joined<number>(word * in_register<number>,
                               [&](unsigned place) { return right_factor(place, column, i / words_of_right); });
        }
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
        for (unsigned turn = 0; turn < 2; ++turn) right[turn] = descriptor(words + turn * words_of_right);
#else
        for (unsigned turn = 0; turn < 2; ++turn)
            for (unsigned i = 0; i < sums; ++i)
                products[turn][i] =
                    product<number>(first_row + row_of(lane, i % sums_of_lane),
                                    i / sums_of_lane * columns_of_chain + column_of(lane, i % sums_of_lane), turn);
#endif
        block.barrier();
    }

    // Before the first product, and after `finish`.
    constexpr void begin() const {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
    }

    constexpr void add_product([[maybe_unused]] Sum<number> (&d)[sums], [[maybe_unused]] unsigned turn) const {
#ifdef __CUDA_ARCH__
        multiply(d, right[turn]);
#else
        for (unsigned i = 0; i < sums; ++i) d[i] += static_cast<Sum<number>>(products[turn][i]);
#endif
    }

    // Waits until the sums hold all products.
    constexpr void finish() const {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    }

private:
#ifdef __CUDA_ARCH__
    // Without swizzling: 128 bytes to the next 16 bytes of a column, 256 to the next eight columns.
    static constexpr std::uint64_t descriptor(const std::uint32_t* words) {
        constexpr auto apart = std::uint64_t{128 >> 4} << 16 | std::uint64_t{256 >> 4} << 32;
        return (shared_address(words) & 0x3ffffU) >> 4 | apart;
    }

    constexpr void multiply([[maybe_unused]] Sum<number> (&d)[sums], [[maybe_unused]] std::uint64_t b) const {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
        if constexpr (number == TensorNumber::half)
            asm volatile(
                "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
                "{%32,%33,%34,%35}, %36, 1, 1, 1, 0;"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                  "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                  "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
                  "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                  "+f"(d[30]), "+f"(d[31])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
        if constexpr (number == TensorNumber::bfloat16)
            asm volatile(
                "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
                "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
                "{%32,%33,%34,%35}, %36, 1, 1, 1, 0;"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                  "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                  "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
                  "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                  "+f"(d[30]), "+f"(d[31])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
        if constexpr (number == TensorNumber::tf32)
            asm volatile(
                "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 "
                "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
                "{%32,%33,%34,%35}, %36, 1, 1, 1;"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                  "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                  "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
                  "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                  "+f"(d[30]), "+f"(d[31])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
        if constexpr (number == TensorNumber::int8)
            asm volatile(
                "wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 "
                "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
                "{%32,%33,%34,%35}, %36, 1;"
                : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]),
                  "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]),
                  "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]),
                  "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]),
                  "+r"(d[30]), "+r"(d[31])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
        if constexpr (number == TensorNumber::float8)
            asm volatile(
                "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 "
                "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
                "{%32,%33,%34,%35}, %36, 1, 1, 1;"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                  "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                  "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
                  "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                  "+f"(d[30]), "+f"(d[31])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
#endif
    }

    std::uint32_t a[4]{};
    std::uint64_t right[2]{};
#else
    int products[2][sums]{};
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

template <TensorNumber number>
struct MultipliesInGroups {
    static constexpr bool has_barrier = true;

    template <class Block>
    constexpr void operator()(Block& block, Sum<number>* results, unsigned rounds, TensorTime* time) const {
        const auto thread = block.block * block.threads + block.thread;
        const auto threads = block.blocks * block.threads;
        const FactorsOfGroup<number> factors(block);
        Sum<number> sums[FactorsOfGroup<number>::sums]{};
        for (unsigned i = 0; i < FactorsOfGroup<number>::sums; ++i)
            sums[i] = static_cast<Sum<number>>(static_cast<int>(i / sums_of_lane));
        const auto began_ns = block.nanoseconds();
        const auto began = block.cycles();
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
        for (unsigned round = 0; round < rounds; ++round)
            for (unsigned step = 0; step < steps_of_round; ++step) {
                if (step == 0) factors.begin();
                factors.add_product(sums, step % 2);
                if (step + 1 == steps_of_round) factors.finish();
            }
        factors.begin();
        factors.add_product(sums, 0);
        factors.finish();
        const auto cycles = block.cycles() - began;
        if (thread == 0) *time = {cycles, block.nanoseconds() - began_ns};
        for (unsigned i = 0; i < FactorsOfGroup<number>::sums; ++i) results[i * threads + thread] = sums[i];
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
    const Grid grid{.blocks = of.blocks(),
                    .threads = of.threads(),
                    .shared_bytes = of.grouped ? 2 * kernels::tensor::words_of_right * sizeof(std::uint32_t) : 0,
                    .bytes_touched = of.result_bytes()};
    kernels::tensor::with_number(of.number, [&](auto constant) {
        constexpr auto number = decltype(constant)::value;
        auto* const to = reinterpret_cast<kernels::tensor::Sum<number>*>(sums);
        if (of.grouped) launch(stream, grid, kernels::tensor::MultipliesInGroups<number>{}, to, of.rounds, time);
        else if (of.alone) launch(stream, grid, kernels::tensor::Multiplies<number, 1>{}, to, of.rounds, time);
        else launch(stream, grid, kernels::tensor::Multiplies<number, 8>{}, to, of.rounds, time);
    });
}

std::string wrong_with(const TensorProducts& of, std::span<const std::byte> sums) {
    using namespace kernels::tensor;
    return with_number(of.number, [&](auto constant) -> std::string {
        constexpr auto number = decltype(constant)::value;
        const std::size_t threads = std::size_t{of.blocks()} * of.threads();
        for (std::size_t i = 0; i < of.results(); ++i) {
            const auto thread = static_cast<unsigned>(i % threads) % of.threads();
            const auto sum = static_cast<unsigned>(i / threads % sums_of_lane);
            const auto chain = static_cast<unsigned>(i / threads / sums_of_lane);
            const auto row = row_of(thread % warp, sum) + (of.grouped ? thread / warp * rows_of_warp : 0);
            const auto column = column_of(thread % warp, sum) + (of.grouped ? chain * columns_of_chain : 0);
            const auto pairs = static_cast<int>(of.steps() / 2);
            const auto first = product<number>(row, column, 0);
            const auto expected =
                static_cast<Sum<number>>(static_cast<int>(chain) + pairs * (first + product<number>(row, column, 1)) +
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
