// tocuda, Apache-2.0.
// While Python ends, it ends other threads that ask for its lock by `pthread_exit`. LibTorch's thread of the backward
// pass does so when it drops the last tensors, and the unwinding through C++ aborts the program. Python 3.14 lets such
// threads hang instead, and so does this.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

namespace {

template <typename Function>
Function* found(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

bool does_python_end() {
    auto* const ends = found<int()>("Py_IsFinalizing");
    auto* const ends_before_3_13 = found<int()>("_Py_IsFinalizing");
    return (ends && ends() != 0) || (ends_before_3_13 && ends_before_3_13() != 0);
}

}  // namespace

extern "C" void pthread_exit(void* result) {
    while (does_python_end()) ::pause();
    reinterpret_cast<decltype(&pthread_exit)>(::dlsym(RTLD_NEXT, "pthread_exit"))(result);
    __builtin_unreachable();
}
