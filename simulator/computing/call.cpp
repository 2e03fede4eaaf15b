// tocuda, Apache-2.0.
#include "computing/call.hpp"

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAStream.h>

#include <memory>
#include <utility>

#include "computing/computed_counts.hpp"
#include "computing/on_host.hpp"
#include "computing/results.hpp"

namespace tocuda::computing {
namespace {

using torch::jit::Stack;

// A fresh result of the CUDA kernel, and where it stands among the results.
struct Result {
    std::size_t position;
    at::Tensor over;  // its bytes, as a CPU tensor
    std::size_t element = 0;
    bool alone = true;  // no argument and no other result uses its bytes
};

at::Tensor dense_like(const at::Tensor& tensor) { return at::empty(tensor.sizes(), tensor.options()); }

// What is computed: once, or at each launch of a graph.
struct Computed {
    HostCall on_host;
    Stack arguments;
    std::vector<Result> results;
    std::vector<std::pair<std::size_t, at::Tensor>> elsewhere;  // which arguments are written, and brought here then
    std::vector<tocuda_touch> touches;
    std::optional<Draw> draw;
    bool changed = false;

    void run() const;
    // Returns false if that makes no difference.
    bool write(bool in_float) const;
    bool write_in_float() const;
    std::vector<at::Tensor> results_in(Stack& stack, const ResultMemory& memory) const;
    void bring_back(const std::vector<at::Tensor>& beside) const;
    void leave_uncomputed(const char* why) const;
};

// A tensor for each of `results`, undefined where the CPU's kernel gives none. None lies where another belongs.
std::vector<at::Tensor> Computed::results_in(Stack& stack, const ResultMemory& memory) const {
    const OnlyKernels only_kernels;
    std::vector<at::Tensor> computed(results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        const c10::IValue& value = stack.at(results[i].position);
        if (value.isTensor()) computed[i] = value.toTensor();
        else if (value.isTensorList() && results[i].element < value.toListRef().size())
            computed[i] = value.toListRef()[results[i].element].toTensor();
        if (!is_there(computed[i], results[i].over) && memory.holds(computed[i])) computed[i] = computed[i].clone();
    }
    return computed;
}

void Computed::bring_back(const std::vector<at::Tensor>& beside) const {
    const OnlyKernels only_kernels;
    for (std::size_t i = 0; i < beside.size(); ++i) elsewhere[i].second.copy_(beside[i]);
}

bool Computed::write(bool in_float) const {
    Stack stack = arguments;
    std::vector<at::Tensor> computed;
    {
        ResultMemory memory;
        for (const Result& result : results)
            if (result.alone) memory.offer(result.over);
        std::vector<at::Tensor> beside;
        for (const auto& [i, over] : elsewhere) stack[i] = beside.emplace_back(dense_like(over));
        if (!in_float) on_host(stack, draw);
        else if (!on_host.in_float(stack, draw)) return false;
        bring_back(beside);
        computed = results_in(stack, memory);
    }
    const OnlyKernels only_kernels;
    for (std::size_t i = 0; i < results.size(); ++i) {
        // The others are what kernels keep for their backward pass, which differs in size between CPU and GPU.
        if (put(computed[i], results[i].over) || results[i].position > 0) continue;
        std::vector<tocuda_touch> unset;
        add_bytes(results[i].over, true, unset);
        report_not_computed(on_host.op(), "a result of the CPU has another size", unset);
    }
    report_computed();
    return true;
}

bool Computed::write_in_float() const {
    try {
        return write(true);
    } catch (const std::exception&) {
        return false;
    }
}

void Computed::run() const {
    if (changed) return leave_uncomputed("operators within it change what it is computed from");
    try {
        write(false);
    } catch (const std::exception& error) {
        if (!report_failed_assertion(on_host.op(), error) && !write_in_float()) leave_uncomputed(error.what());
    }
}

void Computed::leave_uncomputed(const char* why) const {
    const OnlyKernels only_kernels;
    for (const Result& result : results) poison(result.over);
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (is_written(on_host.op().schema().arguments()[i])) each_tensor(arguments[i], poison);
    report_not_computed(on_host.op(), why, touches);
}

// What a captured draw reads when the graph is launched.
void add_reads(const at::PhiloxCudaState& state, std::vector<tocuda_touch>& touches) {
    touches.push_back({state.seed_.ptr, sizeof *state.seed_.ptr, 0});
    touches.push_back({state.offset_.ptr, sizeof *state.offset_.ptr, 0});
}

void queue(int device, std::unique_ptr<Computed> computed) {
    const Computed& state = *computed;
    const tocuda_computation what{.version = 1,
                                  .run = [](void* it) { static_cast<const Computed*>(it)->run(); },
                                  .ready = nullptr,
                                  .drop = [](void* it) { delete static_cast<Computed*>(it); },
                                  .state = computed.release(),
                                  .touches = state.touches.data(),
                                  .count = state.touches.size(),
                                  .link_seconds = 0};
    submit(device, what);
}

// Some of the CPU's kernels write an `out` as if it were contiguous.
bool is_written_elsewhere(const c10::Argument& argument, const at::Tensor& over) {
    return argument.is_out() && over.layout() == at::kStrided && !over.is_nested() && !over.is_contiguous();
}

// An `out` that the CUDA kernel left empty, because only the CPU's kernel keeps something in it.
bool is_unused(const c10::Argument& argument, const c10::IValue& value) {
    return argument.is_out() && value.isTensor() && on_gpu(value.toTensor()) && value.toTensor().numel() == 0;
}

}  // namespace

void submit(int device, const tocuda_computation& what) {
    const auto stream = c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(device)).stream();
    const int error = tocuda_simulation_compute(device, stream, &what);
    TORCH_CHECK(error == 0, "tocuda: simulated GPUs: this machine has no memory left for what an operator writes ",
                "(CUDA error ", error, ")");
}

