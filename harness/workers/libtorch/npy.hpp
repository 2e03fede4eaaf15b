// tocuda, Apache-2.0.
// Wraps the bytes of a .npy file in a tensor over the same memory, or tells why no tensor can hold that array.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/problem.hpp"

namespace tocuda {

struct NpyHeader {
    std::string descr;  // "<f8"; the whole list for a structured array
    bool fortran_order = false;
    std::vector<std::int64_t> shape{};
    std::size_t data_begin = 0;
};

Expected<NpyHeader> read_npy_header(std::string_view bytes);

struct NpyTensor {
    at::Tensor tensor{};  // undefined if refused
    std::string refused{};
};

// Wraps the memory of `bytes`, which must outlive the tensor. Refuses what NumPy's own way into PyTorch refuses:
// foreign byte order, objects, structures, dates and text.
NpyTensor tensor_over(std::string_view bytes);

}  // namespace tocuda
