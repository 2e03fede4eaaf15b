// tocuda, Apache-2.0.
// Operators that are computed without running their CUDA path.
#include <ATen/MemoryOverlap.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include <memory>
#include <utility>
#include <vector>

#include "computing/call.hpp"
#include "computing/computed_counts.hpp"
#include "computing/on_host.hpp"

namespace tocuda::computing {
namespace {

using torch::jit::Stack;

// Results of the CPU, still to be copied into the GPU's memory.
class Delivery {
public:
    explicit Delivery(int device) : own_device(device) {}

    // A tensor of the GPU for a result of the CPU, of the same layout.
    at::Tensor to_gpu(const at::Tensor& computed) {
        if (!computed.defined()) return computed;
        const auto options = computed.options().device(at::kCUDA, static_cast<c10::DeviceIndex>(own_device));
        if (computed.layout() != at::kStrided)
            return sparse_like(computed, options, [&](const at::Tensor& part) { return to_gpu(part); });
        at::Tensor made = at::empty_strided(computed.sizes(), computed.strides(), options);
        bring(computed, made);
        return made;
    }
    void bring(const at::Tensor& computed, const at::Tensor& target) {
        add_touches(target, true, touches);
        pieces->emplace_back(computed, of_host.tensor(target));
    }
    // Copies all of them; the stream must be idle.
    void deliver() {
        const tocuda_computation what{.version = 1,
                                      .run =
                                          [](void* it) {
                                              const OnlyKernels only_kernels;
                                              for (const auto& [computed, over] : *static_cast<Pieces*>(it))
                                                  over.copy_(computed);
                                          },
                                      .ready = nullptr,
                                      .drop = [](void* it) { delete static_cast<Pieces*>(it); },
                                      .state = pieces.release(),
                                      .touches = touches.data(),
                                      .count = touches.size(),
                                      .link_seconds = 0};
        submit(own_device, what);
    }

private:
    using Pieces = std::vector<std::pair<at::Tensor, at::Tensor>>;

    int own_device;
    OnHost of_host;
    std::vector<tocuda_touch> touches;
    std::unique_ptr<Pieces> pieces = std::make_unique<Pieces>();
};

// The tensors of the GPU that a call writes, in the order of the results that are they.
class Targets {
public:
    // What the CPU's kernel gets in place of one: for `out` an empty tensor, which it resizes; otherwise a copy,
    // because the GPU's memory is written in the order of its stream, and a sparse tensor gets other memory.
    at::Tensor add(const at::Tensor& target, const c10::Argument& argument, OnHost& host) {
        own_targets.push_back(target);
        const bool strided = target.layout() == at::kStrided;
        if (argument.is_out())
            return at::empty(strided ? at::IntArrayRef{0} : target.sizes(), target.options().device(at::kCPU));
        if (strided) at::assert_no_internal_overlap(target);
        const OnlyKernels only_kernels;
        return host.tensor(target).clone();
    }
    std::size_t size() const { return own_targets.size(); }
    at::Tensor becomes(std::size_t i, const at::Tensor& computed, Delivery& delivery) {
        const at::Tensor& target = own_targets[i];
        if (target.layout() != at::kStrided) {
            sparse.emplace_back(target, delivery.to_gpu(computed));
        } else {
            at::native::resize_output(target, computed.sizes());
            delivery.bring(computed, target);
        }
        return target;
    }
    // Once the results are there.
    void complete() const {
        const OnlyKernels only_kernels;
        for (const auto& [target, made] : sparse) target.copy_(made);
    }

private:
    std::vector<at::Tensor> own_targets;
    std::vector<std::pair<at::Tensor, at::Tensor>> sparse;  // and what they become
};

c10::IValue returned(const c10::IValue& computed, Delivery& delivery) {
    if (computed.isTensor()) return delivery.to_gpu(computed.toTensor());
    if (!computed.isTensorList()) return computed;
    c10::List<at::Tensor> list;
    for (const at::Tensor& one : computed.toTensorVector()) list.push_back(delivery.to_gpu(one));
    return list;
}

// What the CPU lacks in half precision is computed in float32.
void compute_here(const HostCall& on_host, Stack& stack, const std::optional<Draw>& draw) {
    const Stack given = stack;
    const bool in_float = on_host.computes_in_float(stack);
    try {
        on_host(stack, draw);
        if (!in_float) return;
    } catch (const c10::Error&) {
        stack = given;
        if (!on_host.in_float(stack, draw)) throw;
    }
    const auto type = given.front().toTensor().scalar_type();
    for (c10::IValue& result : stack) {
        if (!result.isTensor() || !result.toTensor().defined()) continue;
        if (result.toTensor().scalar_type() == at::kFloat) result = result.toTensor().to(at::toRealValueType(type));
        else if (result.toTensor().scalar_type() == at::kComplexFloat)
            result = result.toTensor().to(at::toComplexType(type));
    }
}

}  // namespace

void compute_instead(const HostCall& on_host, Stack* stack, bool sizes_depend_on_values,
                     const std::optional<Draw>& draw) {
    const auto& schema = on_host.op().schema();
    const std::size_t count = schema.arguments().size();
    const Stack arguments(stack->end() - static_cast<std::ptrdiff_t>(count), stack->end());
    const int device = device_of(arguments);
    // Refused under capture, as the CUDA path is that reads sizes back. Otherwise a captured operator is computed once
    // to know what it returns, and again at each launch.
    const bool captured = is_capturing();
    const auto stream = c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(device));
    if (sizes_depend_on_values) stream.synchronize();
    else if (!captured) C10_CUDA_CHECK(cudaStreamSynchronize(stream));  // LibTorch does not know: a GPU does not wait
    OnHost host;
    Stack results;
    Targets targets;
    for (std::size_t i = 0; i < count; ++i) {
        const c10::Argument& argument = schema.arguments()[i];
        const bool is_target = is_written(argument) && arguments[i].isTensor() && on_gpu(arguments[i].toTensor());
        if (is_target) results.emplace_back(targets.add(arguments[i].toTensor(), argument, host));
        else results.push_back(host.value(arguments[i]));
    }
    compute_here(on_host, results, draw);
    stack->resize(stack->size() - count);
    Delivery delivery(device);
    for (std::size_t i = 0; i < schema.returns().size(); ++i) {
        const c10::IValue& computed = results.at(i);
        if (i < targets.size()) stack->emplace_back(targets.becomes(i, computed.toTensor(), delivery));
        else stack->push_back(returned(computed, delivery));
    }
    if (captured) return compute_after(on_host, arguments, *stack, draw);
    delivery.deliver();
    targets.complete();
    report_computed();
}

}  // namespace tocuda::computing
