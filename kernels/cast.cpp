// tocuda, Apache-2.0.
// Casts numbers from one type to another. Neighbouring threads access neighbouring vectors on both sides, 16 bytes wide
// on the wider one, so that each byte is transferred once, even if the source or target is across a link.
#include "kernels/cast.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <type_traits>

#include "kernels/launching.hpp"
#include "kernels/number_source.hpp"
#include "kernels/number_types.hpp"
#include "measurement/threads.hpp"

namespace tocuda {
namespace kernels::cast {
namespace {

template <class A, class B>
struct TypePair {
    using From = A;
    using To = B;
};

// Calls `act` with the types of this cast. Returns false if the cast is not supported.
template <class Act>
bool for_cast(Number from, Number to, const Act& act) {
    const auto is = [&](Number a, Number b) { return from == a && to == b; };
    using enum Number;
    if (is(float64, float32)) return act(TypePair<double, float>{}), true;
    if (is(float32, float64)) return act(TypePair<float, double>{}), true;
    if (is(float32, float16)) return act(TypePair<float, Half>{}), true;
    if (is(float32, bfloat16)) return act(TypePair<float, BFloat16>{}), true;
    if (is(float32, float8_e4m3)) return act(TypePair<float, Float8E4M3>{}), true;
    if (is(float32, float8_e5m2)) return act(TypePair<float, Float8E5M2>{}), true;
    if (is(float16, float32)) return act(TypePair<Half, float>{}), true;
    if (is(bfloat16, float32)) return act(TypePair<BFloat16, float>{}), true;
    if (is(float8_e4m3, float32)) return act(TypePair<Float8E4M3, float>{}), true;
    if (is(float8_e5m2, float32)) return act(TypePair<Float8E5M2, float>{}), true;
    return false;
}

// The reference.
template <class To, class From>
void cast_reference(std::span<To> to, std::span<const From> from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = converted<To>(from[i]);
}

template <class Number, unsigned count>
struct Run {
    Number each[count];
};

// The unit of loads and stores. Not typed as numbers, because a compiler might then access them one by one.
template <std::size_t bytes>
struct alignas(bytes) [[gnu::may_alias]] Words {
    std::uint32_t words[bytes / 4];
};
template <>
struct alignas(2) [[gnu::may_alias]] Words<2> {
    std::uint16_t words[1];
};

// If the two addresses differ in their offset within a vector, numbers are cast one by one.
template <unsigned loads_in_flight, class From, class To>
struct Cast {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = loads_in_flight;
    static constexpr unsigned vector = 16 / std::max(sizeof(From), sizeof(To));  // numbers

    using FromWords = Words<vector * sizeof(From)>;
    using ToWords = Words<vector * sizeof(To)>;

    // At most `most_blocks` blocks; 0: one per tile.
    static constexpr Grid grid(std::size_t count, unsigned most_blocks = 0) {
        const auto blocks = blocks_for(parts(count, std::size_t{threads} * in_flight * vector));
        return {.blocks = most_blocks == 0 ? blocks : std::min(blocks, most_blocks),
                .threads = threads,
                .bytes_touched = count * (sizeof(From) + sizeof(To))};
    }

    static constexpr Touched touched(const To* to, const From* from, std::size_t count) {
        return {.written = to, .bytes_written = count * sizeof(To), .read = from, .bytes_read = count * sizeof(From)};
    }

    template <class Block>
    constexpr void operator()(Block& block, To* to, const From* from, std::size_t count) const {
        const auto past = reinterpret_cast<std::uintptr_t>(from) / sizeof(From) % vector;
        if (past != reinterpret_cast<std::uintptr_t>(to) / sizeof(To) % vector)
            return singly(block, to, from, 0, count, block.blocks);
        const auto head = std::min(count, (vector - past) % vector);
        const auto vectors = (count - head) / vector;
        in_vectors(block, reinterpret_cast<ToWords*>(to + head), reinterpret_cast<const FromWords*>(from + head),
                   vectors);
        if (block.block != 0) return;
        singly(block, to, from, 0, head, 1);
        singly(block, to, from, head + vectors * vector, count, 1);
    }

private:
    template <class Block>
    static constexpr void singly(const Block& block, To* to, const From* from, std::size_t first, std::size_t end,
                                 unsigned blocks) {
        for (auto i = first + std::size_t{block.block} * threads + block.thread; i < end;
             i += std::size_t{blocks} * threads)
            to[i] = converted<To>(from[i]);
    }

    static constexpr ToWords cast_vector(const FromWords& words) {
        const auto numbers = __builtin_bit_cast(Run<From, vector>, words);
        if constexpr (std::is_same_v<From, float> && sizeof(To) == 1) {
            return {{narrowed_four<To>(numbers.each)}};
        } else {
            Run<To, vector> result{};
            for (unsigned i = 0; i < vector; ++i) result.each[i] = converted<To>(numbers.each[i]);
            return __builtin_bit_cast(ToWords, result);
        }
    }

