// tocuda, Apache-2.0.
// Loads numbers, multiplies and adds so many times on each, and stores them: few operations wait for the memory, many
// for the arithmetic, and the bend lies between.
#include <math.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/doubles.hpp"
#include "measurement/host_time.hpp"

namespace tocuda::kernels::roofline {
namespace {

// Numbers begin with one of so many values, so that the CPU need not compute each.
constexpr std::size_t starts = 1024;
constexpr std::size_t start_of(std::size_t place) { return scrambled(place) % starts; }
template <class Number>
constexpr Number first_number(std::size_t start) {
    return static_cast<Number>(start + 1) / (starts / 2) - 1;
}

// What the steps use by turns. No number grows or shrinks without end.
template <class Number>
struct Turns {
    Number factors[2]{Number(1.75), Number(-0.57)};
    Number terms[2]{Number(0.3), Number(0.7)};

    constexpr Number next(Number x, unsigned step) const {
        if constexpr (std::is_same_v<Number, float>) return ::fmaf(x, factors[step % 2], terms[step % 2]);
        else return ::fma(x, factors[step % 2], terms[step % 2]);
    }
};

// So many steps are written out in the code and repeated in `rounds`.
constexpr std::array written_out{1U, 2U, 4U, 8U, 16U};

template <class Number, unsigned steps>
struct Roofline {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 4;
    static constexpr unsigned width = 16 / sizeof(Number);
    struct alignas(16) Several {
        Number numbers[width];
    };

    static constexpr Grid grid(std::size_t count) {
        return grid_over(count, std::size_t{width} * threads * in_flight, threads, 2 * count * sizeof(Number));
    }

