// tocuda, Apache-2.0.
// For tests: a Python environment made of files alone, below a folder that stands for /.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "doctor/python/elf_writer_test.hpp"
#include "doctor/python/install.hpp"
#include "model/folder_test.hpp"

namespace tocuda::doctor {

class PythonTree {
public:
    const std::string site = "/opt/venv/lib/python3.11/site-packages";
    const std::string torch = site + "/torch";
    std::map<std::string, std::string> environment{{"PATH", "/usr/bin"}};
    GpusKnown gpus{.compute_capabilities = std::vector<int>{90}, .driver_cuda = 13000};

    // A virtual environment with torch 2.15.0+cu130 and NVIDIA's packages, as pip leaves it.
    PythonTree() {
        library("/usr/bin/python3.11", {});
        text("/usr/bin/uv", "");
        text("/opt/venv/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n");
        link("/usr/bin/python3.11", "/opt/venv/bin/python3");
        set_version("2.15.0+cu130", "'13.0'");
        text(torch + "/__init__.py", "# nothing is loaded before torch's own libraries\n");
        distribution("torch-2.15.0", {});
        const std::string rpath = "$ORIGIN/../../nvidia/nccl/lib:$ORIGIN/../../nvidia/cu13/lib:$ORIGIN";
        library(torch + "/_C.cpython-311-x86_64-linux-gnu.so",
                {.needed = {"libtorch_python.so"}, .rpath = "$ORIGIN/lib"});
        library(torch + "/lib/libtorch_global_deps.so",
                {.soname = "libtorch_global_deps.so", .needed = {"libcudart.so.13", "libc.so.6"}, .rpath = rpath});
        using namespace std::string_literals;
        library(torch + "/lib/libtorch_python.so", {.soname = "libtorch_python.so",
                                                    .needed = {"libtorch_cuda.so"},
                                                    .rpath = rpath,
                                                    .rodata = "sm_\0x\0sm_75 sm_80 sm_86 sm_90 sm_100 sm_120\0end"s});
        library(torch + "/lib/libtorch_cuda.so",
                {.soname = "libtorch_cuda.so",
                 .needed = {"libcudart.so.13", "libcusparse.so.12", "libnccl.so.2", "libcublas.so.13"},
                 .rpath = rpath,
                 .imports = {{"cudaMalloc", "libcudart.so.13"},
                             {"cusparseCreate", "libcusparse.so.12"},
                             {"ncclCommResume", ""},
                             {"_ZN2at6TensorE", ""}}});
        library(site + "/nvidia/cu13/lib/libcudart.so.13", {.soname = "libcudart.so.13", .exports = {"cudaMalloc"}});
        library(site + "/nvidia/cu13/lib/libcusparse.so.12",
                {.soname = "libcusparse.so.12",
                 .needed = {"libnvJitLink.so.13"},
                 .runpath = "$ORIGIN",
                 .exports = {"cusparseCreate"},
                 .imports = {{"__nvJitLinkComplete_13_0", "libnvJitLink.so.13"}}});
        library(site + "/nvidia/cu13/lib/libnvJitLink.so.13",
                {.soname = "libnvJitLink.so.13", .exports = {"__nvJitLinkComplete_13_0"}});
        library(site + "/nvidia/cu13/lib/libcublas.so.13",
                {.soname = "libcublas.so.13", .needed = {"libcublasLt.so.13"}, .runpath = "$ORIGIN"});
        library(site + "/nvidia/cu13/lib/libcublasLt.so.13", {.soname = "libcublasLt.so.13"});
        library(site + "/nvidia/nccl/lib/libnccl.so.2", {.soname = "libnccl.so.2", .exports = {"ncclCommResume"}});
    }

    void text(const std::string& path, const std::string& words) const {
        std::filesystem::create_directories(here(path).parent_path());
        std::ofstream(here(path)) << words;
    }
    void library(const std::string& path, const WrittenLibrary& written) const { write_library(here(path), written); }
    void link(const std::string& target, const std::string& path) const {
        std::filesystem::create_directories(here(path).parent_path());
        std::filesystem::create_symlink(target, here(path));
    }
    void remove(const std::string& path) const { std::filesystem::remove_all(here(path)); }
    std::filesystem::path here(const std::string& path) const { return folder.path() / path.substr(1); }

    void set_version(const std::string& version, const std::string& cuda) const {
        text(torch + "/version.py", "from typing import Optional\n__version__ = '" + version + "'\ndebug = False\n" +
                                        "cuda: Optional[str] = " + cuda + "\nhip: Optional[str] = None\n");
    }
    // A dist-info folder whose RECORD lists these files with the sizes that they have now.
    void distribution(const std::string& name, const std::vector<std::string>& files) const {
        std::string record;
        for (const auto& file : files)
            record += file + ",sha256=x," + std::to_string(std::filesystem::file_size(here(site + "/" + file))) + "\n";
        text(site + "/" + name + ".dist-info/RECORD", record + name + ".dist-info/RECORD,,\n");
        text(site + "/" + name + ".dist-info/INSTALLER", "pip\n");
        text(site + "/" + name + ".dist-info/WHEEL", "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_28_x86_64\n");
    }

    PythonSeen see(const std::string& python = "/opt/venv/bin/python3") const {
        return see_python(python, environment, folder.path());
    }
    std::vector<Finding> judge() const { return findings(see(), gpus); }
    // Those that are not ok, a line each: "fault torch build: evidence; remedy".
    std::string trouble() const {
        std::string lines;
        for (const auto& finding : judge())
            if (finding.state != State::ok)
                lines += std::string(word(finding.state)) + " " + finding.check + ": " + finding.evidence + "; " +
                         finding.remedy + "\n";
        return lines;
    }

private:
    const TestFolder folder{};
};

}  // namespace tocuda::doctor
