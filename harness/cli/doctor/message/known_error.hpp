// tocuda, Apache-2.0.
// The errors that explain() knows, by family.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/explanation.hpp"

namespace tocuda::doctor {

struct KnownRemedy {
    std::string_view what;
    Scope scope = Scope::command;

    constexpr KnownRemedy(const char* text) : what(text) {}
    constexpr KnownRemedy(const char* text, Scope hits) : what(text), scope(hits) {}
};

// In these a remedy reads like what it is: look("nvidia-smi"), machine("sudo apt install ...").
constexpr KnownRemedy look(const char* text) { return {text, Scope::look}; }
constexpr KnownRemedy environment(const char* text) { return {text, Scope::environment}; }
constexpr KnownRemedy machine(const char* text) { return {text, Scope::machine}; }
constexpr KnownRemedy others(const char* text) { return {text, Scope::others}; }

// For texts that have this sign, in lower case, such as the name of a program: takes the place of the general remedies.
struct Hint {
    std::string_view sign;
    KnownRemedy remedy;
};

// How near an error is to its cause. Of several in one text the nearest is explained, of equal ones the first.
enum class Rank {
    notice,   // says something about a machine, but nothing that failed: explained if there is nothing else
    echo,     // another process or an earlier call failed, and its own text says why
    symptom,  // several causes have this text
    warned,   // a cause, in a line that only warns
    cause
};

struct KnownError {
    std::string_view name;
    std::vector<std::string_view> needles;  // any of them identifies the error; at least four characters
    std::string_view meaning;
    std::vector<std::string_view> claims{};
    // "{torch}" in one is the command that installs PyTorch, "{torch cu126}" that of a build.
    std::vector<KnownRemedy> remedies{};
    std::vector<Hint> hints{};
    // Reads figures from the text, in which the needle is at `at`, and may change the remedies.
    void (*read)(std::string_view text, std::size_t at, Explanation& told) = nullptr;
    // Whether the needle at `at` is this error; if absent, it always is.
    bool (*applies)(std::string_view text, std::size_t at) = nullptr;
    std::vector<std::string_view> near{};     // and whether one of these stands close by,
    std::vector<std::string_view> in_line{};  // or in the same line; if empty, none has to
    Rank rank = Rank::cause;
    bool certain = true;  // false, as for every symptom: the meaning is the most frequent one
};

std::vector<KnownError> driver_errors();      // the driver is absent, or does not answer
std::vector<KnownError> old_driver_errors();  // or too old for the program
std::vector<KnownError> library_errors();     // the build and its shared libraries
std::vector<KnownError> symbol_errors();      // names that a library does not have
std::vector<KnownError> math_errors();        // cuDNN, cuBLAS and their like
std::vector<KnownError> memory_errors();      // memory of the GPU and of the host
std::vector<KnownError> kernel_errors();      // what goes wrong on the GPU
std::vector<KnownError> refused_errors();     // what a GPU or its driver refuses
std::vector<KnownError> access_errors();      // what kernels do wrong with data and memory
std::vector<KnownError> compiler_errors();    // what compiles while a program runs: Triton, ptxas, NVRTC
std::vector<KnownError> import_errors();      // Python does not import what is there
std::vector<KnownError> build_errors();       // nvcc and extensions that are built
std::vector<KnownError> usage_errors();       // what the program asks of LibTorch
std::vector<KnownError> training_errors();    // mixed precision, losses, optimizers, workers
std::vector<KnownError> tensor_errors();      // tensors on the wrong device or of the wrong type
std::vector<KnownError> version_errors();     // a PyTorch that is older or newer than the program
std::vector<KnownError> framework_errors();   // what stands on LibTorch: accelerate, bitsandbytes
std::vector<KnownError> serving_errors();     // vLLM, SGLang, Ray
std::vector<KnownError> server_errors();      // other servers of models
std::vector<KnownError> launch_errors();      // how training on several GPUs is started: torchrun, DDP, FSDP, DeepSpeed
std::vector<KnownError> collective_errors();  // what such programs ask of a group: wrapped models, collectives
std::vector<KnownError> group_errors();       // several GPUs and processes: NCCL, peer access, MPS, torchrun
std::vector<KnownError> network_errors();     // how processes of a group reach each other
std::vector<KnownError> mpi_errors();         // MPI, UCX, NVSHMEM, DeepEP
std::vector<KnownError> install_errors();     // how the driver, the toolkit and packages are installed
std::vector<KnownError> package_errors();     // builds that pip, uv and Poetry do not find
std::vector<KnownError> conflict_errors();    // packages that each want another PyTorch
std::vector<KnownError> extension_errors();   // sources that do not fit the toolkit, the compiler or PyTorch
std::vector<KnownError> setup_errors();       // tools that a build needs: compilers, CMake, linkers, setuptools
std::vector<KnownError> fabric_errors();      // NVSwitches, MIG, DCGM
std::vector<KnownError> nvml_errors();        // what NVML and nvidia-smi refuse
std::vector<KnownError> system_errors();      // nvidia-smi and the driver's start
std::vector<KnownError> xid_errors();         // the kernel's log
std::vector<KnownError> container_errors();   // Docker and its like
std::vector<KnownError> cluster_errors();     // Kubernetes, Slurm, Apptainer
std::vector<KnownError> wsl_errors();
std::vector<KnownError> windows_errors();
std::vector<KnownError> virtual_errors();         // virtual machines: passthrough and vGPU
std::vector<KnownError> system_package_errors();  // apt, dnf, pacman
std::vector<KnownError> display_errors();         // the X server, nouveau, words of the kernel that are no Xids
std::vector<KnownError> jetson_errors();
std::vector<KnownError> tensorflow_errors();  // and JAX
std::vector<KnownError> tensorrt_errors();    // and ONNX Runtime, OpenCV
std::vector<KnownError> array_errors();       // Numba, CuPy, RAPIDS, XGBoost, MXNet, Paddle
std::vector<KnownError> llama_errors();       // what stands on ggml: llama.cpp, Ollama
std::vector<KnownError> media_errors();       // video, OpenCL, Blender, Vulkan
std::vector<KnownError> science_errors();     // simulations, Julia, Rust, MATLAB
std::vector<KnownError> tool_errors();        // profilers, sanitizers, debuggers
std::vector<KnownError> runtime_errors();     // what programs beside LibTorch have in common

// Of a PyTorch that sees no GPU: what the text says of its build, of the driver and of the machine.
void tell_of_build(std::string_view text, Explanation& told);

// "nvidia-container-cli: ...": what the words after it say.
void read_hook_of_container(std::string_view text, std::size_t at, Explanation& told);

// On a rented machine nobody can change the host's driver: says so, if the text is from one.
bool tell_of_rented_host(std::string_view text, Explanation& told);

// The words after "Last error:", by which NCCL says what failed.
void read_last_error(std::string_view text, std::size_t at, Explanation& told);

// What pip takes for the extension of PyTorch that a text is about: "flash-attn"; empty if it is not known.
std::string extension_in(std::string_view text);

// Of an extension whose library does not fit: the page that has its wheels for the PyTorch that the text names.
void tell_of_wheels(std::string_view text, std::string_view line, Explanation& told);

// Whether words name a package that holds code for GPUs.
bool names_package_for_gpus(std::string_view words);

// Of CUDA in a worker of a DataLoader, where the text shows one.
void tell_of_worker(std::string_view text, Explanation& told);

// Of memory that is full: what the frames before it show that the program was doing, and what helps there.
void tell_of_step(std::string_view text, std::size_t at, Explanation& told);

// Of an index that is out of range, where the text speaks of a model with a vocabulary.
void tell_of_vocabulary(std::string_view text, Explanation& told);

// A package that compiles kernels of its own and that the text names; empty: none.
std::string_view package_with_kernels(std::string_view text);

// The package of pip that has this library, and the folder that it puts it into.
void add_package(std::string_view text, std::string_view library, Explanation& told);

// If the text shows in which folder the library lies: that folder, as the first remedy.
void tell_of_library_in(std::string_view text, std::string_view library, Explanation& told);

// Of a library that is missing: what the program that asks for it needs. Leaves the remedies as they are where it is
// PyTorch.
void tell_of_missing_library(std::string_view text, std::size_t at, std::string_view library, Explanation& told);

// Of libraries that TensorFlow.js, a package of Node, does not find.
void tell_of_tensorflow_js(std::string_view text, Explanation& told);

// If the frames before an error show that memory of the host was to be page-locked: that, instead of the error.
void tell_of_pinning(std::string_view text, std::size_t at, Explanation& told);

constexpr auto write_cdi =
    "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml   (again after each update of the driver; undo: remove "
    "that file)";

constexpr auto own_tensorflow =
    "python3 -m venv fresh && fresh/bin/pip install 'tensorflow[and-cuda]'   (a new environment, with the libraries of "
    "CUDA that this TensorFlow needs)";

std::vector<KnownError> all_known_errors();

}  // namespace tocuda::doctor
