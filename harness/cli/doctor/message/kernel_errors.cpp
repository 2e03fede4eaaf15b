// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <optional>
#include <utility>
#include <vector>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/python/architectures.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto smaller_steps = "use a smaller batch or picture, or a GPU without a display";
constexpr auto longer_watchdog = machine(
    "reg add HKLM\\SYSTEM\\CurrentControlSet\\Control\\GraphicsDrivers /v TdrDelay /t REG_DWORD /d 60   (then reboot; "
    "undo: reg delete ... /v TdrDelay)");
constexpr auto which_gpu = look("nvidia-smi --query-gpu=name,compute_cap --format=csv   (XY is 86 for 8.6)");
constexpr auto tcnn = environment(
    "TCNN_CUDA_ARCHITECTURES=XY pip install --no-cache-dir --no-build-isolation --force-reinstall --no-deps "
    "git+https://github.com/NVlabs/tiny-cuda-nn/#subdirectory=bindings/torch   (for the GPU that it is to run on; "
    "undo: pip uninstall tinycudann)");

// "with CUDA capability sm_86 is not compatible", "which is of cuda capability 3.0", or the GPU by its name.
std::optional<int> capability_in(std::string_view around) {
    if (const auto number = number_after(around, "with CUDA capability sm_")) return static_cast<int>(*number);
    if (const auto text = between(around, "of cuda capability ", " "))
        if (text->size() >= 3 && text->at(1) == '.') return 10 * (text->at(0) - '0') + (text->at(2) - '0');
    return capability_of_name(around);
}

// Version 1 has no wheels: it was built on the machine.
const std::vector<Remedy> spconv_1{
    {"python -c 'import torch; print(torch.version.cuda, torch.cuda.get_device_capability())'; nvcc --version   (both "
     "CUDAs have to be the same: pip's PyTorch before 1.5 is for 10.1 or older)",
     Scope::look},
    {"rm -rf build dist && CUDACXX=/usr/local/cuda-X.Y/bin/nvcc python setup.py bdist_wheel && pip install "
     "--force-reinstall --no-deps dist/spconv*.whl   (in the sources of spconv 1, by the toolkit of that CUDA, on the "
     "machine with this GPU; undo: the wheel that was there)",
     Scope::environment},
    "{torch cu118} && fresh/bin/pip install spconv-cu118   (spconv 2 has wheels; the program then needs import "
    "spconv.pytorch as spconv)"};

// "    grids = fvdb.gridbatch_from_points(xyz)": the last line of a traceback calls a package that compiles its own
// code.
void read_calling_package(std::string_view text, std::size_t at, Explanation& told) {
    const auto package = package_with_kernels(text_near(text, at, 300, 400));
    if (package.empty()) return;
    told.arithmetic.push_back(
        fmt::format("{} is called: if torch's own operations work, its binary has no code for this GPU", package));
    told.remedies = {
        {"python -c 'import torch; print(torch.ones(2, device=\"cuda\") * 2)'   (do torch's own work?)", Scope::look},
        {"pip install --force-reinstall --no-build-isolation --no-binary :all: --no-deps EXTENSION   "
         "(builds it here; undo: its wheel)",
         Scope::environment},
        "use the version of torch that a wheel of it names   (in a new environment)"};
    if (package == "spconv" && contains_any(text, {"spconv/indice.cu", "spconv/modules.py"})) told.remedies = spconv_1;
    if (package != "nunchaku") return;
    told.remedies[1] =
        "install the wheel of nunchaku for this Python and torch from github.com/nunchaku-tech/nunchaku/releases   (it "
        "has code for RTX 20 to 50; GTX 16 and older have none)";
    told.remedies.pop_back();
}

// FlashAttention 3 is for one kind of GPU.
bool tell_of_hopper(std::string_view text, std::size_t at, Explanation& told) {
    if (!contains(line_around(text, at), "flash-attention/hopper")) return false;
    told.error = "kernel of Hopper on another GPU";
    told.meaning =
        "FlashAttention 3 (its folder hopper/) has kernels for compute capability 9.0 alone, and was chosen on another "
        "GPU.";
    told.remedies = {{which_gpu.what, Scope::look},
                     "update xformers or vLLM   (newer ones choose it on Hopper only)",
                     "use another attention backend   (vLLM: VLLM_ATTENTION_BACKEND=TRITON_ATTN; ComfyUI: "
                     "--use-pytorch-cross-attention; elsewhere scaled_dot_product_attention)"};
    return true;
}

