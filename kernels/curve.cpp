// tocuda, Apache-2.0.
// The kernels of bandwidth against the working set, compiled for the GPU and for the CPU.
#include "kernels/curve.hpp"

#include <algorithm>
#include <limits>

#include "kernels/ordered_access.hpp"
#include "measurement/block.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace kernels::curve {

constexpr std::uint32_t sum_of(const Vector16& vector) {
    return vector.words[0] + vector.words[1] + vector.words[2] + vector.words[3];
}

// No two vectors of an array are equal.
constexpr Vector16 written(std::size_t place) {
    const auto low = static_cast<std::uint32_t>(place);
    const auto high = static_cast<std::uint32_t>(place >> 32);
    return {{low, ~low, low * 2654435761U + high, low ^ 0x9e3779b9U}};
}

// Calls `several(places)` with the vectors of `in_flight` visits, and `one(place)` for each visit that remains.
template <unsigned in_flight, class Walk, class Several, class One>
constexpr void along(const Curve& curve, Walk walk, const Several& several, const One& one) {
    auto visits = static_cast<unsigned>(walk.visits(curve.passes));
    for (; visits >= in_flight; visits -= in_flight) {
        std::size_t places[in_flight];
        for (auto& place : places) place = walk.next();
        several(places);
    }
    for (; visits > 0; --visits) one(walk.next());
}

template <CurveWay way, class Block>
constexpr DividedWalk divided_walk(const Block& block, const Curve& curve) {
    return {curve.tiles(), block.blocks, block.block, curve_threads(way), block.thread};
}
template <class Block>
constexpr WholeWalk whole_walk(const Block& block, const Curve& curve) {
    return {curve.tiles(), block.block, curve_threads(CurveWay::read), block.thread};
}

template <class Walk, class Load>
constexpr std::uint32_t sum_along(const Curve& curve, const Walk& walk, const Load& loaded) {
    constexpr unsigned in_flight = 4;
    std::uint32_t sum = 0;
    along<in_flight>(
        curve, walk,
        [&](const std::size_t (&places)[in_flight]) {
            Vector16 held[in_flight];
            for (unsigned i = 0; i < in_flight; ++i) held[i] = loaded(places[i]);
            for (unsigned i = 0; i < in_flight; ++i) sum += sum_of(held[i]);
        },
        [&](std::size_t place) { sum += sum_of(loaded(place)); });
    return sum;
}

// What a simulated GPU needs to know: where the bytes are, how many were touched in all, and which level holds them.
struct Repeated {
    static constexpr bool has_barrier = false;
    static constexpr Touched touched(const Curve& curve, const void* from, const auto*...) {
        return {.read = from, .bytes_read = curve.touched()};
    }
    static constexpr std::size_t working_set(const Curve& curve, const auto*...) {
        return curve.cold ? std::numeric_limits<std::int64_t>::max() : curve.bytes;
    }
};

struct Read : Repeated {
    template <class Block>
    constexpr void operator()(Block& block, Curve curve, const std::byte* from, std::uint32_t* sums) const {
        const auto* const vectors = reinterpret_cast<const Vector16*>(from);
        const auto loaded = [&](std::size_t place) { return ordered_load(vectors + place); };
        sums[block.block * block.threads + block.thread] =
            curve.whole_each() ? sum_along(curve, whole_walk(block, curve), loaded)
                               : sum_along(curve, divided_walk<CurveWay::read>(block, curve), loaded);
    }
};

struct Write : Repeated {
    template <class Block>
    constexpr void operator()(Block& block, Curve curve, std::byte* to) const {
        constexpr unsigned in_flight = 4;
        auto* const vectors = reinterpret_cast<Vector16*>(to);
        const auto one = [&](std::size_t place) { ordered_store(vectors + place, written(place)); };
        along<in_flight>(
            curve, divided_walk<CurveWay::write>(block, curve),
            [&](const std::size_t (&places)[in_flight]) {
                for (const auto place : places) one(place);
            },
            one);
    }
};

struct Copy : Repeated {
    template <class Block>
    constexpr void operator()(Block& block, Curve curve, const std::byte* from, std::byte* to) const {
        const auto* const source = reinterpret_cast<const Vector16*>(from);
        auto* const target = reinterpret_cast<Vector16*>(to);
        constexpr unsigned in_flight = 8;
        along<in_flight>(
            curve, divided_walk<CurveWay::copy>(block, curve),
            [&](const std::size_t (&places)[in_flight]) {
                Vector16 held[in_flight];
                for (unsigned i = 0; i < in_flight; ++i) held[i] = ordered_load(source + places[i]);
                for (unsigned i = 0; i < in_flight; ++i) ordered_store(target + places[i], held[i]);
            },
            [&](std::size_t place) { target[place] = source[place]; });
    }
};

// A thread reads only what it has written itself, so that nobody has to wait.
struct ReadShared : Repeated {
    template <class Block>
    constexpr void operator()(Block& block, Curve curve, const std::byte* from, std::uint32_t* sums) const {
        auto* const held = shared<Vector16>(block, curve.bytes / sizeof(Vector16));
        const auto* const vectors = reinterpret_cast<const Vector16*>(from);
        for (std::size_t place = block.thread; place < curve.bytes / sizeof(Vector16); place += block.threads)
            held[place] = vectors[place];
        sums[block.block * block.threads + block.thread] =
            sum_along(curve, whole_walk(block, curve), [&](std::size_t place) { return held[place]; });
    }
    static constexpr std::size_t working_set(const Curve&, const auto*...) { return 0; }
};

struct CountWritten {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, const std::byte* found, std::size_t count,
                              unsigned long long* alike) const {
        const auto* const vectors = reinterpret_cast<const Vector16*>(found);
        unsigned long long mine = 0;
        for (auto i = std::size_t{block.block} * block.threads + block.thread; i < count;
             i += std::size_t{block.blocks} * block.threads) {
            const auto wanted = written(i);
            bool same = true;
            for (unsigned word = 0; word < 4; ++word) same = same && vectors[i].words[word] == wanted.words[word];
            mine += same ? 1 : 0;
        }
        block.add(alike, mine);
    }
};

}  // namespace kernels::curve

void launch_curve(const Stream& stream, const Curve& curve, std::byte* to, const std::byte* from, std::uint32_t* sums) {
    const Grid grid{.blocks = curve.blocks(), .threads = curve.threads(), .bytes_touched = curve.touched()};
    if (curve.way == CurveWay::read) launch(stream, grid, kernels::curve::Read{}, curve, from, sums);
    if (curve.way == CurveWay::write) launch(stream, grid, kernels::curve::Write{}, curve, to);
    if (curve.way == CurveWay::copy) launch(stream, grid, kernels::curve::Copy{}, curve, from, to);
}

void launch_shared_curve(const Stream& stream, const Curve& curve, const std::byte* from, std::uint32_t* sums) {
    launch(stream,
           {.blocks = curve.blocks(),
            .threads = curve.threads(),
            .shared_bytes = curve.bytes,
            .bytes_touched = curve.touched()},
           kernels::curve::ReadShared{}, curve, from, sums);
}

void launch_count_written(const Stream& stream, const std::byte* found, std::size_t bytes, unsigned long long* alike) {
    const auto count = bytes / sizeof(Vector16);
    const auto blocks = static_cast<unsigned>(std::min(parts(count, 256), std::size_t{1} << 12));
    launch(stream, {.blocks = blocks, .threads = 256, .bytes_touched = bytes}, kernels::curve::CountWritten{}, found,
           count, alike);
}

}  // namespace tocuda
