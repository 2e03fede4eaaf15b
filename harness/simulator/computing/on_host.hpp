// tocuda, Apache-2.0.
// CPU tensors over the bytes of simulated GPUs' tensors: device memory is host memory, so the CPU's kernels can read
// and write it in place.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <unordered_map>
#include <vector>

#include "simulation.h"

namespace tocuda::computing {

// Converts the values of one call. Tensors that share a storage still do, so that overlaps are recognised.
class OnHost {
public:
    // The same sizes, strides, offset, conjugate and negative bits, over the same bytes; does not own them. Tensors of
    // the CPU stay as they are.
    at::Tensor tensor(const at::Tensor& tensor);
    c10::IValue value(const c10::IValue& value);

    // The generator that the call names, if any: CPU operators get none.
    const std::optional<at::Generator>& generator() const { return generator_; }

private:
    std::unordered_map<c10::StorageImpl*, c10::Storage> storages_;
    std::optional<at::Generator> generator_;
};

// All tensors of a value: of a tensor, of an optional one, of a list of them.
std::vector<at::Tensor> tensors_in(const c10::IValue& value);

// Whether a tensor's values are in a GPU's memory.
bool on_gpu(const at::Tensor& tensor);

// The bytes of a tensor, for the simulator; several for a sparse one.
void add_touches(const at::Tensor& tensor, bool writes, std::vector<tocuda_touch>& touches);

}  // namespace tocuda::computing