// "torch-2.1.0a0+41361538.nv23.06": PyTorch is NVIDIA's own for the Jetson, so that a package beside it is at fault.
void tell_of_jetson(int gpu, Explanation& told) {
    told.arithmetic.emplace_back(
        "this PyTorch is NVIDIA's build for the Jetson: most often torchvision has no such code");
    told.remedies = {
        {"python3 -c 'import torch; print(torch.ones(2, device=\"cuda\") * 2)'   (do torch's own work?)", Scope::look},
        {"TORCH_CUDA_ARCH_LIST=" + capability_text(gpu) +
             " FORCE_CUDA=1 pip install --no-build-isolation --no-deps --force-reinstall "
             "git+https://github.com/pytorch/vision@vX.Y.Z   (builds torchvision here, of the version for this torch; "
             "undo: the wheel that was there)",
         Scope::environment}};
}

// The hints know those on ggml.
void read_ptx_of_other_program(std::string_view text, std::size_t, Explanation& told) {
    if (origin_of(text).uses_torch() || contains(text, "ggml")) return;
    told.remedies = {{"nvidia-smi | grep 'CUDA Version'   (older than the CUDA of the program?)", Scope::look},
                     "{torch}",
                     {"update the driver   (undo: install the old one again)", Scope::machine}};
}

// hashcat compiles its kernels on the machine, by the NVRTC of the toolkit.
void tell_of_hashcat(std::string_view text, Explanation& told) {
    told.meaning =
        "The driver refuses the kernel that hashcat compiled (code 209): hashcat, the CUDA toolkit or the driver does "
        "not know this GPU, or it took an old kernel from its cache.";
    told.remedies = {{"hashcat -I; nvidia-smi; nvcc --version   (which GPU, driver and toolkit?)", Scope::look},
                     "{torch}",
                     "delete the folder kernels in hashcat's own   (its cache; it is filled again)"};
    if (!contains(text, "CL_PLATFORM_NOT_FOUND"))
        return told.remedies.emplace_back("hashcat --backend-ignore-cuda ...   (by OpenCL of the driver)"), void();
    told.arithmetic.emplace_back(
        "OpenCL, which is the driver's too, is not found either: its installation is not whole");
    told.remedies.insert(
        told.remedies.begin() + 1,
        {"install NVIDIA's current driver anew   (Windows: with \"Perform a clean installation\"; undo: "
         "the version before)",
         Scope::machine});
}

// Ollama has libraries of its own for each JetPack.
void tell_of_ollama_on_jetson(std::string_view text, Explanation& told) {
    constexpr std::int64_t xavier = 720;
    const bool old = number_after(text, "compatible with CUDA arch ") == xavier;
    if (old) told.arithmetic.emplace_back("arch 720 is compute capability 7.2, a Jetson Xavier");
    told.remedies = {
        {"cat /etc/nv_tegra_release; ollama --version; ls /usr/local/lib/ollama   (R35: cuda_jetpack5, R36: "
         "cuda_jetpack6)",
         Scope::look},
        {"curl -fsSL https://ollama.com/install.sh | sh   (takes the build for this JetPack; undo: the "
         "version that was there)",
         Scope::machine}};
    if (old)
        told.remedies.push_back(
            {"curl -fsSL https://ollama.com/install.sh | OLLAMA_VERSION=0.11.7 sh   (where newer "
             "ones, from 0.11.8 on, fail on Xavier; undo: the same with the old version)",
             Scope::machine});
    if (contains(text, "flash_attn"))
        told.remedies.emplace_back("OLLAMA_FLASH_ATTENTION=0 ollama serve   (if the kernel that lacks is flash_attn)");
    told.remedies.emplace_back(
        "docker run --runtime nvidia -e JETSON_JETPACK=5 ollama/ollama   (in a container, which "
        "cannot see the release: 5 or 6)");
}

