// tocuda, Apache-2.0.
// Numbers are generated, cast and compared on the CPU in parts by several threads.
#include "kernels/number_source.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "kernels/number_types.hpp"
#include "measurement/payload.hpp"

namespace tocuda {
namespace {

constexpr std::size_t part_numbers = std::size_t{1} << 18;
constexpr std::size_t compared_numbers = std::size_t{1} << 22;  // downloaded from the GPU at a time

// Returns an exponent from -28 to 17 for any bits.
std::uint64_t tame_exponent(std::uint64_t bits) { return bits % 46 - 28; }

double tame_double(std::uint64_t bits) {
    const auto exponent = 1023 + tame_exponent(bits >> 52);
    return std::bit_cast<double>((bits & 0x800fffffffffffff) | exponent << 52);
}

float tame_float(std::uint64_t bits) {
    const auto exponent = static_cast<std::uint32_t>(127 + tame_exponent(bits >> 32));
    return std::bit_cast<float>((static_cast<std::uint32_t>(bits) & 0x807fffffU) | exponent << 23);
}

// Keeps every finite pattern; the others become zero.
template <class Small>
Small tame_small(std::uint64_t bits) {
    const auto pattern = static_cast<decltype(Small::bits)>(bits);
    return {(pattern & BitsOf<Small>::no_number) >= BitsOf<Small>::beyond ? decltype(Small::bits){0} : pattern};
}

template <class Type, class Make>
void write_each(std::byte* to, std::size_t place, std::size_t count, const Make& make) {
    auto* numbers = reinterpret_cast<Type*>(to);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = make(scrambled(place + i));
}

std::string at_number(std::size_t place, std::size_t of) {
    return "number " + std::to_string(place) + " of " + std::to_string(of) + " differs from the reference";
}

// Returns the index of the first wrong number, or `count`. Uses several threads.
std::size_t first_wrong(Crew& crew, Numbers types, const std::byte* found, std::size_t place, std::size_t count) {
    std::atomic<std::size_t> lowest{count};
    const auto wide = bytes_each(types.to);
    in_parts(crew, count, [&](std::size_t first, std::size_t some) {
        std::vector<std::byte> source(some * bytes_each(types.from));
        std::vector<std::byte> expected(some * wide);
        write_numbers(types.from, source.data(), place + first, some);
        cast_on_host(types, expected.data(), source.data(), some);
        if (std::memcmp(expected.data(), found + first * wide, some * wide) == 0) return;
        const auto at = std::mismatch(expected.begin(), expected.end(), found + first * wide).first - expected.begin();
        const auto wrong = first + static_cast<std::size_t>(at) / wide;
        auto before = lowest.load();
        while (wrong < before && !lowest.compare_exchange_weak(before, wrong)) continue;
    });
    return lowest;
}

Number number_of(const std::string& word) {
    const auto found = std::find(number_words.begin(), number_words.end(), word);
    if (found == number_words.end()) throw std::invalid_argument("'" + word + "' is not a number type");
    return static_cast<Number>(found - number_words.begin());
}

}  // namespace

std::string why_no_cast(const Parameters& set) {
    for (const auto& name : {"from", "to"}) {
        if (std::find(number_words.begin(), number_words.end(), text(set, name)) != number_words.end()) continue;
        return std::string(name) + " must be one of double, float, half, bfloat16, float8_e4m3, float8_e5m2, not " +
               text(set, name);
    }
    if (has_cast(types_of(set))) return "";
    return "casts are supported between float and each other type, not from " + text(set, "from") + " to " +
           text(set, "to");
}

Numbers types_of(const Parameters& set) {
    return {.from = number_of(text(set, "from")), .to = number_of(text(set, "to"))};
}

void in_parts(Crew& crew, std::size_t count, const std::function<void(std::size_t place, std::size_t count)>& part) {
    std::atomic<std::size_t> next{0};
    crew.run([&] {
        for (auto place = next.fetch_add(part_numbers); place < count; place = next.fetch_add(part_numbers))
            part(place, std::min(part_numbers, count - place));
    });
}

void write_numbers(Number type, std::byte* to, std::size_t place, std::size_t count) {
    switch (type) {
        case Number::float64:
            return write_each<double>(to, place, count, tame_double);
        case Number::float32:
            return write_each<float>(to, place, count, tame_float);
        case Number::float16:
            return write_each<Half>(to, place, count, tame_small<Half>);
        case Number::bfloat16:
            return write_each<BFloat16>(to, place, count, tame_small<BFloat16>);
        case Number::float8_e4m3:
            return write_each<Float8E4M3>(to, place, count, tame_small<Float8E4M3>);
        case Number::float8_e5m2:
            return write_each<Float8E5M2>(to, place, count, tame_small<Float8E5M2>);
    }
}

std::string wrong_numbers(Crew& crew, const Stream& stream, Numbers types, const std::byte* found, std::size_t count) {
    std::vector<std::byte> here(std::min(count, compared_numbers) * bytes_each(types.to));
    for (std::size_t place = 0; place < count; place += compared_numbers) {
        const auto some = std::min(compared_numbers, count - place);
        download(std::span(here).first(some * bytes_each(types.to)), found + place * bytes_each(types.to), stream);
        if (const auto wrong = first_wrong(crew, types, here.data(), place, some); wrong < some)
            return at_number(place + wrong, count);
    }
    return "";
}

}  // namespace tocuda
