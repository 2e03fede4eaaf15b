// tocuda, Apache-2.0.
// Row ids can be computed with any SHA-256 tool and differ for measurements that are not comparable.
#include <gtest/gtest.h>

#include "record/digest.hpp"

namespace tocuda {
namespace {

TEST(RowId, IsTheStartOfTheDigestOfItsLines) {
    // printf 'copy/host_to_device/pinned\nbytes=67108864\nstreams=2\nprotocol 1\n' | sha256sum
    EXPECT_EQ(row_id("copy/host_to_device/pinned", {{"streams", 2}, {"bytes", 67108864}}, 1), "79a79803b26d5118");
}

TEST(RowId, DiffersWithNameParametersAndProtocol) {
    const auto id = row_id("a", {{"bytes", 4}}, 1);
    EXPECT_NE(row_id("b", {{"bytes", 4}}, 1), id);
    EXPECT_NE(row_id("a", {{"bytes", 5}}, 1), id);
    EXPECT_NE(row_id("a", {{"bytes", 4}, {"streams", 1}}, 1), id);
    EXPECT_NE(row_id("a", {{"bytes", 4}}, 2), id);
}

}  // namespace
}  // namespace tocuda
