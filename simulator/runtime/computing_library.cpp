// tocuda, Apache-2.0.
#include "runtime/computing_library.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace tocuda::simulator {
namespace {

std::string folder_of_this_library() {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<void*>(&meet_libtorch), &info) == 0 || !info.dli_fname) return ".";
    const std::string path = info.dli_fname;
    return path.substr(0, path.find_last_of('/'));
}

// LibTorch's classes change between versions, so there is one library for each.
std::atomic<void (*)()> look = nullptr;
std::atomic<bool> computes = false;
std::atomic<bool> has_no_library = false;

std::string versions_in(const std::string& folder) {
    constexpr std::string_view before = "libtocuda_computing-", after = ".so";
    std::string versions;
    std::error_code ignored;
    for (const auto& file : std::filesystem::directory_iterator(folder, ignored)) {
        const std::string name = file.path().filename();
        if (!name.starts_with(before) || !name.ends_with(after)) continue;
        versions +=
            (versions.empty() ? "" : " and ") + name.substr(before.size(), name.size() - before.size() - after.size());
    }
    return versions;
}

// Why there is no library, in one line.
std::string reason(const std::string& path, const std::string& version, const char* error) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return error;
    const std::string versions = versions_in(folder_of_this_library());
    return "the program has LibTorch " + version + ", and this tocuda was built " +
           (versions.empty() ? "without LibTorch" : "for LibTorch " + versions);
}

void open_for(std::uint64_t abi_version) {
    const std::string version = std::to_string(abi_version >> 56) + "." + std::to_string(abi_version >> 48 & 0xff);
    const std::string path = folder_of_this_library() + "/libtocuda_computing-" + version + ".so";
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    auto* const begin = library ? reinterpret_cast<void (*)()>(::dlsym(library, "tocuda_computing_begin")) : nullptr;
    if (begin) {
        begin();
        computes = std::getenv("TOCUDA_COMPUTE") == std::string("1");
        look = reinterpret_cast<void (*)()>(::dlsym(library, "tocuda_computing_look"));
        return;
    }
    has_no_library = true;
    const char* const error = ::dlerror();
    std::fprintf(stderr, "tocuda: simulated GPUs: nothing is computed: %s\n",
                 reason(path, version, error ? error : "").c_str());
}

}  // namespace

void meet_libtorch(bool allocates) {
    static std::atomic<bool> done = !std::getenv("TOCUDA_COMPUTE");
    if (auto* const again = look.load(std::memory_order_relaxed); again && allocates) again();
    if (done.load(std::memory_order_relaxed)) return;
    void* const libtorch = ::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_NOLOAD);
    if (!libtorch) return;
    const auto version = reinterpret_cast<std::uint64_t (*)()>(::dlsym(libtorch, "aoti_torch_abi_version"));
    if (!version || done.exchange(true)) return;
    open_for(version());
}

bool computes_operators() { return computes.load(); }

bool computes_nothing() {
    static const char* const asked = std::getenv("TOCUDA_COMPUTE");
    return has_no_library.load() || !asked || std::string_view(asked) != "1";
}

}  // namespace tocuda::simulator