    template <class Block>
    static constexpr void in_vectors(const Block& block, ToWords* to, const FromWords* from, std::size_t count) {
        const auto tile = std::size_t{threads} * in_flight;
        const auto whole = count / tile * tile;
        over_tiles(
            block, tile, whole,
            [&](std::size_t first) {
                std::array<FromWords, in_flight> held;
                for (unsigned i = 0; i < in_flight; ++i) held[i] = load<Hint::no_allocate>(from + first + i * threads);
                return held;
            },
            [&](std::size_t first, const std::array<FromWords, in_flight>& held) {
                for (unsigned i = 0; i < in_flight; ++i)
                    store<Hint::plain>(to + first + i * threads, cast_vector(held[i]));
            });
        if (block.block == block.blocks - 1)
            for (auto i = whole + block.thread; i < count; i += threads)
                store<Hint::plain>(to + i, cast_vector(load<Hint::plain>(from + i)));
    }
};

std::size_t numbers_in(const Setting& setting) { return setting.bytes() / bytes_each(types_of(setting.set).from); }

ArraySizes arrays(const Setting& setting) {
    const auto source = numbers_in(setting) * bytes_each(types_of(setting.set).from);
    const auto target = numbers_in(setting) * bytes_each(types_of(setting.set).to);
    return {.bytes = {target, source}, .one_way = source, .touched = source + target};
}

void fill(const Stream& stream, const Arrays& arrays, const Setting& setting) {
    constexpr std::size_t most = std::size_t{1} << 22;
    Crew crew(usable_threads());
    const auto type = types_of(setting.set).from;
    const auto wide = bytes_each(type);
    std::vector<std::byte> here(std::min(numbers_in(setting), most) * wide);
    for (std::size_t place = 0; place < numbers_in(setting); place += most) {
        const auto count = std::min(most, numbers_in(setting) - place);
        in_parts(crew, count, [&](std::size_t first, std::size_t some) {
            write_numbers(type, here.data() + first * wide, place + first, some);
        });
        upload(arrays[1] + place * wide, std::span(here).first(count * wide), stream);
    }
}

WhatIsWrong wrong(const Setting& setting) {
    return [=](const Stream& stream, const Arrays& arrays) {
        Crew crew(usable_threads());
        return wrong_numbers(crew, stream, types_of(setting.set), arrays[0], numbers_in(setting));
    };
}

Operation operation(const Setting& setting) {
    return [types = types_of(setting.set), count = numbers_in(setting)](const Stream& stream, const Arrays& arrays) {
        launch_cast(stream, types, arrays[0], arrays[1], count);
    };
}

// `bytes` is the size of the source.
const RegisteredKernel registered{
    {.name = "convert/device/cast",
     .summary = "cast numbers within the memory of one GPU",
     .parameters = {{"bytes", default_bytes()}, {"from", {"float"}}, {"to", {"bfloat16"}}},
     .quick = {{"bytes", {std::int64_t{512} << 20}}},
     .full = {{"bytes", default_bytes()}, {"from", values_of(number_words)}, {"to", values_of(number_words)}},
     .allowed = {{"bytes", {.least = 8}}},
     .why_skipped = [](const Setting& setting) { return why_no_cast(setting.set); },
     .arrays = arrays,
     .operation = operation,
     .fill = fill,
     .wrong = wrong,
     .compared = "every number, and 256 bytes before and after"}};

}  // namespace
}  // namespace kernels::cast

bool has_cast(Numbers types) {
    return kernels::cast::for_cast(types.from, types.to, [](auto) {});
}

void cast_on_host(Numbers types, std::byte* to, const std::byte* from, std::size_t count) {
    const auto one = [&]<class Types>(Types) {
        kernels::cast::cast_reference(std::span(reinterpret_cast<typename Types::To*>(to), count),
                                      std::span(reinterpret_cast<const typename Types::From*>(from), count));
    };
    if (types.from == types.to) std::copy_n(from, count * bytes_each(types.from), to);
    else kernels::cast::for_cast(types.from, types.to, one);
}

void launch_cast(const Stream& stream, Numbers types, std::byte* to, const std::byte* from, std::size_t count,
                 unsigned most_blocks) {
    const auto one = [&]<class Types>(Types) {
        using Body = kernels::cast::Cast<8, typename Types::From, typename Types::To>;
        if (count != 0)
            launch(stream, Body::grid(count, most_blocks), Body{}, reinterpret_cast<typename Types::To*>(to),
                   reinterpret_cast<const typename Types::From*>(from), count);
    };
    if (!kernels::cast::for_cast(types.from, types.to, one))
        throw std::invalid_argument("no cast from " + std::string(word(types.from)) + " to " +
                                    std::string(word(types.to)));
}

}  // namespace tocuda
