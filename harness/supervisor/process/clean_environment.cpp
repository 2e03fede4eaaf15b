// tocuda, Apache-2.0.
// Lists the variables that change evidence.
#include "process/clean_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

namespace tocuda {
namespace {

struct Places {
    bool recorder = false;
    bool blas = false;
    std::string libraries{};                  // the folder below simulator/ that the loader searches first
    Environment driver{};                     // variables that the fake driver reads
    std::optional<std::string> simulation{};  // value of TOCUDA_SIMULATION
};

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words(1);
    for (const char letter : text) {
        if (letter == ' ') words.emplace_back();
        else words.back() += letter;
    }
    return words;
}

bool is_number(const std::string& word) {
    return !word.empty() && word.size() < 10 && word.find_first_not_of("0123456789") == std::string::npos;
}

// "driver VERSION [init CODE | visible [GPUS]]" as the driver is told it; empty for anything else.
Environment driver_variables(const std::vector<std::string>& words) {
    if (words.size() < 2 || words[0] != "driver" || !is_number(words[1])) return {};
    Environment variables{{"TOCUDA_DRIVER", words[1]}};
    if (words.size() == 2) return variables;
    const auto number = words.size() == 4 && is_number(words[3]) ? std::optional(words[3]) : std::nullopt;
    if (words.size() > 3 && !number) return {};
    if (words[2] == "init" && number) variables["TOCUDA_DRIVER_INIT"] = number;
    else if (words[2] == "visible") variables["TOCUDA_DRIVER_GPUS"] = number.value_or("1");
    else return {};
    return variables;
}

Expected<void> place(const std::string& fake, Places& places) {
    constexpr std::string_view runtime = "runtime ";
    if (fake == "recorder" || fake == "blas") {
        (fake == "blas" ? places.blas : places.recorder) = true;
        return {};
    }
    const bool simulated = fake.starts_with(runtime) && fake.size() > runtime.size();
    const bool absent = fake == "driver absent";
    auto variables = driver_variables(words_of(fake));
    const bool broken = !variables.empty();
    if (!simulated && !absent && !broken)
        return problem(
            "no fake library named '" + fake +
            "'; known: driver absent, driver VERSION [init CODE | visible [GPUS]], runtime FILE, recorder, blas");
    if (!places.libraries.empty()) return problem("fake library '" + fake + "' conflicts with an earlier one");
    places.libraries = simulated ? "simulated" : absent ? "absent" : "driver";
    if (simulated) places.simulation = fake.substr(runtime.size());
    places.driver = std::move(variables);
    return {};
}

std::string before(const std::string& first, const Environment& environment, const std::string& variable,
                   char separator) {
    const auto found = environment.find(variable);
    const bool has_some = found != environment.end() && found->second && !found->second->empty();
    return has_some ? first + separator + *found->second : first;
}

Environment changes_for(const Places& places, const std::filesystem::path& folder, const Environment& of_this_process) {
    Environment changes;
    if (!places.libraries.empty()) {
        changes["LD_LIBRARY_PATH"] = before(folder / places.libraries, of_this_process, "LD_LIBRARY_PATH", ':');
        // These select real GPUs. On a machine with simulated or no GPUs, a variant sets them itself.
        changes["CUDA_VISIBLE_DEVICES"] = std::nullopt;
        changes["CUDA_DEVICE_ORDER"] = std::nullopt;
    }
    changes.insert(places.driver.begin(), places.driver.end());
    if (places.simulation) changes["TOCUDA_SIMULATION"] = places.simulation;
    if (!places.recorder && !places.simulation) return changes;
    // The recorder must come first: behind the runtime it would record nothing.
    auto preloaded = (folder / "recorder" / "libtocuda_recorder.so").string();
    if (places.simulation) preloaded += ":" + (folder / "simulated" / "libcudart.so.13").string();
    if (places.simulation && places.blas)
        for (const auto* library : {"libcublas.so.13", "libcublasLt.so.13"})
            preloaded += ":" + (folder / "simulated" / library).string();
    changes["LD_PRELOAD"] = preloaded;
    // Otherwise an instrumented program refuses to start behind a preloaded library; other programs ignore this.
    changes["ASAN_OPTIONS"] = before("verify_asan_link_order=0", of_this_process, "ASAN_OPTIONS", ':');
    return changes;
}

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

Expected<Environment> fakes_environment(const std::vector<std::string>& fakes, const std::filesystem::path& folder,
                                        const Environment& of_this_process) {
    Places places;
    for (const auto& fake : fakes)
        if (const auto placed = place(fake, places); !placed) return problem(placed.error());
    return changes_for(places, folder, of_this_process);
}

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
