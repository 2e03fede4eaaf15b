// tocuda, Apache-2.0.
// A libcufile.so.0 that the tests preload: reads a file into a simulated GPU's memory, or, as FAKE_CUFILE says, keeps
// its compatibility mode (compatible), refuses the file (unsupported), reads nothing (idle) or through the page cache
// (cached), or answers half of what it is asked for (half).
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace {

bool is(const char* mode) {
    const char* chosen = std::getenv("FAKE_CUFILE");
    return chosen != nullptr && std::strcmp(chosen, mode) == 0;
}

struct Error {
    int code;
    int driver_code;
};

struct Properties {
    unsigned version[2];
    std::size_t sizes[2];
    unsigned status_bits;
    unsigned control_bits;
};

struct Description {
    int type;
    alignas(void*) int descriptor;
};

}  // namespace

extern "C" {

Error cuFileSetParameterBool(int, bool) { return {0, 0}; }
Error cuFileDriverOpen() { return {0, 0}; }
Error cuFileDriverGetProperties(Properties* properties) {
    properties->control_bits = is("compatible") ? 2 : 0;
    return {0, 0};
}
Error cuFileHandleRegister(void** handle, Description* description) {
    if (is("unsupported")) return {5008, 0};
    *handle = new int(description->descriptor);
    return {0, 0};
}
void cuFileHandleDeregister(void* handle) { delete static_cast<int*>(handle); }
Error cuFileBufRegister(const void*, std::size_t, int) { return {0, 0}; }
Error cuFileBufDeregister(const void*) { return {0, 0}; }

ssize_t cuFileRead(void* handle, void* memory, std::size_t bytes, off_t file_offset, off_t offset) {
    static const auto copy = reinterpret_cast<decltype(&cudaMemcpy)>(dlsym(RTLD_DEFAULT, "cudaMemcpy"));
    if (is("idle")) return static_cast<ssize_t>(bytes);
    if (is("half") && bytes > 4096) bytes = bytes / 8192 * 4096;
    const int descriptor = *static_cast<int*>(handle);
    if (is("cached")) fcntl(descriptor, F_SETFL, 0);
    void* on_host = std::aligned_alloc(4096, bytes);
    const auto got = pread(descriptor, on_host, bytes, file_offset);
    if (got > 0)
        copy(static_cast<char*>(memory) + offset, on_host, static_cast<std::size_t>(got), cudaMemcpyHostToDevice);
    std::free(on_host);
    return got;
}
}
