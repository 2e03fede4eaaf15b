// tocuda, Apache-2.0.
#include <gtest/gtest.h>

#include "doctor/python/files.hpp"
#include "doctor/python/python_tree_test.hpp"

namespace tocuda::doctor {
namespace {

bool holds(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

// An older nvJitLink of a toolkit, as in pytorch#111469.
void add_old_toolkit(PythonTree& tree) {
    tree.library("/usr/local/cuda/lib64/libnvJitLink.so.13",
                 {.soname = "libnvJitLink.so.13", .exports = {"__nvJitLinkComplete_12_1"}});
    tree.environment["LD_LIBRARY_PATH"] = "/usr/local/cuda/lib64";
}

// As LibTorch's __init__.py names the libraries that it loads first.
constexpr auto preloading = R"(
    cuda_libs = [("cublas", "libcublasLt.so.*[0-9]"), ("nvjitlink", "libnvJitLink.so.*[0-9]")]
            with open("/proc/self/maps") as f:
                _maps = f.read()
            _preload_cuda_deps(required=False)
    except OSError as err:
)";

std::string cache_of(const std::vector<std::pair<std::string, std::string>>& libraries) {
    std::string entries;
    std::string strings;
    const auto base = 48 + 24 * libraries.size();
    const auto put = [](std::string& into, auto value) {
        into.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    for (const auto& [name, path] : libraries) {
        put(entries, std::int32_t{0x0303});
        put(entries, static_cast<std::uint32_t>(base + strings.size()));
        strings += name + '\0';
        put(entries, static_cast<std::uint32_t>(base + strings.size()));
        strings += path + '\0';
        put(entries, std::uint32_t{0});
        put(entries, std::uint64_t{0});
    }
    std::string text = "glibc-ld.so.cache1.1";
    put(text, static_cast<std::uint32_t>(libraries.size()));
    text.resize(48);
    return text + entries + strings;
}

TEST(PythonLoader, RunpathLosesToLdLibraryPath) {
    PythonTree tree;
    add_old_toolkit(tree);
    const auto trouble = tree.trouble();
    EXPECT_TRUE(trouble.starts_with("fault torch libraries: ")) << trouble;
    EXPECT_TRUE(holds(trouble,
                      "/libcusparse.so.12 needs __nvJitLinkComplete_13_0 of libnvJitLink.so.13, and "
                      "libnvJitLink.so.13 (/usr/local/cuda/lib64/libnvJitLink.so.13") ||
                holds(trouble,
                      "needs __nvJitLinkComplete_13_0 of libnvJitLink.so.13, and "
                      "/usr/local/cuda/lib64/libnvJitLink.so.13 (LD_LIBRARY_PATH) does not have it"))
        << trouble;
    EXPECT_TRUE(holds(trouble, "; unset LD_LIBRARY_PATH"));
}

TEST(PythonLoader, WhatTorchLoadsFirstWinsOverLdLibraryPath) {
    PythonTree tree;
    add_old_toolkit(tree);
    tree.text(tree.torch + "/__init__.py", preloading);
    EXPECT_EQ(tree.trouble(), "");
}

TEST(PythonLoader, RpathOfTorchWinsOverLdLibraryPath) {
    PythonTree tree;
    tree.library("/usr/local/cuda/lib64/libcudart.so.13", {.soname = "libcudart.so.13"});
    tree.environment["LD_LIBRARY_PATH"] = "/usr/local/cuda/lib64";
    EXPECT_EQ(tree.trouble(), "");
}

TEST(PythonLoader, AnotherCopyThatHasAllSymbolsIsAWarning) {
    PythonTree tree;
    tree.library("/usr/local/cuda/lib64/libcublasLt.so.13", {.soname = "libcublasLt.so.13"});
    tree.environment["LD_LIBRARY_PATH"] = "/usr/local/cuda/lib64";
    EXPECT_EQ(tree.trouble(),
              "warning library path: libcublasLt.so.13 is taken from "
              "/usr/local/cuda/lib64/libcublasLt.so.13 (LD_LIBRARY_PATH) instead of " +
                  tree.site + "/nvidia/cu13/lib/libcublasLt.so.13; unset LD_LIBRARY_PATH\n");
}

TEST(PythonLoader, FilesForOtherMachinesArePassedOver) {
    PythonTree tree;
    tree.library("/usr/local/cuda/lib64/libcublasLt.so.13", {.soname = "libcublasLt.so.13", .machine = EM_AARCH64});
    tree.text("/usr/local/cuda/lib64/libnvJitLink.so.13", "a script of a linker");
    tree.environment["LD_LIBRARY_PATH"] = "/usr/local/cuda/lib64";
    EXPECT_EQ(tree.trouble(), "");
}

TEST(PythonLoader, MissingLibraryIsAFault) {
    PythonTree tree;
    tree.remove(tree.site + "/nvidia/nccl");
    EXPECT_TRUE(tree.trouble().starts_with("fault torch libraries: libnccl.so.2, which " + tree.torch +
                                           "/lib/libtorch_cuda.so needs, is not found: `import torch` fails; "))
        << tree.trouble();
}

TEST(PythonLoader, SystemsCacheAndFoldersAreSearchedLast) {
    PythonTree tree;
    tree.remove(tree.site + "/nvidia/nccl");
    tree.library("/opt/nccl/libnccl.so.2", {.soname = "libnccl.so.2", .exports = {"ncclCommResume"}});
    tree.text("/etc/ld.so.cache",
              cache_of({{"libm.so.6", "/lib/libm.so.6"}, {"libnccl.so.2", "/opt/nccl/libnccl.so.2"}}));
    EXPECT_EQ(tree.trouble(), "");
    tree.text("/etc/ld.so.cache", "glibc-ld.so.cache1.1");
    EXPECT_TRUE(tree.trouble().starts_with("fault torch libraries: libnccl.so.2"));
    tree.library("/usr/lib64/libnccl.so.2", {.soname = "libnccl.so.2", .exports = {"ncclCommResume"}});
    EXPECT_EQ(tree.trouble(), "");
}

TEST(PythonLoader, TwoCudaMajorsThatShareAPath) {
    PythonTree tree;
    tree.distribution("nvidia_nccl_cu13-2.29.7", {"nvidia/nccl/lib/libnccl.so.2"});
    EXPECT_EQ(tree.trouble(), "");
    // The package for CUDA 12 is installed later: its files are there, which lack what torch needs (pytorch#186591).
    tree.library(tree.site + "/nvidia/nccl/lib/libnccl.so.2", {.soname = "libnccl.so.2", .exports = {"ncclAllReduce"}});
    tree.distribution("nvidia_nccl_cu12-2.27.5", {"nvidia/nccl/lib/libnccl.so.2"});
    const auto trouble = tree.trouble();
    EXPECT_TRUE(holds(trouble, "needs ncclCommResume of libnccl.so.2")) << trouble;
    EXPECT_TRUE(holds(trouble,
                      "fault torch libraries: nvidia-nccl-cu12 and nvidia-nccl-cu13 write the same files in "
                      "nvidia/nccl; those for CUDA 12 are there, torch is built for CUDA 13.0"))
        << trouble;
    EXPECT_TRUE(holds(trouble, "/opt/venv/bin/python3 -m pip uninstall -y nvidia-nccl-cu12")) << trouble;
}

TEST(PythonLoader, PreloadedLibrariesAreNamed) {
    PythonTree tree;
    tree.library("/opt/hooks/libhook.so", {.soname = "libhook.so"});
    tree.environment["LD_PRELOAD"] = "/opt/hooks/libhook.so";
    EXPECT_EQ(
        tree.trouble(),
        "warning library path: LD_PRELOAD loads /opt/hooks/libhook.so before everything else; unset LD_PRELOAD\n");
    // One that passes for a CUDA library decides for all.
    tree.library("/opt/hooks/libhook.so", {.soname = "libcudart.so.13"});
    EXPECT_TRUE(
        holds(tree.trouble(), "needs cudaMalloc of libhook.so, and /opt/hooks/libhook.so (LD_PRELOAD) does not"))
        << tree.trouble();
}

TEST(PythonLoader, DamagedLibrariesDoNotHarm) {
    const PythonTree tree;
    const auto file = tree.here(tree.site + "/nvidia/cu13/lib/libcusparse.so.12");
    const auto size = std::filesystem::file_size(file);
    for (auto length = size; length > 0; length -= std::min<std::uintmax_t>(length, 37)) {
        std::filesystem::resize_file(file, length);
        EXPECT_FALSE(tree.judge().empty());
    }
}

TEST(LoaderCache, ReadsNamesAndPaths) {
    const auto cache = loader_cache_of("an old cache before it\n" + cache_of({{"libc.so.6", "/lib/libc.so.6"}}));
    EXPECT_EQ(cache.at("libc.so.6"), "/lib/libc.so.6");
    const auto whole = cache_of({{"liba.so", "/lib/liba.so"}, {"libb.so", "/lib/libb.so"}});
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_LE(loader_cache_of(std::string(whole, 0, length)).size(), 2U);
}

}  // namespace
}  // namespace tocuda::doctor