// Of a program that does not stand on PyTorch; the hints know those on ggml.
void tell_of_other_program(std::string_view text, Explanation& told) {
    const auto origin = origin_of(text);
    if (contains(text, "ops.cu")) return;
    if (origin.runs("hashcat")) return tell_of_hashcat(text, told);
    const auto* const program = origin.program;
    told.meaning = fmt::format(
        "{}, or a library that it uses, was built without code for this GPU's compute capability (code 209): the GPU "
        "is newer than the build, or older than all that it was built for.",
        program && program->name != "the program" ? program->name : "The program");
    if (origin.runs("llama.cpp")) return;
    told.remedies = {{which_gpu.what, which_gpu.scope}, "{torch}"};
    if (!origin.runs("Ollama")) return;
    if (origin.jetson) return tell_of_ollama_on_jetson(text, told);
    told.remedies.push_back(
        {"curl -fsSL https://ollama.com/install.sh | sh   (Ollama's own build, for 5.0 and newer: packages of "
         "distributions leave out older GPUs; undo: install the old one)",
         Scope::machine});
    told.remedies.emplace_back(
        "OLLAMA_LLM_LIBRARY=cuda_v12 ollama serve   (where it takes cuda_v13, which begins at 7.5)");
}

void read_capabilities(std::string_view text, std::size_t at, Explanation& told) {
    if (tell_of_hopper(text, at, told)) return;
    const auto around = flattened(text_near(text, at, 1000, 1500), 2500);
    const auto built = between(around, "supports CUDA capabilities ", ".");
    const auto gpu = capability_in(around);
    if (!gpu && !origin_of(text).uses_torch()) return tell_of_other_program(text, told);
    if (!gpu) return read_calling_package(text, at, told);
    if (built)
        told.arithmetic.push_back(
            fmt::format("the GPU is sm_{}; the build has code for {}, and none of it runs there", *gpu, *built));
    else told.arithmetic.push_back(fmt::format("the GPU has compute capability {}", capability_text(*gpu)));
    if (!origin_of(text).uses_torch() || contains(text, "ops.cu")) return tell_of_other_program(text, told);
    if (contains(text, ".nv2") && origin_of(text).jetson) return tell_of_jetson(*gpu, told);
    constexpr int oldest = 50, last_of_old_builds = 70, blackwell = 100;
    told.remedies = {{"python -c 'import torch; print(torch.__version__, torch.cuda.get_arch_list())'", Scope::look}};
    if (*gpu < oldest) {
        told.arithmetic.emplace_back("no published build has code for it any more: builds of today begin at 5.0");
        told.remedies.emplace_back("CUDA_VISIBLE_DEVICES= python ...   (on the CPU), or another GPU");
    } else if (*gpu >= blackwell) {
        told.remedies.emplace_back(
            "{torch cu128}   (in a new environment: has code for this GPU, and runs with driver 570 and newer; cu130 "
            "needs 580)");
    } else {
        told.remedies.emplace_back(
            *gpu <= last_of_old_builds
                ? "{torch cu126}   (in a new environment: the newest with code for this GPU)"
                : "{torch cu126}   (in a new environment: any build for CUDA 11 or newer has code for this GPU)");
    }
    if (built && told.remedies.size() > 1) std::swap(told.remedies[0], told.remedies[1]);  // the look is answered
    if (built && contains_any(text, {"flash_attn", "flash-attn", "xformers", "sageattention"}))
        told.remedies.emplace_back(
            "pip install --no-build-isolation --no-binary :all: EXTENSION   (there: what was built "
            "for the old torch, anew)");
    if (!built && !contains(around, "because it is too old"))
        told.remedies.emplace_back(
            "TORCH_CUDA_ARCH_LIST=" + capability_text(*gpu) +
                " pip install --no-build-isolation --no-binary :all: EXTENSION   (if torch's own operations work, an "
                "extension lacks the code: it is built again here; undo: its wheel)",
            Scope::environment);
}

void tell_of_xformers(Explanation& told) {
    told.error = "kernel of xformers refused";
    told.meaning =
        "A kernel of xformers was launched with more than this GPU takes: the backward pass of 0.0.16 and older fails "
        "so on RTX 30 and 40, as in Dreambooth.";
    told.remedies = {
        "leave xformers out   (--enable_xformers_memory_efficient_attention, --xformers; PyTorch 2 has its "
        "own attention)",
        "{torch} xformers   (0.0.17 or newer, in a new environment)"};
}

