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

constexpr auto which_gpu = "nvidia-smi --query-gpu=name,compute_cap --format=csv   (XY is 86 for 8.6)";
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
    told.remedies = {{which_gpu, Scope::look},
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
    told.remedies = {{which_gpu, Scope::look}, "{torch}"};
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
            "{torch cu128}   (in a new environment; cu128 has code for this GPU and needs driver 570 or newer, cu130 "
            "580)");
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

bool is_of_the_program(std::string_view text, std::size_t at) {
    return is_said_by_cuda(text, at) && !is_last_error_of_nccl(text, at);
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

Functions kernel_functions() {
    return {.readings = {{"read_capabilities", read_capabilities},
                         {"read_ptx_of_other_program", read_ptx_of_other_program},
                         {"read_invalid_argument", read_invalid_argument}},
            .conditions = {{"is_of_the_program", is_of_the_program}}};
}

}  // namespace tocuda::doctor
