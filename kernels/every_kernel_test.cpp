// tocuda, Apache-2.0.
// Every registered kernel on the CPU, under the address sanitizer: sizes, variants, thread orders, alignments, fewer
// blocks than tiles, and the ends of copies of more than 4 Gi elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <utility>

#include "kernels/block_sum.hpp"
#include "kernels/direct_runtime_test.hpp"
#include "measurement/payload.hpp"

namespace tocuda {

void PrintTo(const Kernel& kernel, std::ostream* stream) { *stream << kernel.name; }

namespace {

bool copies(const Kernel& kernel) { return !kernel.expected && !kernel.wrong; }

// Returns every combination of the values of a full measurement, with this size.
std::vector<Parameters> variants(const Kernel& kernel, std::size_t bytes) {
    std::vector<Parameters> all{first_set(kernel, bytes)};
    for (const auto& [name, values] : kernel.full) {
        if (name == "bytes" || name == "cache") continue;
        std::vector<Parameters> more;
        for (auto set : all)
            for (const auto& value : values) {
                set[name] = value;
                more.push_back(set);
            }
        all = std::move(more);
    }
    return all;
}

class EveryKernel : public testing::TestWithParam<Kernel> {};
std::string name_of(const testing::TestParamInfo<Kernel>& each) {
    auto name = each.param.name;
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(Kernels, EveryKernel, testing::ValuesIn(registered_kernels()), name_of);

// Zero, single bytes, a vector +-1, odd and prime sizes, one tile +-1, several tiles and part of one.
TEST_P(EveryKernel, IsRightAtEverySize) {
    for (const std::size_t bytes :
         {0, 1, 15, 16, 17, 255, 10007, 16384, 32767, 32768, 32769, 65536, 99991, 3 * 32768 + 5, 299'993, 1 << 20})
        for (const auto order : thread_orders)
            ASSERT_EQ(wrong(GetParam(), first_set(GetParam(), bytes), {.order = order}), "")
                << bytes << " bytes, " << word(order);
}

TEST_P(EveryKernel, IsRightInEveryVariant) {
    for (const std::size_t bytes : {31, 16415, 100'003})
        for (const auto& set : variants(GetParam(), bytes))
            for (const auto order : {ThreadOrder::descending, ThreadOrder::seeded})
                ASSERT_EQ(wrong(GetParam(), set, {.order = order}), "") << bytes << " bytes, " << word(order);
}

// A kernel that leaves a value of each block needs all its blocks.
TEST_P(EveryKernel, IsRightWithFewerBlocksThanTiles) {
    if (GetParam().wrong) return;
    for (const auto& set : variants(GetParam(), 299'993))
        ASSERT_EQ(wrong(GetParam(), set, {.most_blocks = 3}, copies(GetParam()) ? Offsets{5, 5} : Offsets{}), "");
}

TEST_P(EveryKernel, CopiesBetweenEveryPairOfAlignments) {
    if (!copies(GetParam())) return;
    for (std::size_t to = 0; to < 32; to += to < 17 ? 1 : 5)
        for (std::size_t from = 0; from < 32; from += from < 17 ? 1 : 5)
            for (const std::size_t bytes : {0, 1, 15, 33, 251})
                for (const auto order : thread_orders)
                    ASSERT_EQ(wrong(GetParam(), first_set(GetParam(), bytes), {.order = order}, {to, from}), "")
                        << bytes << " bytes, target " << to << ", source " << from;
}

TEST_P(EveryKernel, CopiesEndsOfMoreThanFourGiElements) {
    if (!copies(GetParam()) || GetParam().name.ends_with("/engine")) return;
    const std::size_t bytes = std::size_t{393'216} * 174'763;  // whole tiles of every kernel, in elements of 16 bytes
    constexpr std::size_t most_tile = std::size_t{1} << 20;
    constexpr std::size_t least_tile = 256;
    constexpr std::size_t around = 4096;
    const Reserved source(bytes + around);
    const Reserved target(bytes + 2 * around);
    const Setting setting{first_set(GetParam(), bytes), small_gpu()};
    auto* from = source.get() + (GetParam().offset ? GetParam().offset(setting) : 0);
    auto* to = target.get() + around;
    for (const auto start : {std::size_t{0}, bytes - most_tile}) {
        write_payload(std::span(from + start, most_tile), start);
        for (auto i = start; i < start + most_tile; ++i) from[i] |= std::byte{1};
    }
    run_ends(GetParam(), setting.set, {to, from});
    EXPECT_TRUE(std::equal(from, from + least_tile, to));
    EXPECT_TRUE(std::equal(from + bytes - least_tile, from + bytes, to + bytes - least_tile));
    for (const auto start : {std::size_t{0}, bytes - most_tile})
        for (auto i = start; i < start + most_tile; ++i)
            ASSERT_TRUE(to[i] == std::byte{0} || to[i] == from[i]) << "byte " << i << " of " << bytes;
    EXPECT_TRUE(std::all_of(to - around, to, [](std::byte each) { return each == std::byte{0}; }));
    EXPECT_TRUE(std::all_of(to + bytes, to + bytes + around, [](std::byte each) { return each == std::byte{0}; }));
}

// Values beyond those of a full measurement.
TEST(OtherValues, OfStridesAreRight) {
    for (const std::size_t count : {0, 1, 15, 16, 17, 255, 2047, 2048, 2049, 10'007})
        for (const auto order : thread_orders)
            for (const int stride : {3, 33, 4096})
                EXPECT_EQ(wrong(kernel_named("copy/device_to_device/strided"),
                                {{"bytes", 4 * count}, {"stride", stride}}, {.order = order}),
                          "")
                    << stride;
}

TEST(OtherValues, OfStagesAreRight) {
    struct Shape {
        int tile_bytes, stages;
    };
    for (const auto [tile_bytes, stages] : {Shape{128, 2}, Shape{128, 3}, Shape{4096, 2}, Shape{2048, 32}})
        for (const std::size_t bytes : {16, 10'007, 32'769})
            for (const auto order : thread_orders) {
                Parameters set{{"bytes", bytes}, {"tile_bytes", tile_bytes}, {"stages", stages}, {"blocks_each", 1}};
                EXPECT_EQ(wrong(kernel_named("memory/triad_tma"), set, {.order = order}), "") << bytes;
                set["l2"] = "evict_first";
                EXPECT_EQ(wrong(kernel_named("copy/device_to_device/tma_bulk"), set, {.order = order}), "") << bytes;
            }
}

TEST(OtherValues, OfOffsetsAreRight) {
    for (std::size_t from = 1; from < 16; ++from)
        for (const std::size_t bytes : {16, 31, 32, 47, 48, 64, 16384, 16385, 16400, 16415, 50'021})
            EXPECT_EQ(wrong(kernel_named("copy/device_to_device/misaligned"), {{"bytes", bytes}, {"offset", from}},
                            {.order = ThreadOrder::seeded}),
                      "")
                << from;
}

TEST(References, OfReductionsJoinAllParts) {
    EXPECT_EQ(wrong(kernel_named("memory/read"), first_set(kernel_named("memory/read"), (3 << 20) + 5)), "");
    EXPECT_EQ(wrong(kernel_named("memory/dot"), first_set(kernel_named("memory/dot"), (20 << 20) + 5)), "");
}

// One thread would take the other parts, too, if no second one came.
TEST(References, AreComputedInPartsByTheThreadsThatTheMachineHas) {
    constexpr std::size_t part = 1 << 20;
    std::mutex reporting;
    std::set<std::thread::id> threads;
    std::atomic<std::size_t> came = 0;
    const auto numbers = joined_on_host(4 * part + 5, std::plus<>(), [&](std::size_t first, std::size_t some) {
        EXPECT_EQ(first % part, 0U);
        EXPECT_LE(some, part);
        {
            const std::lock_guard lock(reporting);
            threads.insert(std::this_thread::get_id());
            came = threads.size();
        }
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (usable_threads() > 1 && came == 1 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
        return some;
    });
    EXPECT_EQ(numbers, 4 * part + 5);
    EXPECT_EQ(threads.size() > 1, usable_threads() > 1);
}

Grid grid_of(const Kernel& kernel, std::size_t bytes, unsigned multiprocessors = 2, Parameters more = {}) {
    auto set = first_set(kernel, bytes);
    more.merge(set);
    auto gpu = small_gpu();
    gpu.multiprocessors = multiprocessors;
    launches() = {.none = true};
    kernel.operation({more, gpu})(Stream(), {nullptr, nullptr, nullptr});
    const auto grid = launches().last;
    launches() = {};
    return grid;
}
Grid grid_of(const std::string& name, std::size_t bytes, unsigned multiprocessors = 2, Parameters more = {}) {
    return grid_of(kernel_named("copy/device_to_device/" + name), bytes, multiprocessors, std::move(more));
}

TEST(Grids, CoverAllBytes) {
    EXPECT_EQ(grid_of("vector16", 0).blocks, 1U);
    EXPECT_EQ(grid_of("vector16", 32768).blocks, 1U);
    EXPECT_EQ(grid_of("vector16", 32769).blocks, 2U);
    EXPECT_EQ(grid_of("vector16", std::size_t{1} << 60).blocks, 0x7fffffffU);
    EXPECT_EQ(grid_of("vector16", 1000).bytes_touched, 2000U);
}

TEST(Grids, HaveNoMoreBlocksThanRunAtOnce) {
    EXPECT_EQ(grid_of("persistent", std::size_t{1} << 30, 132).blocks, 264U);
    EXPECT_EQ(grid_of("persistent", 1, 132).blocks, 1U);
    EXPECT_EQ(grid_of("persistent", 0, 132).blocks, 1U);
}

TEST(Grids, OfHeadlinesUseEveryMultiprocessorFromOneMebibyte) {
    for (const auto* name : {"copy/device_to_device/best", "memory/read", "memory/triad"})
        for (const unsigned multiprocessors : {132U, 148U})
            EXPECT_GE(grid_of(kernel_named(name), 1 << 20, multiprocessors).blocks, multiprocessors) << name;
    EXPECT_GE(grid_of(kernel_named("memory/read"), 1 << 20, 148, {{"width", 32}}).blocks, 128U);
}

TEST(Grids, HaveSharedMemoryForBarriersAndStages) {
    const auto shared_bytes = [](int tile_bytes, int stages) {
        return grid_of("tma_bulk", 1 << 20, 2, {{"tile_bytes", tile_bytes}, {"stages", stages}}).shared_bytes;
    };
    EXPECT_EQ(shared_bytes(8192, 4), 128U + 4 * 8192U);
    EXPECT_EQ(shared_bytes(128, 17), 256U + 17 * 128U);
}

// Below four times the L2 cache a row says little about the memory, and what is measured first would show the cache.
TEST(QuickSizes, ShowTheMemoryOfEveryDataCentreGpu) {
    constexpr std::size_t mib = std::size_t{1} << 20;
    auto gpu = small_gpu();
    gpu.memory.bytes_per_second = 1;
    std::set<std::string> headlines{"copy/device_to_device/best", "memory/read"};
    for (const auto& kernel : registered_kernels()) {
        const auto found = kernel.quick.find("bytes");
        if (found == kernel.quick.end() || found->second.empty()) continue;
        headlines.erase(kernel.name);
        const auto largest = static_cast<std::size_t>(std::get<std::int64_t>(found->second.back().held));
        const auto sizes = kernel.arrays({first_set(kernel, largest), gpu}).bytes;
        for (const auto l2_bytes : {50 * mib, 60 * mib, std::size_t{132'644'864}}) {  // H100, H200, B200
            gpu.l2_bytes = l2_bytes;
            const auto peak = memory_peak(gpu, std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
            EXPECT_TRUE(peak.bytes_per_second > 0 && !is_partly_cached(peak)) << kernel.name << " " << l2_bytes;
        }
    }
    EXPECT_TRUE(headlines.empty()) << *headlines.begin() << " is not measured by --quick";
}

TEST(TransposedCopy, HasTheMatrixNearestToASquare) {
    const auto elements = [](std::size_t of) {
        const Setting setting{{{"bytes", 4 * of}}, small_gpu()};
        return kernel_named("copy/device_to_device/transposed").arrays(setting).bytes.front() / 4;
    };
    for (const std::size_t whole : {std::size_t{0}, std::size_t{1}, std::size_t{1024}, std::size_t{1} << 29})
        EXPECT_EQ(elements(whole), whole);
    EXPECT_EQ(elements(1031), 1024U);
}

}  // namespace
}  // namespace tocuda
