// tocuda, Apache-2.0.
// Makes one small CPU tensor of each LibTorch dtype in each layout that it can have, with known bytes.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <string>
#include <vector>

namespace tocuda {

// All dtypes of this LibTorch, including sub-byte, bit and quantized ones.
std::vector<at::ScalarType> every_scalar_type();

// True if several elements share a byte. LibTorch still copies one byte for each element, past the end of the memory:
// code that moves such a tensor must allocate more memory for it and must not copy it back.
bool is_packed(at::ScalarType type);

// Makes a row-major CPU tensor in which no two neighbouring bytes are equal (a bool's bytes are 0 and 1).
at::Tensor patterned(at::ScalarType type, at::IntArrayRef sizes);

struct Specimen {
    std::string layout;
    std::function<at::Tensor(at::ScalarType)> make;  // throws if LibTorch has no such tensor of this dtype
    bool plain = false;                              // an ordinary strided view
};

std::vector<Specimen> every_layout();

// Returns the tensor's bytes, element by element in logical order; for a sparse or nested tensor, those of all parts.
std::string bytes_of(const at::Tensor& tensor);

}  // namespace tocuda
