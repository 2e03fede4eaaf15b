// tocuda, Apache-2.0.
#include "computing/host_call.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>

#include <algorithm>
#include <atomic>

#include "computing/equivalents.hpp"

namespace tocuda::computing {
namespace {

using c10::DispatchKey;

const c10::DispatchKeySet everything_above_kernels =
    c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset | c10::functorch_transforms_ks |
    c10::python_ks |
    c10::DispatchKeySet({DispatchKey::FuncTorchDynamicLayerFrontMode, DispatchKey::FuncTorchDynamicLayerBackMode,
                         DispatchKey::PythonDispatcher, DispatchKey::PreDispatch, DispatchKey::Functionalize});

// Seeds the CPU's default generator for one call and puts it back as it was.
class Drawing {
public:
    explicit Drawing(const std::optional<Draw>& draw) {
        if (!draw) return;
        at::Generator& generator = const_cast<at::Generator&>(at::detail::getDefaultCPUGenerator());
        before_ = generator.get_state();
        static std::atomic<std::uint64_t> times = 0;
        const std::uint64_t more = draw->each_time_anew ? ++times : 0;
        generator.set_current_seed(draw->seed * 0x9e3779b97f4a7c15ULL + draw->offset + more);
    }
    Drawing(const Drawing&) = delete;
    Drawing& operator=(const Drawing&) = delete;
    ~Drawing() {
        if (!before_.defined()) return;
        at::Generator& generator = const_cast<at::Generator&>(at::detail::getDefaultCPUGenerator());
        generator.set_state(before_);
    }

private:
    at::Tensor before_;
};

}  // namespace

OnlyKernels::OnlyKernels() : keys_(c10::DispatchKeySet(DispatchKey::BackendSelect), everything_above_kernels) {}

void call_on_host(const c10::OperatorHandle& op, torch::jit::Stack& stack, const std::optional<Draw>& draw) {
    const OnlyKernels only_kernels;
    const Drawing drawing(draw);
    if (const Equivalent equivalent = equivalent_of(op.operator_name())) stack = equivalent(stack);
    else op.callBoxed(stack);
}

bool is_capturing() { return c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None; }

// A captured generator's seed cannot be asked for.
Draw where_drawing_stands(const std::optional<at::Generator>& named, int device) {
    if (is_capturing()) return {.each_time_anew = true};
    const at::Device gpu(at::kCUDA, static_cast<c10::DeviceIndex>(device));
    const bool has_named = named && named->device().is_cuda();
    const at::Generator& generator = has_named ? *named : at::globalContext().defaultGenerator(gpu);
    const auto* philox = at::check_generator<at::CUDAGeneratorImpl>(generator);
    return {philox->current_seed(), philox->philox_offset_per_thread()};
}

bool draws(const c10::OperatorHandle& op) {
    const auto& tags = op.getTags();
    return std::find(tags.begin(), tags.end(), at::Tag::nondeterministic_seeded) != tags.end();
}

}  // namespace tocuda::computing
