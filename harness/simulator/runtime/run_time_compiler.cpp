// tocuda, Apache-2.0.
// Stands before NVRTC, with which LibTorch compiles some of its operators' kernels at run time: half a minute for code
// that no simulated GPU can execute. An operator that will be computed anyway is refused at once.
#include <dlfcn.h>

#include "runtime/simulation.hpp"

namespace tocuda::simulator {
namespace {

using Create = int (*)(void*, const char*, const char*, int, const char* const*, const char* const*);

constexpr int creation_failure = 2;

Create real() {
    void* const library = ::dlopen("libnvrtc.so.13", RTLD_LAZY | RTLD_NOLOAD);
    return library == nullptr ? nullptr : reinterpret_cast<Create>(::dlsym(library, "nvrtcCreateProgram"));
}

}  // namespace

extern "C" int nvrtcCreateProgram(void* program, const char* source, const char* name, int headers,
                                  const char* const* header_sources, const char* const* header_names) {
    if (Thread::mine().in_operator) return creation_failure;
    const Create create = real();
    return create == nullptr ? creation_failure : create(program, source, name, headers, header_sources, header_names);
}

}  // namespace tocuda::simulator
