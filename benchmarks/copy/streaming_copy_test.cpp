// tocuda, Apache-2.0.
// Tests that exactly the requested bytes are copied, for all sizes and alignments.
#include "benchmarks/copy/streaming_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "measurement/payload.hpp"

namespace tocuda {
namespace {

// The source ends with its allocation, so that the address sanitizer finds a read past its end.
bool copies(std::size_t bytes, std::size_t to_past, std::size_t from_past) {
    const auto source = std::make_unique<std::byte[]>(from_past + bytes);
    write_payload(std::span(source.get() + from_past, bytes), 3);
    constexpr std::byte guard{0xC3};
    std::vector<std::byte> expected(64 + to_past + bytes + 64, guard);
    auto found = expected;
    write_payload(std::span(expected).subspan(64 + to_past, bytes), 3);
    streaming_copy(found.data() + 64 + to_past, source.get() + from_past, bytes);
    return found == expected;
}

TEST(StreamingCopy, CopiesEverySize) {
    for (const std::size_t bytes : {0, 1, 15, 16, 17, 63, 64, 65, 4095, 4096, 4097, 10007, 1 << 20})
        EXPECT_TRUE(copies(bytes, 0, 0)) << bytes << " bytes";
}

TEST(StreamingCopy, CopiesAtEveryAlignment) {
    for (std::size_t to = 0; to < 64; ++to)
        for (std::size_t from = 0; from < 64; from += 3)
            EXPECT_TRUE(copies(4096 + 65, to, from)) << to << " and " << from << " past a line";
}

}  // namespace
}  // namespace tocuda
