// tocuda, Apache-2.0.
// The kernels and device variables that programs register when they are loaded, and the kernels that the host has its
// own build of.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/schema/simulation.h"

namespace tocuda::simulator {

// The code of a kernel that a GPU runs, by compute capability (86 for 8.6); 0: none. A GPU of 8.9 runs that of 8.6, and
// CUB asks which one it is.
struct Code {
    int written_for = 0;
    int compiled_for = 0;  // by the driver, if it was intermediate code
};

struct Module {
    const void* wrapper = nullptr;
    bool left = false;
    std::map<int, Code> code;  // by compute capability; filled in on demand
};

struct HostKernel {
    std::vector<std::size_t> argument_bytes;
    void (*run)(void* const*, const tocuda_launch*) = nullptr;
    int (*ready)(void* const*, const tocuda_launch*) = nullptr;
    double (*seconds)(void* const*, const tocuda_launch*) = nullptr;
    double patience_seconds = 0;
    std::size_t (*touches)(void* const*, const tocuda_launch*, tocuda_touch*, std::size_t) = nullptr;
    std::size_t (*dependent_loads)(void* const*, const tocuda_launch*) = nullptr;
    std::size_t (*working_set)(void* const*, const tocuda_launch*) = nullptr;
};

struct SymmetricKernel;

struct Kernel {
    const void* function = nullptr;
    const char* name = "";
    Module* module = nullptr;
    const HostKernel* build = nullptr;
    std::shared_ptr<const SymmetricKernel> symmetric{};  // if LibTorch's ranks meet in it
    int dynamic_shared_limit = -1;                       // set by attribute; negative: the default of every kernel
    bool sleeps = false;    // computes nothing and only takes time, as LibTorch's at::cuda::sleep does
    bool resolved = false;  // whether these have been looked up, and its handle is known
};

struct Variable {
    const char* name = "";
    std::size_t bytes = 0;
    std::map<int, void*> places;  // by device; filled in on demand
};

// Has a lock of its own, because registering must not start the simulation.
class KernelRegistry {
public:
    static KernelRegistry& here();

    Module* add_module(const void* wrapper);
    void remove_module(Module* module);
    void add_kernel(Module* module, const void* function, const char* name);
    void add_variable(const void* symbol, const char* name, std::size_t bytes);
    bool add_host_kernel(const tocuda_host_kernel& kernel, const tocuda_host_kernel_more& more);

    // By the function's address or by the kernel's handle; null if neither is known.
    Kernel* kernel(const void* function_or_kernel);
    Variable* variable(const void* symbol);
    Code code_for(Kernel& kernel, int major, int minor);

private:
    void index_new_ones();

    std::mutex changing;
    std::deque<Module> modules;
    std::deque<Kernel> kernels;
    std::size_t indexed = 0;
    std::unordered_map<const void*, Kernel*> by_address;
    std::unordered_map<const void*, Variable> variables;
    std::deque<HostKernel> host_kernels;
    std::unordered_map<std::string_view, const HostKernel*> by_name;
};

}  // namespace tocuda::simulator
