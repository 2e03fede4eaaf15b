// tocuda, Apache-2.0.
// Multicast stores on the CPU: every GPU gets every word and nothing around it.
#include "kernels/multicast_copy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "kernels/direct_runtime_test.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/payload.hpp"

namespace tocuda {
namespace {

TEST(MulticastCopy, StoresEachWordForEachGpuInAnyOrderOfThreads) {
    constexpr unsigned gpus = 3;
    for (const std::size_t bytes : {std::size_t{16}, std::size_t{512 * 16}, std::size_t{9 * 512 * 16 + 48}})
        for (const auto order : thread_orders) {
            const auto source = aligned_bytes(bytes);
            write_payload(std::span(source.get(), bytes), 8);
            std::array<std::vector<std::byte>, gpus> targets;
            MulticastTarget to{.gpus = gpus};
            for (unsigned gpu = 0; gpu < gpus; ++gpu) {
                targets[gpu].assign(bytes + 16, std::byte{0xC3});
                to.of_each[gpu] = targets[gpu].data();
            }
            launches() = {.order = order};
            launch_multicast(Stream(), to, source.get(), bytes, 1);
            launches() = {};
            for (const auto& target : targets) {
                EXPECT_EQ(first_unlike_payload(std::span(target).first(bytes), 8), std::nullopt) << bytes;
                EXPECT_EQ(std::vector(target.end() - 16, target.end()), std::vector(16, std::byte{0xC3})) << bytes;
            }
        }
}

}  // namespace
}  // namespace tocuda
