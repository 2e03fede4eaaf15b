// tocuda, Apache-2.0.
// Prints what the runtime library named on its command line returns from cudaGetDeviceCount, and the driver's version.
#include <dlfcn.h>

#include <cstdio>

int main(int count, char** words) {
    if (count != 2) return 2;
    void* runtime = ::dlopen(words[1], RTLD_NOW);
    if (runtime == nullptr) {
        std::fprintf(stderr, "%s\n", ::dlerror());
        return 2;
    }
    int devices = -1;
    int version = -1;
    const int code = reinterpret_cast<int (*)(int*)>(::dlsym(runtime, "cudaGetDeviceCount"))(&devices);
    const int known = reinterpret_cast<int (*)(int*)>(::dlsym(runtime, "cudaDriverGetVersion"))(&version);
    std::printf("count %d driver %d %d\n", code, known, version);
    return 0;
}
