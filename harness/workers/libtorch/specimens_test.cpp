// tocuda, Apache-2.0.
// Tests the specimens, and that their bytes differ: a comparison that cannot fail would confirm every move.
#include "libtorch/specimens.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "libtorch/attempt.hpp"

namespace tocuda {
namespace {

TEST(Specimens, ListEveryDtypeOnce) {
    const auto types = every_scalar_type();
    EXPECT_EQ(types.size(), static_cast<std::size_t>(at::ScalarType::NumOptions) - 1);
    for (const auto wanted :
         {at::kDouble, at::kBFloat16, at::kFloat8_e4m3fn, at::kUInt64, at::kQInt8, at::kComplexHalf})
        EXPECT_EQ(std::count(types.begin(), types.end(), wanted), 1) << text(wanted);
    EXPECT_EQ(std::count(types.begin(), types.end(), at::ScalarType::Undefined), 0);
}

TEST(Specimens, HaveValidBytesInEveryDtype) {
    for (const auto type : every_scalar_type())
        EXPECT_EQ(patterned(type, {4, 6}).sizes(), at::IntArrayRef({4, 6})) << text(type);
    EXPECT_EQ(bytes_of(patterned(at::kBool, {4})), std::string("\0\1\0\1", 4));
}

TEST(Specimens, PackedDtypesHaveRoomForOneByteEach) {
    for (const auto type : {at::kQUInt4x2, at::kQUInt2x4})
        EXPECT_GE(patterned(type, {4, 6}).storage().nbytes(), 24U) << text(type);
}

TEST(BytesOf, FollowLogicalOrder) {
    const auto rows = at::tensor({1, 2, 3, 4, 5, 6}, at::kByte).reshape({2, 3});
    EXPECT_EQ(bytes_of(rows.t()), std::string("\1\4\2\5\3\6", 6));
    EXPECT_EQ(bytes_of(rows.slice(1, 0, 3, 2)), std::string("\1\3\4\6", 4));
    EXPECT_EQ(bytes_of(rows[0].expand({2, 3})), std::string("\1\2\3\1\2\3", 6));
}

TEST(BytesOf, DifferIfOneBitDiffers) {
    for (const auto& specimen : every_layout()) {
        if (!specimen.plain || specimen.layout == "zero_size") continue;
        const auto one = specimen.make(at::kShort);
        const auto other = one.clone();
        *static_cast<char*>(other.mutable_data_ptr()) ^= 1;
        EXPECT_NE(bytes_of(other), bytes_of(one)) << specimen.layout;
    }
}

TEST(BytesOf, IncludeAllPartsOfSparseTensor) {
    const auto indices = at::tensor({0, 1}, at::kLong).reshape({1, 2});
    const auto values = at::tensor({7, 8}, at::kByte);
    const auto sparse = at::_sparse_coo_tensor_unsafe(indices, values, {4}, at::dtype(at::kByte));
    EXPECT_EQ(bytes_of(sparse), bytes_of(indices) + bytes_of(values));
}

}  // namespace
}  // namespace tocuda
