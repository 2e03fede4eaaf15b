// tocuda, Apache-2.0.
#include "computing/numbers.hpp"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>

#include <algorithm>
#include <mutex>

#include "computing/on_host.hpp"

namespace tocuda::computing {
namespace {

constexpr std::uint64_t block = 256;  // threads, in LibTorch's kernels

std::optional<std::size_t> argument_named(const c10::FunctionSchema& schema, const std::string& name) {
    const auto index = schema.argumentIndexWithName(name);
    return index ? std::optional(static_cast<std::size_t>(*index)) : std::nullopt;
}

// As the kernels of LibTorch do.
Philox unpack(const at::PhiloxCudaState& state) {
    if (!state.captured_) return {state.seed_.val, state.offset_.val};
    return {static_cast<std::uint64_t>(*state.seed_.ptr),
            static_cast<std::uint64_t>(*state.offset_.ptr) + state.offset_intragraph_};
}

}  // namespace

Drawing::Drawing(const c10::OperatorHandle& op)
    : draws(op.hasTag(at::Tag::nondeterministic_seeded)), generator_argument(argument_named(op.schema(), "generator")),
      dropout_argument(argument_named(op.schema(), "dropout_p")) {}

std::optional<Draw> Drawing::before(const torch::jit::Stack& stack, std::size_t below) const {
    if (!draws || (dropout_argument && stack[below + *dropout_argument].toDouble() == 0)) return {};
    const at::ArrayRef<c10::IValue> arguments(stack.data() + below, stack.size() - below);
    const auto device = static_cast<c10::DeviceIndex>(device_of(arguments));
    const auto named = generator_argument ? arguments[*generator_argument].toOptional<at::Generator>()
                                          : std::optional<at::Generator>();
    const bool has_named = named && named->defined() && named->device().is_cuda();
    const at::Generator generator =
        has_named ? *named : at::globalContext().defaultGenerator(at::Device(at::kCUDA, device));
    auto* philox = at::check_generator<at::CUDAGeneratorImpl>(generator);
    const auto* gpu = at::cuda::getDeviceProperties(device);
    const auto blocks = static_cast<std::uint64_t>(gpu->multiProcessorCount) *
                        (static_cast<std::uint64_t>(gpu->maxThreadsPerMultiProcessor) / block);
    const std::lock_guard lock(philox->mutex_);
    return Draw{philox->philox_cuda_state(0), blocks * block};
}

Numbers::Numbers(const Draw& draw) : of_gpu(unpack(draw.state)), thread_count(draw.threads) {}

std::uint64_t Numbers::threads_for(std::uint64_t count) const {
    return std::min(thread_count, (count + block - 1) / block * block);
}

Philox Numbers::take(std::uint64_t words) {
    const Philox taken = of_gpu;
    of_gpu.offset += (words + 3) / 4 * 4;
    return taken;
}

void Numbers::seed_cpu() {
    at::mt19937 twister = engine();
    at::mt19937_data_pod data = twister.data();
    for (std::size_t i = 0; i < data.state_.size(); i += 4) {
        const FourWords words = of_gpu(i / 4, 0);
        std::copy(words.begin(), words.end(), data.state_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    twister.set_data(data);
    set_engine(twister);
}

}  // namespace tocuda::computing
