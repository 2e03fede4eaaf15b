// tocuda, Apache-2.0.
// Lists the variables that change evidence.
#include "process/clean_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tocuda {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array families{
    "PYTORCH_"sv,  // allocator settings, caching, NVML instead of the runtime
    "TORCH_"sv,    // logs, dispatch traces, preferred libraries, TF32
    "TORCHINDUCTOR_"sv, "BENCHMARK_"sv, "TOCUDA_"sv, "CUDNN_LOG"sv, "CUBLAS_LOG"sv, "CUBLASLT_LOG"sv, "NCCL_"sv,
};

constexpr std::array within_families_harmless{
    "TORCH_HOME"sv,    "TORCH_EXTENSIONS_DIR"sv, "TORCHINDUCTOR_CACHE_DIR"sv,  // file locations
    "TOCUDA_PREFIX"sv, "TOCUDA_PYTHON"sv,
};

constexpr std::array single{
    "LD_PRELOAD"sv,
    "LD_AUDIT"sv,
    "LD_BIND_NOW"sv,
    "LD_DEBUG"sv,
    "CUBLAS_WORKSPACE_CONFIG"sv,
    "CUBLASLT_WORKSPACE_SIZE"sv,
    "NVIDIA_TF32_OVERRIDE"sv,
    "CUDA_LAUNCH_BLOCKING"sv,
    "CUDA_FORCE_PTX_JIT"sv,
    "CUDA_DISABLE_PTX_JIT"sv,
    "CUDA_FORCE_JIT"sv,
    "CUDA_DISABLE_JIT"sv,
    "CUDA_MODULE_LOADING"sv,
    "CUDA_MODULE_DATA_LOADING"sv,
    "CUDA_DEVICE_MAX_CONNECTIONS"sv,
    "CUDA_DEVICE_MAX_COPY_CONNECTIONS"sv,
    "CUDA_SCALE_LAUNCH_QUEUES"sv,
    "CUDA_AUTO_BOOST"sv,
    "CUDA_MANAGED_FORCE_DEVICE_ALLOC"sv,
    "CUDA_ENABLE_COREDUMP_ON_EXCEPTION"sv,
    "CUDA_ENABLE_USER_TRIGGERED_COREDUMP"sv,
    "CUDA_DEVICE_WAITS_ON_EXCEPTION"sv,
    "CUDA_INJECTION32_PATH"sv,
    "CUDA_INJECTION64_PATH"sv,
    "CUDA_LOG_FILE"sv,
    "NVTX_INJECTION64_PATH"sv,
};

}  // namespace

Environment environment_of_this_process() {
    Environment environment;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text = *entry;
        const auto sign = text.find('=');
        if (sign != std::string_view::npos && sign > 0)
            environment.try_emplace(std::string(text.substr(0, sign)), std::string(text.substr(sign + 1)));
    }
    return environment;
}

bool changes_evidence(const std::string& variable) {
    if (std::ranges::find(single, variable) != single.end()) return true;
    if (std::ranges::find(within_families_harmless, variable) != within_families_harmless.end()) return false;
    return std::ranges::any_of(families, [&](std::string_view family) { return variable.starts_with(family); });
}

Environment without_what_changes_evidence(Environment environment) {
    std::erase_if(environment, [](const auto& entry) { return changes_evidence(entry.first); });
    return environment;
}

Environment with_changes(Environment environment, const Environment& changes) {
    for (const auto& [name, value] : changes) environment[name] = value;
    return environment;
}

std::vector<std::string> as_list(const Environment& environment) {
    std::vector<std::string> list;
    for (const auto& [name, value] : environment)
        if (value) list.push_back(name + "=" + *value);
    return list;
}

std::vector<std::string> child_environment(const Environment& of_this_process,
                                           const std::vector<Environment>& changes) {
    auto environment = without_what_changes_evidence(of_this_process);
    for (const auto& change : changes) environment = with_changes(std::move(environment), change);
    return as_list(environment);
}

}  // namespace tocuda
