// tocuda, Apache-2.0.
// Which tiles a block visits, and the kernels of the curves on the CPU.
#include "kernels/curve.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/direct_runtime_test.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/payload.hpp"

namespace tocuda {
namespace {

// The tiles that the blocks visit, in order, each with how often.
std::vector<unsigned> visited(unsigned tiles, unsigned blocks, unsigned passes, const auto& walk_of) {
    std::vector<unsigned> times(tiles);
    for (unsigned block = 0; block < blocks; ++block) {
        auto walk = walk_of(block);
        for (auto left = walk.visits(passes); left > 0; --left) ++times.at(walk.next());
    }
    return times;
}

TEST(CurveWalk, VisitsEachTileOnceAtEachPass) {
    for (const unsigned tiles : {1U, 2U, 3U, 7U, 8U, 9U, 16U, 25U, 64U})
        for (const unsigned blocks : {1U, 2U, 3U, 8U, 11U})
            for (const unsigned passes : {1U, 2U, 3U, 8U, 13U}) {
                const auto whole = [&](unsigned block) { return WholeWalk(tiles, block, 1, 0); };
                EXPECT_EQ(visited(tiles, blocks, passes, whole), std::vector(tiles, passes * blocks)) << tiles;
                if (tiles < blocks) continue;
                const auto divided = [&](unsigned block) { return DividedWalk(tiles, blocks, block, 1, 0); };
                EXPECT_EQ(visited(tiles, blocks, passes, divided), std::vector(tiles, passes))
                    << tiles << " tiles, " << blocks << " blocks";
            }
}

TEST(CurveWalk, VisitsAVectorOfEachTile) {
    WholeWalk whole(3, 1, 32, 5);
    DividedWalk divided(3, 1, 0, 32, 5);
    for (const std::size_t place : {37, 69, 5, 37}) EXPECT_EQ(whole.next(), place);
    for (const std::size_t place : {5, 37, 69, 5}) EXPECT_EQ(divided.next(), place);
}

TEST(CurveWalk, ReturnsToATileOnlyAfterAllOthers) {
    constexpr unsigned tiles = 24;
    constexpr unsigned blocks = 4;
    DividedWalk walk(tiles, blocks, 1, 1, 0);
    std::vector<int> last(tiles, -1);
    for (int i = 0; i < 4 * static_cast<int>(tiles); ++i) {
        auto& before = last.at(walk.next());
        if (before >= 0) {
            EXPECT_EQ(i - before, static_cast<int>(tiles)) << "visit " << i;
        }
        before = i;
    }
}

TEST(Curve, StoresNoVectorTwiceInAPass) {
    for (const auto way : {CurveWay::write, CurveWay::copy})
        for (const std::size_t times : {1, 4, 131, 132, 133}) {
            const Curve curve{.way = way, .bytes = times * least_curve_bytes, .multiprocessors = 132, .passes = 3};
            const auto walk = [&](unsigned block) { return DividedWalk(curve.tiles(), curve.blocks(), block, 1, 0); };
            EXPECT_EQ(visited(curve.tiles(), curve.blocks(), 1, walk), std::vector(curve.tiles(), 1U)) << times;
            EXPECT_EQ(curve.touched(), 3 * curve.bytes);
        }
}

struct Visited {
    explicit Visited(const Curve& visited)
        : curve(visited), from(aligned_bytes(curve.array_bytes())), to(aligned_bytes(curve.array_bytes())),
          sums(std::size_t{curve.blocks()} * curve.threads()) {
        write_payload(std::span(from.get(), curve.array_bytes()), 0);
        std::fill_n(to.get(), curve.array_bytes(), std::byte{0xC3});
    }
    void run(ThreadOrder order, bool shared = false) {
        launches() = {.order = order};
        if (shared) launch_shared_curve(Stream(), curve, from.get(), sums.data());
        else launch_curve(Stream(), curve, to.get(), from.get(), sums.data());
        launches() = {};
    }
    std::uint32_t sum() const {
        std::uint32_t all = 0;
        for (const auto each : sums) all += each;
        return all;
    }
    std::uint32_t sum_of_words() const {
        std::uint32_t all = 0;
        const auto* const words = reinterpret_cast<const std::uint32_t*>(from.get());
        for (std::size_t i = 0; i < curve.array_bytes() / 4; ++i) all += words[i];
        return all;
    }

    Curve curve;
    AlignedBytes from;
    AlignedBytes to;
    std::vector<std::uint32_t> sums;
};

// Fewer tiles than multiprocessors, as many, and more; visits in groups and one by one.
std::vector<Curve> kinds(CurveWay way) {
    std::vector<Curve> all;
    for (const std::size_t times : {1, 2, 4, 9})
        for (const unsigned multiprocessors : {1U, 4U, 5U})
            for (const unsigned passes : {1U, 3U})
                all.push_back({.way = way,
                               .bytes = times * least_curve_bytes,
                               .multiprocessors = multiprocessors,
                               .passes = passes});
    return all;
}

TEST(Curve, ReadsEachWordAtEachPass) {
    for (const auto& curve : kinds(CurveWay::read))
        for (const auto order : thread_orders) {
            Visited arrays(curve);
            arrays.run(order);
            const auto times = curve.passes * (curve.whole_each() ? curve.blocks() : 1);
            EXPECT_EQ(arrays.sum(), arrays.sum_of_words() * times) << curve.bytes << " bytes, " << curve.blocks();
        }
}

TEST(Curve, CopiesEachByte) {
    for (const auto& curve : kinds(CurveWay::copy))
        for (const auto order : thread_orders) {
            Visited arrays(curve);
            arrays.run(order);
            EXPECT_EQ(first_unlike_payload({arrays.to.get(), curve.array_bytes()}, 0), std::nullopt) << curve.bytes;
        }
}

unsigned long long written_in(const Visited& arrays) {
    unsigned long long alike = 0;
    launch_count_written(Stream(), arrays.to.get(), arrays.curve.bytes, &alike);
    return alike;
}

TEST(Curve, WritesEachVector) {
    for (const auto& curve : kinds(CurveWay::write))
        for (const auto order : thread_orders) {
            Visited arrays(curve);
            EXPECT_EQ(written_in(arrays), 0U);
            arrays.run(order);
            EXPECT_EQ(written_in(arrays), curve.bytes / 16);
            arrays.to[curve.bytes - 1] ^= std::byte{1};
            EXPECT_EQ(written_in(arrays), curve.bytes / 16 - 1);
        }
}

TEST(Curve, EachBlockReadsSharedMemoryOfItsOwn) {
    for (auto curve : kinds(CurveWay::read)) {
        curve.each_its_own = true;
        for (const auto order : thread_orders) {
            Visited arrays(curve);
            arrays.run(order, true);
            EXPECT_EQ(arrays.sum(), arrays.sum_of_words() * curve.passes * curve.blocks()) << curve.bytes;
        }
    }
}

}  // namespace
}  // namespace tocuda
