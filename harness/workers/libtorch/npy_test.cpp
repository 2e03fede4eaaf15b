// tocuda, Apache-2.0.
// Headers as NumPy writes them, and malformed ones.
#include "libtorch/npy.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

std::string file(const std::string& header, const std::string& data = "", char version = 1) {
    std::string bytes{"\x93NUMPY", 6};
    bytes += {version, 0, static_cast<char>(header.size()), 0};
    if (version > 1) bytes += {0, 0};
    return bytes + header + data;
}

TEST(Npy, ReadsHeader) {
    const auto read = read_npy_header(file("{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }  \n"));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->descr, "<f8");
    EXPECT_TRUE(read->fortran_order);
    EXPECT_EQ(read->shape, (std::vector<std::int64_t>{3, 4}));
}

TEST(Npy, ReadsLongerHeaderLengthOfVersion2) {
    const auto bytes = file("{'descr': '|b1', 'fortran_order': False, 'shape': (), }\n", "x", 2);
    const auto read = read_npy_header(bytes);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(bytes.substr(read->data_begin), "x");
    EXPECT_TRUE(read->shape.empty());
}

TEST(Npy, KeepsListOfStructuredArray) {
    const auto read =
        read_npy_header(file("{'descr': [('a', '<i4'), ('b', '<f8')], 'fortran_order': False, 'shape': (2,), }\n"));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->descr, "[('a', '<i4'), ('b', '<f8')]");
}

TEST(Npy, NamesTheProblem) {
    EXPECT_EQ(read_npy_header("PK").error().what, "not a .npy file");
    EXPECT_EQ(read_npy_header(file("{}", "", 9)).error().what, "unknown version 9");
    EXPECT_EQ(read_npy_header(file("{'descr': '<f8', 'shape': (2,), }")).error().what, "the header lacks a key");
    EXPECT_EQ(read_npy_header(file("{'descr': '<f8', 'fortran_order': False, 'shape': (2, x), }")).error().what,
              "the header cannot be read");
    EXPECT_EQ(read_npy_header(file("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3")).error().what,
              "the header cannot be read");
    EXPECT_EQ(read_npy_header(file("{'descr': '<f8'").substr(0, 14)).error().what, "the header is cut short");
}

TEST(Npy, WrapsColumnMajorMemory) {
    const auto bytes =
        file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", std::string("\1\2\3\4\5\6", 6));
    const auto tensor = tensor_over(bytes).tensor;
    ASSERT_TRUE(tensor.defined());
    EXPECT_TRUE(at::equal(tensor, at::tensor({1, 3, 5, 2, 4, 6}, at::kByte).reshape({2, 3})));
    EXPECT_EQ(tensor.const_data_ptr(), bytes.data() + bytes.size() - 6);
}

TEST(Npy, RefusesArraysThatNoTensorCanHold) {
    const auto refused = [](const std::string& descr) {
        return tensor_over(file("{'descr': " + descr + ", 'fortran_order': False, 'shape': (0,), }\n")).refused;
    };
    EXPECT_EQ(refused("'|O'"), "Python objects");
    EXPECT_EQ(refused("'<M8[D]'"), "dates");
    EXPECT_EQ(refused("'<U2'"), "texts");
    EXPECT_EQ(refused("'>f8'"), "another byte order");
    EXPECT_EQ(refused("[('a', '<i4')]"), "structured");
    EXPECT_EQ(refused("'<f16'"), "unknown dtype <f16");
    EXPECT_EQ(tensor_over(file("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n", "12345678")).refused,
              "the data is cut short");
}

}  // namespace
}  // namespace tocuda
