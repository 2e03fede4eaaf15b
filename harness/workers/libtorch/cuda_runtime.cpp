// tocuda, Apache-2.0.
// Finds the functions of the runtime, real or simulated, by dlsym, so nothing is linked and none of its headers is
// needed.
#include "libtorch/cuda_runtime.hpp"

#include <ATen/DeviceGuard.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>

#include "simulator/schema/simulation.h"

namespace tocuda {
namespace {

template <class Function>
Function* named(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// Returns the folder that holds the package torch and, beside it, the libraries that it needs.
std::string packages_of(const std::string& libtorch) { return folder_of(folder_of(folder_of(libtorch))); }

// Libraries of a CUDA toolkit, and what NVIDIA publishes beside it, by the start of their names.
constexpr std::array toolkit{"libcudart",  "libcublas",     "libcudnn",    "libcufft",  "libcufile",    "libcupti",
                             "libcurand",  "libcusolver",   "libcusparse", "libnccl",   "libnvJitLink", "libnvrtc",
                             "libnvshmem", "libnvToolsExt", "libnvtx",     "libnvblas", "libnppc",      "libnvjpeg"};
// The driver's own, which no toolkit brings.
constexpr std::array driver{"libcuda.so", "libcudadebugger", "libnvidia-"};

bool begins_with_one(const std::string& file, const auto& names) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return file.starts_with(name); });
}

std::map<std::string, std::string> mapped_files() {
    std::map<std::string, std::string> files;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (const auto path = line.find('/'); path != std::string::npos)
            files.emplace(line.substr(line.rfind('/') + 1), line.substr(path));
    return files;
}

struct Needed {
    std::string library;
    std::vector<std::string> names;
};

// For dl_iterate_phdr. The loader has made the address of the names absolute.
int find_needed(dl_phdr_info* object, std::size_t, void* wanted) {
    auto& needed = *static_cast<Needed*>(wanted);
    if (!std::string_view(object->dlpi_name).ends_with("/" + needed.library)) return 0;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const auto* entries = reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
        const char* names = nullptr;
        for (const auto* entry = entries; entry->d_tag != DT_NULL; ++entry)
            if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
        for (const auto* entry = entries; names && entry->d_tag != DT_NULL; ++entry)
            if (entry->d_tag == DT_NEEDED) needed.names.emplace_back(names + entry->d_un.d_val);
    }
    return 1;
}

}  // namespace

bool is_cuda_library(const std::string& file) {
    return begins_with_one(file, toolkit) || begins_with_one(file, driver);
}

std::string place_of_path(const std::string& path, const std::string& packages) {
    if (path.find("/simulator/") != std::string::npos) return "stand-in";
    if (!packages.empty() && path.starts_with(packages + "/")) return "with LibTorch";
    return begins_with_one(path.substr(path.rfind('/') + 1), driver) ? "driver" : "elsewhere";
}

bool gpu_computes() {
    const auto ask = named<int(tocuda_simulation_state_t*)>("tocuda_simulation_state");
    if (!ask) return true;
    tocuda_simulation_state_t state{};
    state.version = 1;
    return ask(&state) == 0 && state.kernels_not_executed == 0;
}

std::optional<int> runtime_version() {
    const auto ask = named<int(int*)>("cudaRuntimeGetVersion");
    int version = 0;
    if (!ask || ask(&version) != 0) return std::nullopt;
    return version;
}

int built_runtime_version() {
    constexpr std::string_view mark = "CUDA_VERSION=";
    const auto settings = at::show_config();
    const auto at = settings.find(mark);
    if (at == std::string::npos) return 0;
    int major = 0;
    int minor = 0;
    if (std::sscanf(settings.c_str() + at + mark.size(), "%d.%d", &major, &minor) != 2) return 0;
    return major * 1000 + minor * 10;
}

std::optional<std::string> compute_capability(int device) {
    const auto major = attribute(Attribute::major, device);
    const auto minor = attribute(Attribute::minor, device);
    if (!major || !minor) return std::nullopt;
    return std::to_string(*major) + "." + std::to_string(*minor);
}

std::optional<int> attribute(Attribute attribute, int device) {
    const auto ask = named<int(int*, int, int)>("cudaDeviceGetAttribute");
    int value = 0;
    if (!ask || ask(&value, static_cast<int>(attribute), device) != 0) return std::nullopt;
    return value;
}