void read_invalid_argument(std::string_view text, std::size_t at, Explanation& told) {
    if (tell_of_hopper(text, at, told)) return;
    tell_of_pinning(text, at, told);
    if (contains(text_near(text, at, 1500, 0), "xformers")) return tell_of_xformers(told);
    if (const auto origin = origin_of(text); origin.runs("OpenPose") || origin.runs("the program")) {
        told.meaning =
            "A CUDA function was given an invalid value (code 1). In a program in C++ that is an argument of the call, "
            "an earlier kernel that had failed, or a build by another CUDA or for other GPUs than the machine has.";
        told.remedies = {{"nvidia-smi; nvcc --version   (driver, GPU and toolkit)", Scope::look},
                         "{torch}",
                         "CUDA_LAUNCH_BLOCKING=1 python ...   (names the first call that fails)"};
        if (!origin.runs("OpenPose")) std::swap(told.remedies[1], told.remedies[2]);
        return;
    }
    if (!contains(line_around(text, at), "THCGeneral.cpp")) return;
    told.error = "old PyTorch on a newer GPU";
    told.meaning =
        "PyTorch 0.4 to 1.1 prints this once on GPUs that are newer than the CUDA it was built for, as builds for CUDA "
        "9 do on RTX 20. If the program goes on, nothing is wrong.";
    told.remedies = {{"python -c 'import torch; print(torch.__version__, torch.version.cuda)'", Scope::look},
                     "{torch}   (a newer PyTorch, in a new environment, if the program fails after it)"};
}

}  // namespace

void tell_of_pinning(std::string_view text, std::size_t at, Explanation& told) {
    const auto frames = text_near(text, at, 1500, 0);
    const bool of_host = contains(frames, "host") && contains(frames, "torch.empty");
    if (!of_host && !contains_any(frames, {"pin_memory", "HostAlloc", "pinned"})) return;
    told.error = "no host memory to pin";
    told.meaning =
        "Memory of the host was to be page-locked (pinned) for the GPU, and the system refused a piece of that size: a "
        "limit of locked memory, of the container, or of one allocation.";
    told.remedies = {
        {"free -h; ulimit -l   (is so much free, and may it be locked?)", Scope::look},
        "use a smaller host buffer or cache   (SGLang: --hicache-ratio, --hicache-size)",
        "docker run --ulimit memlock=-1 --shm-size=64g ...   (in a container; and without a low --memory)",
        {"[wsl2] memory=24GB in .wslconfig   (Windows gives WSL half of its memory; undo: remove the line)",
         Scope::machine}};
}

