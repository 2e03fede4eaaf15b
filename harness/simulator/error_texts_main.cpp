// tocuda, Apache-2.0.
// Run by the build: asks a runtime for the name and text of each of its errors and writes them as a C++ table.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

int main(int count, char** words) {
    if (count != 3) return 2;
    void* runtime = ::dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    if (runtime == nullptr) {
        std::fprintf(stderr, "tocuda: %s\n", ::dlerror());
        return 1;
    }
    using Ask = const char* (*)(int);
    const auto name = reinterpret_cast<Ask>(::dlsym(runtime, "cudaGetErrorName"));
    const auto text = reinterpret_cast<Ask>(::dlsym(runtime, "cudaGetErrorString"));
    std::FILE* out = std::fopen(words[2], "w");
    if (name == nullptr || text == nullptr || out == nullptr) return 1;
    std::fputs("// Written by the build from the runtime's own answers.\n#include \"runtime/error_texts.hpp\"\n\n",
               out);
    std::fputs("namespace tocuda::simulator {\n\nconst ErrorText error_texts[] = {\n", out);
    constexpr int last_code = 10000;
    for (int code = 0; code < last_code; ++code) {
        if (std::strcmp(name(code), "unrecognized error code") == 0) continue;
        std::fprintf(out, "    {%d, \"%s\", \"%s\"},\n", code, name(code), text(code));
    }
    std::fputs("};\nconst std::size_t error_text_count = sizeof error_texts / sizeof error_texts[0];\n\n", out);
    std::fputs("}  // namespace tocuda::simulator\n", out);
    return std::fclose(out) == 0 ? 0 : 1;
}