std::optional<std::int64_t> total_bytes(int device) {
    void* libcuda = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!libcuda) return std::nullopt;
    const auto get = reinterpret_cast<int (*)(int*, int)>(::dlsym(libcuda, "cuDeviceGet"));
    const auto ask = reinterpret_cast<int (*)(std::size_t*, int)>(::dlsym(libcuda, "cuDeviceTotalMem_v2"));
    int handle = 0;
    std::size_t bytes = 0;
    const bool known = get && ask && get(&handle, device) == 0 && ask(&bytes, handle) == 0;
    ::dlclose(libcuda);
    return known ? std::optional(static_cast<std::int64_t>(bytes)) : std::nullopt;
}

std::optional<GpuMemory> gpu_memory() {
    const auto ask = named<int(std::size_t*, std::size_t*)>("cudaMemGetInfo");
    std::size_t free = 0;
    std::size_t total = 0;
    if (!ask || ask(&free, &total) != 0) return std::nullopt;
    return GpuMemory{static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
}

std::optional<PoolFigures> driver_pool_figures() {
    enum Figure { release_threshold = 4, reserved = 5, used = 7 };
    const auto find = named<int(void**, int)>("cudaDeviceGetDefaultMemPool");
    const auto ask = named<int(void*, int, void*)>("cudaMemPoolGetAttribute");
    void* pool = nullptr;
    if (!find || !ask || find(&pool, 0) != 0) return std::nullopt;
    const auto figure = [&](Figure which) {
        std::uint64_t value = 0;
        return ask(pool, which, &value) == 0 ? value : 0;
    };
    return PoolFigures{static_cast<std::int64_t>(figure(reserved)), static_cast<std::int64_t>(figure(used)),
                       figure(release_threshold) == std::numeric_limits<std::uint64_t>::max()};
}

std::vector<std::string> built_architectures() {
    const auto settings = at::show_config();
    std::vector<std::string> architectures;
    for (const std::string kind : {"sm_", "compute_"}) {
        const auto mark = "code=" + kind;
        for (auto at = settings.find(mark); at != std::string::npos; at = settings.find(mark, at + 1)) {
            const auto begin = at + mark.size();
            const auto end = settings.find_first_not_of("0123456789af", begin);
            architectures.push_back(kind + settings.substr(begin, end - begin));
        }
    }
    std::sort(architectures.begin(), architectures.end());
    architectures.erase(std::unique(architectures.begin(), architectures.end()), architectures.end());
    return architectures;
}

ForeignMemory::ForeignMemory(int device, std::int64_t bytes) {
    const c10::DeviceGuard guard(at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(device)));
    const auto take = named<int(void**, std::size_t)>("cudaMalloc");
    if (!take || take(&memory, static_cast<std::size_t>(bytes)) != 0) memory = nullptr;
}

ForeignMemory::~ForeignMemory() {
    if (const auto release = named<int(void*)>("cudaFree"); release && memory) release(memory);
}

std::vector<std::pair<std::string, std::string>> cuda_libraries() {
    const auto files = mapped_files();
    const auto libtorch = files.find("libtorch_cpu.so");
    const auto packages = libtorch == files.end() ? std::string() : packages_of(libtorch->second);
    std::vector<std::pair<std::string, std::string>> libraries;
    for (const auto& [file, path] : files)
        if (is_cuda_library(file)) libraries.emplace_back(file, place_of_path(path, packages));
    return libraries;
}

bool is_mapped(const std::string& library) {
    const auto files = mapped_files();
    return std::any_of(files.begin(), files.end(), [&](const auto& file) { return file.first.starts_with(library); });
}

std::vector<std::string> cuda_libraries_needed_by(const std::string& library) {
    Needed needed{library, {}};
    ::dl_iterate_phdr(find_needed, &needed);
    std::erase_if(needed.names, [](const std::string& name) { return !is_cuda_library(name); });
    return needed.names;
}

std::string place_of(const std::string& library) {
    for (const auto& [file, where] : cuda_libraries())
        if (file.starts_with(library)) return where;
    return "";
}

}  // namespace tocuda
