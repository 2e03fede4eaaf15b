// tocuda, Apache-2.0.
#include "computing/on_host.hpp"

#include <ATen/NestedTensorImpl.h>
#include <ATen/ops/_nested_view_from_buffer.h>
#include <ATen/ops/_sparse_compressed_tensor_unsafe.h>
#include <ATen/ops/_sparse_coo_tensor_unsafe.h>
#include <ATen/quantized/QTensorImpl.h>
#include <ATen/quantized/Quantizer.h>
#include <c10/core/TensorImpl.h>
#include <c10/cuda/CUDAFunctions.h>

#include <optional>

#include "computing/host_call.hpp"

namespace tocuda::computing {
namespace {

c10::Device on_cpu(const c10::Device& device) { return device.is_cuda() ? c10::Device(c10::kCPU) : device; }

// The memory of a nested tensor's parts, as one tensor.
at::Tensor buffer_of(const at::Tensor& nested) {
    return at::native::get_nested_tensor_impl(nested)->get_unsafe_storage_as_tensor();
}

bool has_rows(const at::Tensor& tensor) {
    return tensor.layout() == at::kSparseCsr || tensor.layout() == at::kSparseBsr;
}

// The dense tensors that hold the values of a tensor.
std::vector<at::Tensor> parts_of(const at::Tensor& tensor) {
    if (tensor.is_sparse()) return {tensor._indices(), tensor._values()};
    if (tensor.is_nested()) return {buffer_of(tensor)};
    if (tensor.layout() == at::kStrided) return {tensor};
    if (has_rows(tensor)) return {tensor.crow_indices(), tensor.col_indices(), tensor.values()};
    return {tensor.ccol_indices(), tensor.row_indices(), tensor.values()};
}

at::Tensor copied(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.is_cpu()) return tensor;
    const OnlyKernels only_kernels;
    at::Tensor copy = tensor.clone();
    if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) copy.unsafeGetTensorImpl()->set_wrapped_number(true);
    return copy;
}

}  // namespace

at::Tensor sparse_like(const at::Tensor& tensor, const at::TensorOptions& options,
                       const std::function<at::Tensor(const at::Tensor&)>& part) {
    const auto parts = parts_of(tensor);
    if (tensor.is_sparse()) {
        return at::_sparse_coo_tensor_unsafe(part(parts[0]), part(parts[1]), tensor.sizes(), options,
                                             tensor.is_coalesced());
    }
    return at::_sparse_compressed_tensor_unsafe(part(parts[0]), part(parts[1]), part(parts[2]), tensor.sizes(),
                                                options);
}

ListOf list_of(const c10::IValue& value) {
    if (!value.isList()) return ListOf::no_tensors;
    const c10::TypePtr type = value.toList().elementType();
    if (type->kind() == c10::TypeKind::TensorType) return ListOf::tensors;
    const auto* optional = type->castRaw<c10::OptionalType>();
    const bool of_tensors = optional && optional->getElementType()->kind() == c10::TypeKind::TensorType;
    return of_tensors ? ListOf::optional_tensors : ListOf::no_tensors;
}

bool on_gpu(const at::Tensor& tensor) { return tensor.defined() && tensor.is_cuda(); }

// What is over a GPU's bytes owns nothing.
bool is_of_cpu(const at::Tensor& tensor) { return tensor.storage().data_ptr().get_context() != nullptr; }

at::Tensor OnHost::tensor(const at::Tensor& tensor) {
    if (!on_gpu(tensor)) return which == Cpu::as_it_is_now ? copied(tensor) : tensor;
    if (tensor.layout() != at::kStrided) {
        return sparse_like(tensor, tensor.options().device(at::kCPU),
                           [&](const at::Tensor& part) { return this->tensor(part); });
    }
    if (tensor.is_nested()) {
        const auto* nested = at::native::get_nested_tensor_impl(tensor);
        return at::_nested_view_from_buffer(this->tensor(buffer_of(tensor)), nested->get_nested_sizes(),
                                            nested->get_nested_strides(), nested->get_storage_offsets());
    }
    const auto* impl = tensor.unsafeGetTensorImpl();
    c10::StorageImpl* storage = impl->unsafe_storage().unsafeGetStorageImpl();
    c10::Storage& over = storages[storage];
    if (!over) {
        void* data = const_cast<void*>(storage->data());
        over = c10::Storage(c10::Storage::use_byte_size_t(), storage->nbytes(), c10::DataPtr(data, c10::kCPU), nullptr,
                            false);
    }
    at::Tensor made = tensor.is_quantized()
                          ? at::detail::make_tensor<at::QTensorImpl>(
                                c10::Storage(over), c10::DispatchKeySet(c10::DispatchKey::QuantizedCPU), tensor.dtype(),
                                at::get_qtensorimpl(tensor)->quantizer())
                          : at::detail::make_tensor<c10::TensorImpl>(
                                c10::Storage(over), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
    made.unsafeGetTensorImpl()->set_storage_offset(tensor.storage_offset());
    made.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides());
    made._set_conj(tensor.is_conj());
    made._set_neg(tensor.is_neg());
    if (impl->is_wrapped_number()) made.unsafeGetTensorImpl()->set_wrapped_number(true);
    return made;
}

bool OnHost::is_new(const at::Tensor& tensor) const {
    return tensor.layout() == at::kStrided &&
           !storages.contains(tensor.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl());
}

c10::IValue OnHost::value(const c10::IValue& value) {
    if (value.isTensor()) return tensor(value.toTensor());
    const ListOf kind = list_of(value);
    if (kind == ListOf::tensors) {
        c10::List<at::Tensor> made;
        for (const c10::IValue& one : value.toListRef()) made.push_back(tensor(one.toTensor()));
        return made;
    }
    if (kind == ListOf::optional_tensors) {
        c10::List<std::optional<at::Tensor>> made;
        for (const c10::IValue& one : value.toListRef())
            made.push_back(one.isTensor() ? std::optional(tensor(one.toTensor())) : std::nullopt);
        return made;
    }
    if (value.isDevice()) return on_cpu(value.toDevice());
    if (value.isGenerator()) return {};  // the CPU's operators get `Numbers`
    return value;
}

int device_of(at::ArrayRef<c10::IValue> arguments, at::ArrayRef<at::Tensor> results) {
    for (const c10::IValue& value : arguments) {
        std::optional<int> found;
        each_tensor(value, [&](const at::Tensor& tensor) {
            if (!found && on_gpu(tensor)) found = tensor.get_device();
        });
        if (found) return *found;
    }
    for (const at::Tensor& tensor : results)
        if (on_gpu(tensor)) return tensor.get_device();
    return c10::cuda::current_device();
}

void add_bytes(const at::Tensor& tensor, bool writes, std::vector<tocuda_touch>& touches) {
    if (tensor.numel() == 0) return;
    std::size_t last = 0;
    for (std::int64_t i = 0; i < tensor.dim(); ++i)
        last += static_cast<std::size_t>((tensor.size(i) - 1) * tensor.stride(i));
    touches.push_back({tensor.unsafeGetTensorImpl()->data(), (last + 1) * tensor.itemsize(), writes ? 1 : 0});
}

void add_touches(const at::Tensor& tensor, bool writes, std::vector<tocuda_touch>& touches) {
    if (!on_gpu(tensor)) return;
    if (tensor.layout() == at::kStrided && !tensor.is_nested()) return add_bytes(tensor, writes, touches);
    for (const at::Tensor& part : parts_of(tensor))
        if (on_gpu(part)) add_bytes(part, writes, touches);
}

}  // namespace tocuda::computing
