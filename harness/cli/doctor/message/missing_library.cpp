// tocuda, Apache-2.0.
// Libraries of CUDA that are not found: the packages that have them, and what the program that asks for them needs.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/message/wheels.hpp"

namespace tocuda::doctor {
namespace {

constexpr int no_number = -1;

struct Package {
    std::string_view begin;  // of the file's name, without "lib"
    std::string_view package, folder;
    int ahead = no_number;  // by how much CUDA's number is ahead of that at the end of the file's name
};

constexpr auto packages = std::to_array<Package>({{"cublas", "nvidia-cublas", "cublas", 0},
                                                  {"nvrtc", "nvidia-cuda-nvrtc", "cuda_nvrtc", 0},
                                                  {"cudart", "nvidia-cuda-runtime", "cuda_runtime", 0},
                                                  {"nvJitLink", "nvidia-nvjitlink", "nvjitlink", 0},
                                                  {"cupti", "nvidia-cuda-cupti", "cuda_cupti", 0},
                                                  {"cudnn", "nvidia-cudnn", "cudnn"},
                                                  {"cufft", "nvidia-cufft", "cufft", 1},
                                                  {"curand", "nvidia-curand", "curand"},
                                                  {"cusolver", "nvidia-cusolver", "cusolver"},
                                                  {"cusparse.", "nvidia-cusparse", "cusparse"},
                                                  {"cusparseLt", "nvidia-cusparselt", "cusparselt"},
                                                  {"cufile", "nvidia-cufile", "cufile"},
                                                  {"nvshmem", "nvidia-nvshmem", "nvshmem"},
                                                  {"nvToolsExt", "nvidia-nvtx", "nvtx"},
                                                  {"cudss", "nvidia-cudss", ""},
                                                  {"nccl", "nvidia-nccl", "nccl"}});

// 12 of "libcublas.so.12", "nvrtc64_120_0.dll" and "cudart64_12.dll", 0 if the name does not tell.
std::int64_t cuda_of(std::string_view library, const Package& package) {
    if (package.ahead == no_number) return 0;
    auto number = number_after(library, ".so.");
    if (!number) number = number_after(library, "64_");
    return !number ? 0 : *number >= 50 ? *number / 10 : *number + package.ahead;
}

const Package* package_of(std::string_view library) {
    const auto plain = library.starts_with("lib") ? library.substr(3) : library;
    const auto* const found =
        std::ranges::find_if(packages, [&](const Package& one) { return plain.starts_with(one.begin); });
    return found == packages.end() ? nullptr : found;
}

void add_toolkit(std::string_view library, std::int64_t cuda, Explanation& told) {
    const auto version = cuda == 0 ? std::string() : fmt::format(" {}", cuda);
    told.remedies.emplace_back(fmt::format("find / -name '{}*' 2>/dev/null; ldconfig -p | grep -E 'cublas|cudnn'",
                                           library.substr(0, library.find(".so"))),
                               Scope::look);
    told.remedies.emplace_back(
        fmt::format("export LD_LIBRARY_PATH=FOLDER:$LD_LIBRARY_PATH   (the folder that has it, if there is one)"));
    told.remedies.emplace_back(
        fmt::format("install the libraries of CUDA{} and the cuDNN for it   (beside other versions; in a container: "
                    "FROM nvidia/cuda:VERSION-cudnn-runtime-ubuntu22.04)",
                    version),
        Scope::machine);
}

// True if the program that asks is one with a way of its own to get its libraries.
bool tell_of_program(std::string_view text, std::string_view library, const Package& package, Explanation& told) {
    const auto cuda = cuda_of(library, package);
    if (contains(text, "onnxruntime")) {
        const bool python =
            contains_any(text, {"onnxruntime_pybind", "site-packages", "dist-packages", ".py\"", "ImportError"});
        if (!python) {
            add_toolkit(library, cuda, told);
            told.remedies.emplace_back(
                "use a build of ONNX Runtime for the CUDA that is there   (1.19 and newer of "
                "onnxruntime-gpu: CUDA 12; before: CUDA 11)");
            return true;
        }
        told.remedies = {{"pip list | grep -iE 'onnxruntime|nvidia'", Scope::look},
                         "python3 -m venv fresh && fresh/bin/pip install 'onnxruntime-gpu[cuda,cudnn]'   (for CUDA 12, "
                         "with its libraries; then, before the session: onnxruntime.preload_dlls())"};
        add_package(text, library, told);
        return true;
    }
    if (contains_any(text, {"cupy", "CuPy", "cuml", "cudf", "rapids"})) {
        told.remedies = {{"pip list | grep -iE 'cupy|nvidia'   (cupy-cuda12x needs CUDA 12)", Scope::look}};
        add_package(text, library, told);
        told.remedies.emplace_back(
            fmt::format("conda create -n fresh -c conda-forge cupy cuda-version={}   (brings all that it needs)",
                        cuda == 11 ? 11 : 12));
        return true;
    }
    if (contains_any(text, {"paddle", "Paddle"})) {
        add_package(text, library, told);
        told.remedies.emplace_back(
            "python3 -m venv fresh && fresh/bin/pip install paddlepaddle-gpu -i "
            "https://www.paddlepaddle.org.cn/packages/stable/cu126/   (brings its libraries)");
        return true;
    }
    if (contains(text, "tensorflow") && !contains(text, "torch")) {
        told.remedies = {own_tensorflow};
        add_package(text, library, told);
        return true;
    }
    if (package.begin != "cudss") return false;
    told.meaning = "cuDSS, NVIDIA's solver for sparse systems, is not installed: no part of the CUDA toolkit has it.";
    if (!origin_of(text).jetson) add_package(text, library, told);
    told.remedies.emplace_back(
        "sudo apt install cudss   (from NVIDIA's repository, as on a Jetson; undo: sudo apt "
        "remove cudss)",
        Scope::machine);
    return true;
}

}  // namespace

// It brings a TensorFlow in C, and nothing of pip's helps it.
void tell_of_tensorflow_js(std::string_view text, Explanation& told) {
    const bool old = contains_any(text, {"cudart.so.10", "cudart64_10", "cudnn.so.7", "cudnn64_7"});
    const std::string_view cuda = old ? "10.1" : "11.2", cudnn = old ? "7.6" : "8.1";
    told.meaning = fmt::format(
        "tfjs-node-gpu brings a TensorFlow of its own, built for CUDA {} and cuDNN {}, and does not find these. "
        "It goes on with the CPU. What pip installs for Python does not help it.",
        cuda, cudnn);
    told.remedies = {
        fmt::format(
            "conda create -n cuda -c conda-forge cudatoolkit={} cudnn={}   (these libraries, in an environment of "
            "their own)",
            cuda, cudnn),
        "LD_LIBRARY_PATH=$(conda run -n cuda printenv CONDA_PREFIX)/lib node APP.js   (with them)",
        {fmt::format("install CUDA {} and cuDNN {} beside what is there   (NVIDIA's archives; their folders on "
                     "LD_LIBRARY_PATH, on Windows PATH)",
                     cuda, cudnn),
         Scope::machine}};
}

std::string_view package_with_kernels(std::string_view text) {
    constexpr std::string_view names =
        "nunchaku fvdb spconv flash_attn gsplat torch_scatter torch_sparse torch_cluster MinkowskiEngine xformers "
        "diff_gaussian_rasterization pointnet2 pytorch3d kaolin exllama nvdiffrast simple_knn sageattention mamba_ssm "
        "causal_conv1d auto_gptq mmcv natten torchsparse tinycudann deform_conv detectron2 ";
    for (auto rest = names; !rest.empty(); rest.remove_prefix(rest.find(' ') + 1))
        if (const auto name = rest.substr(0, rest.find(' ')); contains(text, name)) return name;
    return contains_any(text, {"gaussian_renderer", "cuda_rasterizer", "gaussian-splatting/"})
               ? "diff_gaussian_rasterization"
               : "";
}

bool names_package_for_gpus(std::string_view words) {
    constexpr auto packages_for_gpus = std::to_array<std::string_view>({"torch",
                                                                        "flash",
                                                                        "sage",
                                                                        "Sage",
                                                                        "xformers",
                                                                        "deepspeed",
                                                                        "DeepSpeed",
                                                                        "llama-cpp",
                                                                        "llama_cpp",
                                                                        "apex",
                                                                        "bitsandbytes",
                                                                        "causal",
                                                                        "mamba",
                                                                        "gsplat",
                                                                        "spconv",
                                                                        "mmcv",
                                                                        "mmdet",
                                                                        "detectron",
                                                                        "vllm",
                                                                        "cupy",
                                                                        "cudf",
                                                                        "cuml",
                                                                        "pycuda",
                                                                        "gptq",
                                                                        "awq",
                                                                        "exllama",
                                                                        "triton",
                                                                        "tiny",
                                                                        "gaussian",
                                                                        "knn",
                                                                        "nvdiffrast",
                                                                        "pytorch3d",
                                                                        "scatter",
                                                                        "inkowski",
                                                                        "pointnet",
                                                                        "lietorch",
                                                                        "transformer-engine",
                                                                        "transformer_engine",
                                                                        "amp_C",
                                                                        "sgl_kernel",
                                                                        "kaolin",
                                                                        "fused",
                                                                        "tensorrt",
                                                                        "gpu"});
    return std::ranges::any_of(packages_for_gpus, [&](auto each) { return contains(words, each); });
}

void add_package(std::string_view text, std::string_view library, Explanation& told) {
    const auto* const package = package_of(library);
    if (!package) return;
    const auto of_cudnn = package->begin == "cudnn" ? number_after(library, ".so.") : std::nullopt;
    if (of_cudnn && *of_cudnn < 8) {
        told.remedies.emplace_back(
            fmt::format("find / -name 'libcudnn.so.{}*' 2>/dev/null   (its folder on LD_LIBRARY_PATH)", *of_cudnn),
            Scope::look);
        told.remedies.emplace_back(
            fmt::format("conda create -n old cudatoolkit=10.1 cudnn={}   (pip has no cuDNN older than 8; a new "
                        "environment, with the program in it)",
                        *of_cudnn == 7 ? "7.6" : std::to_string(*of_cudnn)));
        told.remedies.emplace_back("use a newer version of the program   (that cuDNN is for GPUs up to Turing)");
        return;
    }
    const auto of_library = cuda_of(library, *package);
    if (of_library > 0 && of_library < 11) {  // no package of pip has those
        told.remedies.emplace_back(
            "pip install --force-reinstall --no-deps PACKAGE==VERSION   (the one that the traceback names, in a build "
            "for "
            "the torch that is there; undo: the version of before)",
            Scope::environment);
        return;
    }
    const auto cuda = of_library >= 11 ? of_library : contains_any(text, {"+cu13", "-cu13"}) ? 13 : 12;
    // Those of the toolkit itself have no suffix since CUDA 13.
    const bool plain = cuda >= 13 && package->begin != "cudnn" && package->begin != "nccl" &&
                       package->begin != "cusparseLt" && package->begin != "nvshmem";
    const auto name = plain ? std::string(package->package) : fmt::format("{}-cu{}", package->package, cuda);
    // The newest nvidia-cudnn has version 9, beside which that of 8 cannot be.
    const bool of_cudnn_8 = package->begin == "cudnn" && contains(library, ".so.8");
    told.remedies.emplace_back(
        of_cudnn_8
            ? fmt::format("pip install '{0}<9'   (has {1}; a torch of 2.4 or newer needs 9: then in an environment of "
                          "its own; undo: the version that was there)",
                          name, library)
            : fmt::format("pip install {0}   (has {1}; undo: pip uninstall {0})", name, library),
        Scope::environment);
    if (!package->folder.empty())
        told.remedies.emplace_back(
            fmt::format("export LD_LIBRARY_PATH=$(python -c 'import nvidia.{} as n; "
                        "print(list(n.__path__)[0])')/lib:$LD_LIBRARY_PATH",
                        package->folder));
}

namespace {

// A PyTorch that the text names is for another CUDA than what asks for the library.
void tell_of_other_cuda(std::string_view text, std::int64_t cuda, Explanation& told) {
    const auto named = cuda_named_in(text);
    if (!named || cuda == 0 || *named / 1000 == cuda || contains(text, "torch/_C")) return;
    told.arithmetic.push_back(fmt::format(
        "the PyTorch that the text names is for CUDA {}: another package asks for it, which was installed for CUDA {}",
        cuda_text(*named), cuda));
    told.remedies = {{fmt::format("pip list | grep -iE 'cu{}|nvidia|torch'   (which one is it?)", cuda), Scope::look},
                     {fmt::format("pip uninstall PACKAGE && pip install PACKAGE-cu{}   (its build for PyTorch's CUDA, "
                                  "by the name or version "
                                  "that its project gives; undo: the version that was there)",
                                  *named / 1000),
                      Scope::environment}};
}

// On Fedora and its like lib64 may be a folder of its own, and pip puts packages into both.
void tell_of_lib64(std::string_view text, Explanation& told) {
    if (!contains(text, "lib64/python3") || !contains(text, "torch/__init__.py")) return;
    told.arithmetic.emplace_back(
        "torch lies in lib64: where that is no link to lib, pip puts NVIDIA's packages into lib beside it, and torch "
        "looks "
        "for them in its own folder only");
    const auto at = text.find("lib64/python3");
    const auto python = text.substr(at + 6, text.substr(at + 6).find('/'));
    const auto begin = text.find_last_of(" \"'\n", at) + 1;  // npos + 1 is 0
    const auto root = text.substr(begin, at - begin);
    told.remedies = {
        {fmt::format("ls -d {0}lib*/{1}/site-packages/nvidia   (lib or lib64?)", root, python), Scope::look},
        fmt::format("export LD_LIBRARY_PATH=$(echo {0}lib/{1}/site-packages/nvidia/*/lib | tr ' ' ':')", root, python),
        "{torch}   (a new environment, in which lib64 is a link to lib: ls -ld fresh/lib64)"};
}

}  // namespace

void tell_of_missing_library(std::string_view text, std::size_t at, std::string_view library, Explanation& told) {
    const auto name = library.substr(library.rfind('/') + 1);  // npos + 1 is 0
    const auto* const package = package_of(name);
    if (!package) return;
    const auto cuda = cuda_of(name, *package);
    if (cuda != 0) told.arithmetic.push_back(fmt::format("what needs it was built for CUDA {}.x", cuda));
    if (contains(line_around(text, at), "error while loading shared libraries") && !contains(text, ".py\"")) {
        told.arithmetic.emplace_back("a program that is not of Python: it takes the libraries of the toolkit");
        add_toolkit(name, cuda, told);
        if (cuda != 0)
            told.remedies.emplace_back(fmt::format(
                "take the build of the program for the CUDA that is there   (this one is for CUDA {})", cuda));
        return;
    }
    if (!name.ends_with(".dll")) {
        const auto around = text_near(text, at, 3000, 3000);
        if (!tell_of_program(around, name, *package, told) && !contains(around, "torch") && !origin_of(text).jetson) {
            told.remedies = {
                {fmt::format("pip list | grep nvidia; ldconfig -p | grep {}", name.substr(0, name.find(".so"))),
                 Scope::look}};
            add_package(text, name, told);
        }
        tell_of_other_cuda(text, cuda, told);
        tell_of_lib64(text, told);
        return;
    }
    told.meaning =
        "Windows found no such library of NVIDIA's: no CUDA toolkit of that version is on PATH or CUDA_PATH.";
    told.remedies = {{fmt::format("where {}; echo %CUDA_PATH%", name), Scope::look},
                     {fmt::format("install NVIDIA's CUDA Toolkit{}   (beside other versions; it sets CUDA_PATH)",
                                  cuda == 0 ? "" : fmt::format(" {}", cuda)),
                      Scope::machine}};
    if (contains_any(text_near(text, at, 3000, 3000), {"cupy", "CuPy"}))
        told.remedies.emplace_back("conda create -n fresh -c conda-forge cupy   (brings the libraries that it needs)");
}

}  // namespace tocuda::doctor
