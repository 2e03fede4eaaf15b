// tocuda, Apache-2.0.
// Run by the build: asks a runtime for the name and text of each of its errors and writes them as entries of a C++
// table.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

int main(int count, char** words) {
    if (count != 3) return 2;
    void* runtime = ::dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    if (!runtime) {
        std::fprintf(stderr, "tocuda: %s\n", ::dlerror());
        return 1;
    }
    using Ask = const char* (*)(int);
    const auto name = reinterpret_cast<Ask>(::dlsym(runtime, "cudaGetErrorName"));
    const auto text = reinterpret_cast<Ask>(::dlsym(runtime, "cudaGetErrorString"));
    std::FILE* out = std::fopen(words[2], "w");
    if (!name || !text || !out) return 1;
    constexpr int last_code = 10000;
    for (int code = 0; code < last_code; ++code) {
        if (std::strcmp(name(code), "unrecognized error code") == 0) continue;
        std::fprintf(out, "    {%d, \"%s\", \"%s\"},\n", code, name(code), text(code));
    }
    return std::fclose(out) == 0 ? 0 : 1;
}