std::vector<KnownError> kernel_errors() {
    constexpr auto old_rapids =
        "conda create -n old -c rapidsai -c conda-forge rapids=23.12   (the last for Pascal; RAPIDS of today needs "
        "compute capability 7.0, and a GPU older than Pascal has no release)";
    constexpr auto of_the_launch =
        "kernel<<<(n + 255) / 256, 256>>>(...)   (at most 1024 threads in a block, x*y*z, and no grid of 0; its "
        "dimensions y and z end at 65535)";
    constexpr auto registers =
        "__launch_bounds__(256), or nvcc -maxrregcount=64   (if it is registers; shared memory above 48 KiB needs "
        "cudaFuncSetAttribute)";
    return {
        {.name = "no kernel for this GPU",
         .needles = {"is not compatible with the current PyTorch installation",
                     "no kernel image is available for execution",
                     "cudaErrorNoKernelImageForDevice",
                     "CUDA_ERROR_NO_BINARY_FOR_GPU",
                     "does not include kernels for this GPU",
                     "PyTorch no longer supports this GPU because it is too old",
                     "CUDA error: invalid device function",
                     "CUDA runtime error: invalid device function",
                     "cudaErrorInvalidDeviceFunction",
                     "has no device code compatible with CUDA arch",
                     "SM_120 error",
                     "not support sm_",
                     "unsupport sm",
                     "Unsupport sm",
                     "not supported sm_120",
                     "installation is missing the necessary PTX files",
                     "ggml was not compiled with any CUDA arch",
                     "error (8) : invalid device function",
                     "error=8 : invalid device function",
                     "error=48 : no kernel image",
                     "execution failed with error 98",
                     "execution failed with error 209",
                     "failed : invalid device function",
                     "CUDA Error: invalid device function"},
         .meaning = "The build has no code for this GPU's compute capability (code 209). is_available() is true and a "
                    "tensor moves; the first kernel fails.",
         .claims = {"000-03", "004-04b", "004-10"},
         .remedies =
             {look("python -c 'import torch; print(torch.cuda.get_device_capability(), torch.cuda.get_arch_list())'"),
              "{torch cu126}   (Maxwell to Hopper, in a new environment)",
              "{torch cu128}   (Turing to Blackwell, in a new environment)",
              environment(
                  "TORCH_CUDA_ARCH_LIST=X.Y pip install --no-build-isolation --no-binary :all: EXTENSION   (if "
                  "torch's list has this GPU, an extension lacks its code, such as SageAttention or flash-attn: "
                  "builds it; undo: its wheel)")},
         .hints =
             {{"[tm]", which_gpu},
              {"[tm]",
               "lmdeploy serve api_server ... --backend pytorch   (its other engine; TurboMind's wheel has code "
               "for 7.0, V100, and newer)"},
              {"[tm]", "use llama.cpp or Ollama with a GGUF model   (GPUs older than that)"},
              {"sglang", which_gpu},
              {"sglang",
               "python -m sglang.launch_server --attention-backend triton --sampling-backend pytorch ...   "
               "(instead of FlashInfer's kernels, which older GPUs lack: T4, RTX 20)"},
              {"sglang", "{torch} sglang   (RTX 50 and B200: the newest, of CUDA 12.8 or later; in a new environment)"},
              {"vllm/", which_gpu},
              {"vllm/", "{torch} vllm   (RTX 50: 0.10 and newer have its code; in a new environment)"},
              {"vllm/", "docker run --gpus all --ipc=host vllm/vllm-openai:latest ...   (the same as an image)"},
              {"vllm/",
               "use llama.cpp or Ollama with a GGUF model   (GPUs older than 7.0, V100, which vLLM does not "
               "support)"},
              {"cudf", old_rapids},
              {"cuDF", old_rapids},
              {"cuml", old_rapids},
              {"ops.cu",
               environment("pip install --upgrade bitsandbytes   (its own binary is at fault; undo: the old version)")},
              {"ops.cu", "use an optimizer without bitsandbytes   (AdamW instead of AdamW8bit)"},
              {"llama_cpp_python",
               environment("CMAKE_ARGS='-DGGML_CUDA=on -DCMAKE_CUDA_ARCHITECTURES=XY' pip install --force-reinstall "
                           "--no-cache-dir --no-deps llama-cpp-python   (builds it here; undo: the wheel that was "
                           "there)")},
              {"ggml", which_gpu},
              {"ggml was not compiled", "update llama.cpp   (versions of August 2025 say so without a cause)"},
              {"ggml",
               "cmake -B build -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=XY && cmake --build build   (by a new "
               "toolkit)"}},
         .read = read_capabilities,
         .applies = [](std::string_view text,
                       std::size_t at) { return !contains(line_around(text, at), "HIP error"); }},
        {.name = "package without code for this GPU",
         .needles = {"Could not find compatible tinycudann extension", "Unknown compute capability. Specify the target",
                     "This kernel only supports sm"},
         .meaning = "A package that stands on PyTorch has no code for this GPU: it was built on a machine with another "
                    "one, or this version does not know it.",
         .remedies = {which_gpu, "update the package   (newer versions know newer GPUs)",
                      environment("TORCH_CUDA_ARCH_LIST=X.Y pip install --no-cache-dir --no-build-isolation --no-deps "
                                  "EXTENSION   (for the GPU that it is to run on; undo: its wheel)")},
         .hints =
             {{"tinycudann", which_gpu}, {"tinycudann", tcnn}, {"tiny-cuda-nn", which_gpu}, {"tiny-cuda-nn", tcnn}}},
        {.name = "PTX cannot be compiled",
         .needles = {"the provided PTX was compiled with an unsupported toolchain", "cudaErrorUnsupportedPtxVersion",
                     "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "a PTX JIT compilation failed", "cudaErrorInvalidPtx",
                     "PTX JIT compiler library not found"},
         .meaning = "The code for this GPU is PTX of a CUDA newer than the driver (code 222), or it is invalid.",
         .claims = {"004-04b"},
         .remedies = {look("nvidia-smi | grep 'CUDA Version'   (older than the CUDA of the build: update the driver)"),
                      "{torch cu126}   (a build for an older CUDA, in a new environment)",
                      look("nvidia-smi --query-gpu=compute_cap --format=csv   (the X.Y of the next)"),
                      "TORCH_CUDA_ARCH_LIST=X.Y pip install --no-build-isolation EXTENSION   (builds an extension "
                      "anew, with code for this GPU instead of PTX; CMake: -DCMAKE_CUDA_ARCHITECTURES=XY)"},
         .hints = {{"ggml", look("nvidia-smi   (CUDA Version: older than that of this build?)")},
                   {"unavailable: internal",
                    look("nvidia-smi | grep 'CUDA Version'   (older than the CUDA of the image?)")},
                   {"unavailable: internal",
                    "docker run --gpus all nvcr.io/nvidia/tritonserver:YY.MM-py3   (an older image, for "
                    "this driver: NVIDIA's support matrix names them)"},
                   {"unavailable: internal", machine("update the driver   (undo: install the old one again)")},
                   {"ggml", machine("update the driver   (undo: install the old one again)")},
                   {"ggml", "use the program's build for an older CUDA, or its Vulkan one"},
                   {"ggml",
                    "cmake -B build -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=native && cmake --build build   "
                    "(built here)"}},
         .read = read_ptx_of_other_program},
        {.name = "invalid kernel image",
         .needles = {"device kernel image is invalid", "cudaErrorInvalidKernelImage", "CUDA_ERROR_INVALID_IMAGE"},
         .meaning = "The code of a kernel is damaged, or of a newer CUDA than the driver knows (code 200): a stale "
                    "cache, or a driver older than the toolkit or Triton that made it.",
         .remedies = {look("nvidia-smi | grep 'CUDA Version'   (older than the CUDA of the build?)"),
                      machine("update the driver   (undo: install the old one again)"),
                      "use a build for an older CUDA   (PyTorch: {torch cu126}, in a new environment)",
                      "TRITON_CACHE_DIR=$(mktemp -d) CUDA_CACHE_DISABLE=1 python ...   (without the caches, if Triton "
                      "made it)"}},
        {.name = "illegal instruction",
         .needles = {"an illegal instruction was encountered", "cudaErrorIllegalInstruction",
                     "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
         .meaning =
             "The GPU executed an invalid instruction (code 715): a GPU that is overclocked, too hot or damaged, "
             "a bug of the driver, or a kernel that was built for another GPU.",
         .claims = {"001-12"},
         .remedies = {"CUDA_LAUNCH_BLOCKING=1 python ...   (always the same kernel, or another each time?)",
                      look("nvidia-smi -q -d TEMPERATURE,ECC,CLOCK; sudo dmesg | grep -i xid"),
                      machine("nvidia-smi --reset-gpu-clocks, and end programs that overclock or undervolt"),
                      machine("update the driver   (undo: install the old one again)")},
         .hints = {{"windows", "CUDA_LAUNCH_BLOCKING=1 python ...   (always the same kernel, or another each time?)"},
                   {"windows",
                    machine("end programs that overclock or undervolt the GPU   (MSI Afterburner and such)")},
                   {"windows",
                    machine("update the driver   (NVIDIA's page, a clean installation; undo: the old one)")}}},
        {.name = "kernel failed",
         .needles = {"unspecified launch failure", "cudaErrorLaunchFailure", "CUDA_ERROR_LAUNCH_FAILED",
                     "hardware stack error", "invalid program counter"},
         .meaning = "A kernel failed in a way that CUDA does not name (code 719): an access out of bounds, or unstable "
                    "hardware or memory. Everything later fails too.",
         .claims = {"001-12"},
         .remedies = {"CUDA_LAUNCH_BLOCKING=1 python ...", "compute-sanitizer python ...",
                      look("sudo dmesg | grep -i xid")}},
        {.name = "kernel ran too long",
         .needles = {"the launch timed out and was terminated", "cudaErrorLaunchTimeout", "CUDA_ERROR_LAUNCH_TIMEOUT"},
         .meaning = "The GPU also draws a display, whose watchdog ended the kernel (code 702).",
         .claims = {"001-12"},
         .remedies = {"use a GPU without a display, or smaller steps", look("nvidia-smi -q | grep 'Display Active'")},
         .hints = {{"windows", smaller_steps},
                   {"windows", longer_watchdog},
                   {":\\", smaller_steps},
                   {":\\", longer_watchdog}}},
        {.name = "kernel needs too much",
         .needles = {"too many resources requested for launch", "cudaErrorLaunchOutOfResources",
                     "invalid configuration argument", "cudaErrorInvalidConfiguration"},
         .meaning = "The launch exceeds a limit of this GPU: threads, registers, shared memory or the grid, often of a "
                    "kernel that was tuned for another one, or of an empty tensor.",
         .remedies =
             {"use a smaller block or tile   (at most 1024 threads in a block, x*y*z; a grid of 0 is refused, too)",
              "look for a tensor without elements on the failing line"},
         .hints = {{"number of points at initialisation :  0",
                    look("head -c 300 DATA/sparse/0/points3D.ply   (the point cloud it starts from has no points)")},
                   {"number of points at initialisation :  0",
                    "make the point cloud anew   (convert.py or COLMAP; delete a points3D.ply that is empty)"},
                   {"rasterize_gaussians",
                    "print(gaussians.get_xyz.shape)   (before the failing line: 0, then all were pruned)"},
                   {"rasterize_gaussians",
                    "look at the loss: one that does not fall is of wrong poses or pictures, or a learning rate too "
                    "high"},
                   {".julia",
                    "k = @cuda launch=false kernel(...); CUDA.launch_configuration(k.fun).threads   (how many "
                    "threads fit; @cuda maxregs=64 lets more of them in)"},
                   {"gpuassert", of_the_launch},
                   {"gpuassert", registers},
                   {".cu ", of_the_launch},
                   {".cu ", registers},
                   {".cu:", of_the_launch},
                   {".cu:", registers}}},
        {.name = "uncorrectable ECC error",
         .needles = {"uncorrectable ECC error encountered", "cudaErrorECCUncorrectable",
                     "CUDA_ERROR_ECC_UNCORRECTABLE"},
         .meaning =
             "Memory of the GPU is damaged (code 214). Programs on it fail until it is reset; it may be replaced.",
         .claims = {"001-08"},
         .remedies = {look("nvidia-smi -q -d ECC,ROW_REMAPPER,PAGE_RETIREMENT"),
                      "CUDA_VISIBLE_DEVICES=1 python ...   (another GPU meanwhile)",
                      others("sudo nvidia-smi --gpu-reset -i 0   (only while no program uses that GPU)")}},
        {.name = "NVLink error",
         .needles = {"uncorrectable NVLink error detected", "cudaErrorNvlinkUncorrectable",
                     "Invalid access of peer GPU memory over nvlink", "CUDA_ERROR_NVLINK_UNCORRECTABLE"},
         .meaning = "A link between GPUs failed, or the peer at its other end did (code 220 or 721).",
         .claims = {"001-08"},
         .remedies = {look("nvidia-smi nvlink -e"), look("nvidia-smi -q | grep -A3 Fabric"),
                      look("sudo dmesg | grep -i xid")}},
        {.name = "invalid argument to CUDA",
         .needles = {"invalid argument", "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE"},
         .meaning = "A CUDA function was given an invalid value (code 1), most often by an extension built for another "
                    "version, or by expandable segments where memory is shared between processes.",
         .remedies = {"CUDA_LAUNCH_BLOCKING=1 python ...", "unset PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF"},
         .hints = {{"comfyui",
                    "python main.py --disable-pinned-memory --disable-async-offload   (copies of weights through "
                    "pinned memory, which some drivers refuse)"},
                   {"comfyui", "python main.py --disable-cuda-malloc   (PyTorch's own allocator)"},
                   {"comfyui", "start it without custom nodes   (--disable-all-custom-nodes: is it one of them?)"},
                   {"xgboost", "{torch}"},
                   {"xgboost", "CUDA_VISIBLE_DEVICES=0 python ...   (one GPU: several of different kinds fail so)"},
                   {"xgboost", look("python -c 'import xgboost; print(xgboost.__version__)'; nvidia-smi")}},
         .read = read_invalid_argument,
         .applies = [](std::string_view text,
                       std::size_t at) { return is_said_by_cuda(text, at) && !is_last_error_of_nccl(text, at); },
         .certain = false},
    };
}

}  // namespace tocuda::doctor
