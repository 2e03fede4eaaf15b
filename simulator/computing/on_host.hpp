// tocuda, Apache-2.0.
// CPU tensors over the bytes of simulated GPUs' tensors: device memory is host memory, so the CPU's kernels can read
// and write it in place.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <unordered_map>
#include <vector>

#include "simulator/schema/simulation.h"

namespace tocuda::computing {

// Converts the values of one call. Tensors that share a storage still do, so that overlaps are recognised.
class OnHost {
public:
    // Tensors of the CPU are copied where the call happens later: the program may change them, and whoever dropped the
    // last reference to a tensor of Python would have to wait for its lock.
    enum class Cpu { itself, as_it_is_now };
    explicit OnHost(Cpu cpu = Cpu::itself) : which(cpu) {}

    // The same sizes, strides, offset, conjugate and negative bits, over the same bytes; does not own them.
    at::Tensor tensor(const at::Tensor& tensor);
    c10::IValue value(const c10::IValue& value);
    // Whether no tensor so far has used these bytes.
    bool is_new(const at::Tensor& tensor) const;

private:
    Cpu which;
    std::unordered_map<c10::StorageImpl*, c10::Storage> storages;
};

// TorchScript's lists name a more precise type of their tensors, so that LibTorch's own questions do not find them.
enum class ListOf { no_tensors, tensors, optional_tensors };
ListOf list_of(const c10::IValue& value);

// Visits all tensors of a value: of a tensor, of an optional one, of a list of them.
template <typename Visit>
void each_tensor(const c10::IValue& value, Visit&& visit) {
    if (value.isTensor()) return visit(value.toTensor());
    if (list_of(value) == ListOf::no_tensors) return;
    for (const c10::IValue& one : value.toListRef())
        if (one.isTensor()) visit(one.toTensor());
}

// A sparse tensor like another, of what `part` makes of its indices and values.
at::Tensor sparse_like(const at::Tensor& tensor, const at::TensorOptions& options,
                       const std::function<at::Tensor(const at::Tensor&)>& part);

// Whether a tensor of a call, as the host has it, is the program's own of the CPU and not over a GPU's bytes.
bool is_of_cpu(const at::Tensor& tensor);

// Whether a tensor's values are in a GPU's memory.
bool on_gpu(const at::Tensor& tensor);

// The device whose current stream a call's kernels are launched in: that of the first tensor.
int device_of(at::ArrayRef<c10::IValue> arguments, at::ArrayRef<at::Tensor> results = {});

// The bytes of a dense tensor, wherever it is, for the simulator.
void add_bytes(const at::Tensor& tensor, bool writes, std::vector<tocuda_touch>& touches);
// The bytes of a tensor of a GPU, of any layout.
void add_touches(const at::Tensor& tensor, bool writes, std::vector<tocuda_touch>& touches);

}  // namespace tocuda::computing
