// tocuda, Apache-2.0.
// The bytes of a .npy file to a tensor over the same memory, or to the reason why no tensor can be that array.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

struct NpyHeader {
    std::string descr;  // "<f8"; of a structured array the whole list
    bool fortran_order = false;
    std::vector<std::int64_t> shape{};
    std::size_t data_begin = 0;
};

struct NpyRead {
    std::optional<NpyHeader> header{};
    std::string wrong{};  // why the bytes are none of a .npy file
};

NpyRead read_npy_header(std::string_view bytes);

struct NpyTensor {
    at::Tensor tensor{};  // undefined where it is refused
    std::string refused{};
};

// Over the memory of `bytes`, which must outlive it. Refuses what NumPy's own way into PyTorch refuses: another byte order, objects,
// structures, dates and texts.
NpyTensor tensor_over(std::string_view bytes);

}  // namespace tocuda
