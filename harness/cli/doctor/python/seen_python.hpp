// tocuda, Apache-2.0.
// What the files of a Python installation say about its torch: no Python is run, no library is loaded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tocuda::doctor {

// A shared library that `import torch` would load, or would fail to load.
struct LibraryTaken {
    std::string name;                    // "libcudnn.so.9", as its user requests it
    std::string wanted_by{};             // the file that requests it, or that misses its symbols
    std::string file{};                  // the file that the loader takes; empty if it finds none
    std::string through{};               // "RPATH of libtorch_cuda.so", "LD_LIBRARY_PATH", "LD_PRELOAD", ...
    std::string own{};                   // the copy that the packages bring, if another one is taken
    std::vector<std::string> missing{};  // symbols that its users need and it does not have
};

// Two packages that write the same files for different CUDA majors, such as nvidia-cudnn-cu12 and nvidia-cudnn-cu13.
struct SharedPath {
    std::string folder;                 // "nvidia/cudnn"
    std::vector<std::string> packages;  // "nvidia-cudnn-cu12 9.1.0.70"
    std::vector<int> majors;            // of each package
    std::optional<int> files_of{};      // the major whose files are there, if their sizes tell
};

struct TorchSeen {
    std::string folder;                            // ".../site-packages/torch"
    std::string library_folder{};                  // torch/lib, or with conda-forge the lib of the environment
    std::string version{};                         // of torch/version.py: "2.15.0+cu132"
    std::optional<std::string> cuda{};             // "13.2"; nullopt in a build without CUDA
    std::optional<std::string> hip{};              // ROCm
    std::string distribution_version{};            // of the dist-info folder
    std::vector<std::string> distributions{};      // all dist-info folders of torch there
    std::string installer{};                       // "pip", "uv", "conda"
    std::string wheel_tag{};                       // "cp311-cp311-manylinux_2_28_x86_64"
    std::string origin{};                          // the URL of direct_url.json
    std::string conda_build{};                     // "conda-forge cpu_generic_py311_h..."
    std::string architecture{};                    // "x86_64", "aarch64", of libtorch_python.so or the wheel's tag
    bool has_cuda_library = false;                 // libtorch_cuda.so
    bool is_file = false;                          // `folder` is a file torch.py of somebody's own, imported instead
    std::vector<std::string> gpu_architectures{};  // "sm_75", "compute_120"
    std::vector<LibraryTaken> libraries{};         // only those that are missing, or not torch's own
    std::vector<SharedPath> shared_paths{};
};

struct PythonSeen {
    std::string asked{};        // what was to be looked at
    std::string interpreter{};  // the file it leads to; empty if there is none
    std::string kind{};         // "venv", "conda", "pyenv", "system"
    std::string version{};      // "3.11"
    std::string problem{};      // why nothing more is known: "is a script, not an interpreter"
    std::vector<std::string> search_path{};
    std::string machine{};  // "x86_64", "aarch64"
    bool has_uv = false;    // on the PATH
    std::optional<TorchSeen> torch{};
    std::map<std::string, std::string> environment{};  // the variables that matter to torch
};

// What is known of the machine's GPUs and driver; absent where it is not.
struct GpusKnown {
    std::optional<std::vector<int>> compute_capabilities{};  // 90 for 9.0, of each GPU in CUDA's order
    std::optional<int> driver_cuda{};                        // 13000: the newest CUDA that the driver supports
    bool none = false;                                       // the machine has no GPU of NVIDIA's at all
};

}  // namespace tocuda::doctor
