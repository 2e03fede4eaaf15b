// tocuda, Apache-2.0.
// Registration only appends, because LibTorch registers tens of thousands of kernels before main. The index is built on
// the first look-up.
#include "runtime/kernel_registry.hpp"

#include "runtime/fat_binary.hpp"

namespace tocuda::simulator {

KernelRegistry& KernelRegistry::here() {
    static KernelRegistry* const only = new KernelRegistry;
    return *only;
}

Module* KernelRegistry::add_module(const void* wrapper) {
    const std::lock_guard lock(mutex_);
    return &modules_.emplace_back(Module{.wrapper = wrapper, .left = false, .runs_on = {}});
}

// Keeps its kernels: a library that is being unloaded may still look them up.
void KernelRegistry::remove_module(Module* module) {
    const std::lock_guard lock(mutex_);
    module->left = true;
}

void KernelRegistry::add_kernel(Module* module, const void* function, const char* name) {
    const std::lock_guard lock(mutex_);
    kernels_.push_back({.function = function, .name = name, .module = module});
}

void KernelRegistry::add_variable(const void* symbol, const char* name, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    variables_[symbol] = Variable{.name = name, .bytes = bytes, .places = {}};
}

bool KernelRegistry::add_host_kernel(const tocuda_host_kernel& kernel, const tocuda_host_kernel_more& more) {
    if (kernel.version != 1 || more.version != 1 || kernel.run == nullptr ||
        (kernel.function == nullptr && kernel.name == nullptr))
        return false;
    const std::lock_guard lock(mutex_);
    const auto* sizes = kernel.argument_bytes;
    const HostKernel& build =
        host_kernels_.emplace_back(HostKernel{std::vector<std::size_t>(sizes, sizes + kernel.arguments), kernel.run,
                                              kernel.ready, kernel.seconds, more.patience_seconds, more.touches});
    if (kernel.function == nullptr) {
        by_name_[kernel.name] = &build;
        for (Kernel& known : kernels_) known.resolved = false;
        return true;
    }
    index_new_ones();
    Kernel*& known = by_address_[kernel.function];
    if (known == nullptr) {
        kernels_.push_back({.function = kernel.function, .name = kernel.name == nullptr ? "" : kernel.name});
        known = &kernels_.back();
        indexed_ = kernels_.size();
    }
    known->build = &build;
    known->resolved = true;
    return true;
}

void KernelRegistry::index_new_ones() {
    by_address_.reserve(kernels_.size());
    for (; indexed_ < kernels_.size(); ++indexed_) by_address_[kernels_[indexed_].function] = &kernels_[indexed_];
}

Kernel* KernelRegistry::kernel(const void* function_or_kernel) {
    const std::lock_guard lock(mutex_);
    index_new_ones();
    const auto found = by_address_.find(function_or_kernel);
    if (found == by_address_.end()) return nullptr;
    Kernel* kernel = found->second;
    if (!kernel->resolved) {
        const auto build = by_name_.find(kernel->name);
        if (build != by_name_.end()) kernel->build = build->second;
        kernel->resolved = true;
    }
    by_address_.try_emplace(kernel, kernel);  // from now on its handle works like its address
    return kernel;
}

Variable* KernelRegistry::variable(const void* symbol) {
    const std::lock_guard lock(mutex_);
    const auto found = variables_.find(symbol);
    return found == variables_.end() ? nullptr : &found->second;
}

bool KernelRegistry::has_code_for(Kernel& kernel, int major, int minor) {
    if (kernel.module == nullptr || kernel.module->wrapper == nullptr) return true;
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = kernel.module->runs_on.try_emplace(10 * major + minor, false);
    if (is_new) known->second = holds_code_for(kernel.module->wrapper, major, minor);
    return known->second;
}

}  // namespace tocuda::simulator