    template <class Block>
    constexpr void operator()(Block& block, Number* to, const Number* from, std::size_t count, Turns<Number> turns,
                              unsigned rounds) const {
        auto* const target = reinterpret_cast<Several*>(to);
        const auto* const source = reinterpret_cast<const Several*>(from);
        const auto loaded = [&](std::size_t first) {
            std::array<Several, in_flight> held;
            for (unsigned i = 0; i < in_flight; ++i) held[i] = load<Hint::no_allocate>(source + first + i * threads);
            return held;
        };
        const auto stored = [&](std::size_t first, std::array<Several, in_flight> held) {
            for (unsigned round = 0; round < rounds; ++round)
                for (unsigned step = 0; step < steps; ++step)
                    for (auto& each : held)
                        for (auto& number : each.numbers) number = turns.next(number, step);
            for (unsigned i = 0; i < in_flight; ++i) target[first + i * threads] = held[i];
        };
        const auto alone = [&](std::size_t i) {
            auto number = from[i];
            for (unsigned round = 0; round < rounds; ++round)
                for (unsigned step = 0; step < steps; ++step) number = turns.next(number, step);
            to[i] = number;
        };
        const auto one = [&](std::size_t i) {
            for (auto at = i * width; at < (i + 1) * width; ++at) alone(at);
        };
        over_pairs<threads, in_flight, width>(block, count, loaded, stored, one, alone);
    }
};

template <class Call>
auto with_number(const Setting& setting, const Call& call) {
    return setting.word("type") == "float" ? call(float{}) : call(double{});
}

std::size_t count_of(const Setting& setting) {
    return with_number(setting, [&](auto number) { return setting.count<decltype(number)>(); });
}

// What simulated GPUs compute, the CPU does.
unsigned steps_of(const Setting& setting) {
    return std::min(setting.number("fmas"), gpus_are_simulated() ? 4 : written_out.back());
}
unsigned rounds_of(const Setting& setting) {
    return gpus_are_simulated() ? 1 : setting.number("fmas") / steps_of(setting);
}

Operation operation(const Setting& setting) {
    return with_number(setting, [&](auto number) {
        using Number = decltype(number);
        const auto count = setting.count<Number>();
        return compiled_for<written_out>(steps_of(setting), [&]<std::size_t index>() -> Operation {
            using Body = Roofline<Number, written_out[index]>;
            return [count, rounds = rounds_of(setting)](const Stream& stream, const Arrays& arrays) {
                launch(stream, Body::grid(count), Body{}, reinterpret_cast<Number*>(arrays[0]),
                       reinterpret_cast<const Number*>(arrays[1]), count, Turns<Number>{}, rounds);
            };
        });
    });
}

template <class Number>
struct First {
    constexpr Number operator()(std::size_t place) const { return first_number<Number>(start_of(place)); }
};

void fill(const Stream& stream, const Arrays& arrays, const Setting& setting) {
    with_number(setting, [&](auto number) {
        write_each<decltype(number)>(stream, arrays[1], count_of(setting), First<decltype(number)>{});
    });
}

template <class Number>
std::vector<Number> results_of(const Setting& setting) {
    const auto steps = steps_of(setting) * rounds_of(setting);
    std::vector<Number> results(starts);
    for (std::size_t start = 0; start < starts; ++start) {
        results[start] = first_number<Number>(start);
        for (unsigned step = 0; step < steps; ++step) results[start] = Turns<Number>{}.next(results[start], step);
    }
    return results;
}

WhatIsWrong wrong(const Setting& setting) {
    return [setting](const Stream& stream, const Arrays& arrays) {
        return with_number(setting, [&](auto number) -> std::string {
            using Number = decltype(number);
            const auto count = setting.count<Number>();
            const auto results = results_of<Number>(setting);
            std::vector<Number> part(std::min(count, std::size_t{1} << 20));
            for (std::size_t at = 0; at < count; at += part.size()) {
                const auto now = std::span(part).first(std::min(part.size(), count - at));
                download(std::as_writable_bytes(now), arrays[0] + at * sizeof(Number), stream);
                for (std::size_t i = 0; i < now.size(); ++i)
                    if (std::memcmp(&now[i], &results[start_of(at + i)], sizeof(Number)) != 0)
                        return "number " + std::to_string(at + i) + " of " + std::to_string(count) +
                               " is not what the same operations on the CPU give";
            }
            return "";
        });
    };
}

const Values numbers{"float", "double"};

const RegisteredKernel registered{
    {.name = "arithmetic/roofline",
     .summary = "multiplications and additions in a second, by how many each number gets that is loaded and stored",
     .how = "each number is loaded, `fmas` fused multiplications and additions follow one after the other, and it is "
            "stored: for each byte read or written, a quarter of `fmas` operations with float and an eighth with "
            "double. Operations are counted, two for each: the rate is in 10^9 operations a second (Gop/s). The peak "
            "is the memory's: few operations come near it, and where it falls, arithmetic limits the rate, at most to "
            "that of arithmetic/fma",
     .parameters = {{"bytes", {std::int64_t{256} << 20}}, {"fmas", {}}, {"type", numbers}},
     .full = {{"bytes", {std::int64_t{1} << 30}}, {"fmas", {1, 2, 4, 8, 16, 32, 64, 128, 256}}, {"type", numbers}},
     .allowed = {{"bytes", {.least = sizeof(double)}}, {"fmas", {.only = powers_of_two(1, 4096)}}},
     .arrays = [](const Setting& setting) -> ArraySizes {
         const auto bytes =
             with_number(setting, [&](auto number) { return setting.count<decltype(number)>() * sizeof(number); });
         return {.bytes = {bytes, bytes}, .one_way = bytes, .touched = 2 * bytes};
     },
     .operation = operation,
     .fill = fill,
     .wrong = wrong,
     .compared = "every number with that of the CPU, to the last bit, and 256 bytes before and after",
     .operations =
         [](const Setting& setting) {
             return static_cast<std::int64_t>(count_of(setting)) * 2 * setting.number("fmas");
         },
     .simulated = "arithmetic takes no time, and of more than 4 operations on a number 4 are done"}};

}  // namespace
}  // namespace tocuda::kernels::roofline
