// tocuda, Apache-2.0.
// The kernel that copies both ways, on the CPU: every byte of both copies, and no other.
#include "kernels/two_way_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/direct_runtime_test.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/payload.hpp"

namespace tocuda {
namespace {

constexpr std::byte guard{0xC3};

TEST(TwoWayCopy, MovesEachByteBothWaysAndNoOther) {
    for (const std::size_t bytes : {0U, 1U, 15U, 4096U, 16384U, 16401U, 100003U})
        for (const unsigned blocks : {0U, 1U, 3U})
            for (const auto order : thread_orders) {
                std::vector<std::byte> sent(2 * bytes);
                write_payload(sent, 0);
                std::vector<std::byte> up(bytes + 1, guard);
                std::vector<std::byte> down(bytes + 1, guard);
                launches() = {.order = order};
                launch_two_copies(
                    Stream(),
                    {.to = {up.data(), down.data()}, .from = {sent.data(), sent.data() + bytes}, .bytes = bytes},
                    blocks);
                launches() = {};
                EXPECT_TRUE(std::equal(up.begin(), up.end() - 1, sent.begin())) << bytes << " bytes up";
                EXPECT_TRUE(std::equal(down.begin(), down.end() - 1, sent.begin() + static_cast<std::ptrdiff_t>(bytes)))
                    << bytes << " bytes down";
                EXPECT_EQ(std::pair(up.back(), down.back()), std::pair(guard, guard)) << bytes << " bytes";
            }
}

}  // namespace
}  // namespace tocuda