void compute_after(const HostCall& on_host, const Stack& arguments, const Stack& stack, const std::optional<Draw>& draw,
                   bool changed) {
    const auto& schema = on_host.op().schema();
    OnHost host(OnHost::Cpu::as_it_is_now);
    auto computed = std::make_unique<Computed>(Computed{on_host, {}, {}, {}, {}, draw, changed});
    if (draw && draw->state.captured_) add_reads(draw->state, computed->touches);
    computed->arguments.reserve(arguments.size());
    computed->touches.reserve(2 * arguments.size() + schema.returns().size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const c10::Argument& argument = schema.arguments()[i];
        if (is_unused(argument, arguments[i]))
            computed->arguments.emplace_back(at::empty({0}, arguments[i].toTensor().options().device(at::kCPU)));
        else computed->arguments.push_back(host.value(arguments[i]));
        if (arguments[i].isTensor() && is_written_elsewhere(argument, computed->arguments.back().toTensor()))
            computed->elsewhere.emplace_back(i, computed->arguments.back().toTensor());
        each_tensor(arguments[i], [&](const at::Tensor& tensor) {
            if (!argument.is_out()) add_touches(tensor, false, computed->touches);
            if (is_written(argument)) add_touches(tensor, true, computed->touches);
        });
    }
    std::vector<at::Tensor> fresh;
    const std::size_t count = schema.returns().size();
    for (std::size_t i = 0; i < count; ++i) {
        if (schema.returns()[i].alias_info()) continue;
        std::size_t element = 0;
        each_tensor(stack[stack.size() - count + i], [&](const at::Tensor& tensor) {
            const std::size_t here = element++;
            if (!on_gpu(tensor)) return;
            add_touches(tensor, true, computed->touches);
            const bool alone = host.is_new(tensor);
            computed->results.push_back({i, host.tensor(tensor), here, alone});
            fresh.push_back(tensor);
        });
    }
    queue(device_of(arguments, fresh), std::move(computed));
}

}  // namespace tocuda::computing
