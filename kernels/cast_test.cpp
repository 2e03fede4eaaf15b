// tocuda, Apache-2.0.
// The casts on the CPU: sizes, alignments, thread orders, bounds, and the ends of a cast of more than 4 Gi numbers.
#include "kernels/cast.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/direct_runtime_test.hpp"
#include "measurement/payload.hpp"

namespace tocuda {
namespace {

constexpr std::byte guard{0xC3};

struct Standing {
    std::size_t to = 0;  // numbers past a multiple of 256 bytes
    std::size_t from = 0;
};

// Casts arbitrary bytes. The source ends at the end of its allocation; the target lies between guards.
bool is_right(Numbers types, std::size_t count, Standing standing, unsigned most_blocks, ThreadOrder order) {
    const auto source = aligned_bytes((standing.from + count) * bytes_each(types.from));
    write_payload(std::span(source.get(), (standing.from + count) * bytes_each(types.from)), 0);
    const auto* from = source.get() + standing.from * bytes_each(types.from);
    const auto start = kernel_guard_bytes + standing.to * bytes_each(types.to);
    const auto all = start + count * bytes_each(types.to) + kernel_guard_bytes;
    const auto target = aligned_bytes(all);
    const auto expected = aligned_bytes(all);
    std::fill_n(target.get(), all, guard);
    std::fill_n(expected.get(), all, guard);
    cast_on_host(types, expected.get() + start, from, count);
    launches() = {.order = order};
    launch_cast(Stream(), types, target.get() + start, from, count, most_blocks);
    launches() = {};
    return std::equal(expected.get(), expected.get() + all, target.get());
}

std::vector<Numbers> casts() {
    std::vector<Numbers> all;
    for (std::size_t from = 0; from < number_words.size(); ++from)
        for (std::size_t to = 0; to < number_words.size(); ++to)
            if (const Numbers types{static_cast<Number>(from), static_cast<Number>(to)}; has_cast(types))
                all.push_back(types);
    return all;
}

class EveryCast : public testing::TestWithParam<Numbers> {};
INSTANTIATE_TEST_SUITE_P(Casts, EveryCast, testing::ValuesIn(casts()), [](const auto& each) {
    return std::string(word(each.param.from)) + "_to_" + std::string(word(each.param.to));
});

TEST_P(EveryCast, ConvertsEveryNumberAndNothingElse) {
    for (const std::size_t count : {0, 1, 3, 4, 15, 16, 17, 255, 2047, 8191, 8192, 8193, 10007, 99'991})
        for (const auto order : thread_orders)
            for (const unsigned most_blocks : {0U, 2U})
                ASSERT_TRUE(is_right(GetParam(), count, {}, most_blocks, order)) << count << " " << word(order);
}

TEST_P(EveryCast, WorksAtEveryAlignment) {
    for (std::size_t to = 0; to < 9; ++to)
        for (std::size_t from = 0; from < 9; ++from)
            for (const std::size_t count : {1, 15, 17, 2500})
                ASSERT_TRUE(is_right(GetParam(), count, {to, from}, 0, ThreadOrder::ascending)) << to << ' ' << from;
}

TEST(Cast, EndsOfMoreThanFourGiNumbers) {
    const auto count = (std::size_t{1} << 32) + 8192 + 7;  // a vector in the last block, three numbers after it
    const Reserved source(count * sizeof(float));
    const Reserved target((count + 64) * 2);
    auto* from = source.as<float>();
    const auto* to = target.as<std::uint16_t>();
    from[0] = 1;
    from[count - 1] = 2;
    from[count - 7] = 3;
    launches() = {.ends_only = true};
    launch_cast(Stream(), {Number::float32, Number::bfloat16}, target.get(), source.get(), count);
    launches() = {};
    EXPECT_EQ(to[0], 0x3f80);
    EXPECT_EQ(to[count - 1], 0x4000);
    EXPECT_EQ(to[count - 7], 0x4040);
    EXPECT_EQ(to[count], 0);
}

TEST(Cast, ExistsBetweenFloatAndEveryOtherType) {
    EXPECT_EQ(casts().size(), 10U);
    EXPECT_TRUE(has_cast({Number::float64, Number::float32}));
    EXPECT_TRUE(has_cast({Number::float8_e4m3, Number::float32}));
    EXPECT_FALSE(has_cast({Number::float32, Number::float32}));
    EXPECT_FALSE(has_cast({Number::float64, Number::float16}));
}

}  // namespace
}  // namespace tocuda
