// tocuda, Apache-2.0.
// One small CPU tensor of every kind: each dtype that LibTorch has, in each layout that it can be made in, with bytes that are known.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <string>
#include <vector>

namespace tocuda {

// All of this LibTorch's, sub-byte, bit and quantized ones included.
std::vector<at::ScalarType> every_scalar_type();

// Several elements share a byte of these. LibTorch copies one byte for each element all the same, past the end of their memory: whoever moves
// one gives it more memory than it says, and does not bring it back.
bool is_packed(at::ScalarType type);

// On the CPU, row-major, no two neighbouring bytes alike (a bool's are 0 and 1).
at::Tensor patterned(at::ScalarType type, at::IntArrayRef sizes);

struct Specimen {
    std::string layout;
    std::function<at::Tensor(at::ScalarType)> make;  // throws where LibTorch has no such tensor of this dtype
    bool plain = false;                              // an ordinary strided view, whatever its strides
};

std::vector<Specimen> every_layout();

// What the tensor holds, element by element in logical order, whatever its strides; of a sparse or nested one, of all its parts.
std::string bytes_of(const at::Tensor& tensor);

}  // namespace tocuda
