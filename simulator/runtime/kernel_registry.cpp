// tocuda, Apache-2.0.
// Registration only appends, because LibTorch registers tens of thousands of kernels before main. The index is built on
// the first look-up.
#include "runtime/kernel_registry.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "runtime/symmetric_kernels.hpp"

namespace tocuda::simulator {
namespace {

// The headers of a program's fat binary, which say for which architectures its device code was compiled.
constexpr std::uint32_t wrapper_magic = 0x466243b1;
constexpr std::uint32_t binary_magic = 0xba55ed50;
constexpr std::uint16_t intermediate_code = 1;
constexpr std::uint16_t machine_code = 2;

struct Wrapper {
    std::uint32_t magic;
    std::uint32_t version;
    const unsigned char* data;
    const void* more;
};

struct Header {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t header_bytes;
    std::uint64_t payload_bytes;
};

struct Entry {
    std::uint16_t kind;
    std::uint16_t version;
    std::uint32_t header_bytes;
    std::uint64_t payload_bytes;
    std::uint32_t compressed_bytes;
    std::uint32_t options;
    std::uint16_t code_minor;
    std::uint16_t code_major;
    std::uint32_t architecture;  // 90 for compute capability 9.0
};

template <typename Value>
Value read(const unsigned char* from) {
    Value value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// As the driver does with CUDA_FORCE_PTX_JIT=1.
bool ignores_machine_code() {
    const char* set = std::getenv("CUDA_FORCE_PTX_JIT");
    return set && std::string_view(set) == "1";
}

bool runs_on(const Entry& entry, int major, int minor) {
    const int architecture = static_cast<int>(entry.architecture);
    if (entry.kind == intermediate_code) return architecture <= 10 * major + minor;
    return architecture / 10 == major && architecture % 10 <= minor && !ignores_machine_code();
}

// Machine code runs on GPUs of the same major compute capability and the same or a higher minor one; intermediate code
// (PTX) on the same or any later one, and only if there is no machine code. Of several the newest is taken. If the
// headers cannot be parsed, nothing rules out code for this very GPU.
Code code_in(const void* fat_binary_wrapper, int major, int minor) {
    const int own = 10 * major + minor;
    const auto wrapper = read<Wrapper>(static_cast<const unsigned char*>(fat_binary_wrapper));
    if (wrapper.magic != wrapper_magic || !wrapper.data) return {own, own};
    const auto header = read<Header>(wrapper.data);
    if (header.magic != binary_magic) return {own, own};
    const unsigned char* at = wrapper.data + header.header_bytes;
    const unsigned char* const end = at + header.payload_bytes;
    int machine = 0, intermediate = 0;
    while (at + sizeof(Entry) <= end) {
        const auto entry = read<Entry>(at);
        if (entry.kind != intermediate_code && entry.kind != machine_code) return {own, own};
        int& newest = entry.kind == machine_code ? machine : intermediate;
        if (runs_on(entry, major, minor)) newest = std::max(newest, static_cast<int>(entry.architecture));
        at += entry.header_bytes + entry.payload_bytes;
    }
    if (machine > 0) return {machine, machine};
    return {intermediate, intermediate > 0 ? own : 0};
}

bool only_sleeps(const char* name) { return std::strstr(name, "spin_kernel") && std::strstr(name, "cuda"); }

}  // namespace

KernelRegistry& KernelRegistry::here() {
    static KernelRegistry* const only = new KernelRegistry;
    return *only;
}

Module* KernelRegistry::add_module(const void* wrapper) {
    const std::lock_guard lock(changing);
    return &modules.emplace_back(Module{.wrapper = wrapper, .left = false, .code = {}});
}

// Keeps its kernels: a library that is being unloaded may still look them up.
void KernelRegistry::remove_module(Module* module) {
    const std::lock_guard lock(changing);
    module->left = true;
}

void KernelRegistry::add_kernel(Module* module, const void* function, const char* name) {
    const std::lock_guard lock(changing);
    kernels.push_back({.function = function, .name = name, .module = module});
}

void KernelRegistry::add_variable(const void* symbol, const char* name, std::size_t bytes) {
    const std::lock_guard lock(changing);
    variables[symbol] = Variable{.name = name, .bytes = bytes, .places = {}};
}

bool KernelRegistry::add_host_kernel(const tocuda_host_kernel& kernel, const tocuda_host_kernel_more& more) {
    if (kernel.version != 1 || more.version != 1 || !kernel.run || (!kernel.function && !kernel.name)) return false;
    const std::lock_guard lock(changing);
    const auto* sizes = kernel.argument_bytes;
    const HostKernel& build = host_kernels.emplace_back(
        HostKernel{std::vector<std::size_t>(sizes, sizes + kernel.arguments), kernel.run, kernel.ready, kernel.seconds,
                   more.patience_seconds, more.touches, more.dependent_loads, more.working_set});
    if (!kernel.function) {
        by_name[kernel.name] = &build;
        for (Kernel& known : kernels) known.resolved = false;
        return true;
    }
    index_new_ones();
    Kernel* known = by_address[kernel.function];
    if (!known) {
        kernels.push_back({.function = kernel.function, .name = kernel.name ? kernel.name : ""});
        by_address[kernel.function] = known = &kernels.back();
        indexed = kernels.size();
    }
    known->build = &build;
    known->resolved = true;
    by_address.try_emplace(known, known);
    return true;
}

void KernelRegistry::index_new_ones() {
    by_address.reserve(kernels.size());
    for (; indexed < kernels.size(); ++indexed) by_address[kernels[indexed].function] = &kernels[indexed];
}

Kernel* KernelRegistry::kernel(const void* function_or_kernel) {
    const std::lock_guard lock(changing);
    index_new_ones();
    const auto found = by_address.find(function_or_kernel);
    if (found == by_address.end()) return nullptr;
    Kernel* kernel = found->second;
    if (!kernel->resolved) {
        const auto build = by_name.find(kernel->name);
        if (build != by_name.end()) kernel->build = build->second;
        kernel->sleeps = only_sleeps(kernel->name);
        if (auto symmetric = symmetric_kernel(kernel->name))
            kernel->symmetric = std::make_shared<const SymmetricKernel>(*std::move(symmetric));
        kernel->resolved = true;
        by_address.try_emplace(kernel, kernel);  // from now on its handle works like its address
    }
    return kernel;
}

Variable* KernelRegistry::variable(const void* symbol) {
    const std::lock_guard lock(changing);
    const auto found = variables.find(symbol);
    return found == variables.end() ? nullptr : &found->second;
}

Code KernelRegistry::code_for(Kernel& kernel, int major, int minor) {
    const int own = 10 * major + minor;
    if (!kernel.module || !kernel.module->wrapper) return {own, own};
    const std::lock_guard lock(changing);
    const auto [known, is_new] = kernel.module->code.try_emplace(own);
    if (is_new) known->second = code_in(kernel.module->wrapper, major, minor);
    return known->second;
}

}  // namespace tocuda::simulator
