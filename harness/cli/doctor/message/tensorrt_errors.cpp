// tocuda, Apache-2.0.
// What runs models beside LibTorch: TensorRT with DeepStream, ONNX Runtime, OpenCV.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto which_tensorrt =
    "python -c 'import tensorrt; print(tensorrt.__version__)'; dpkg -l | grep nvinfer; nvidia-smi "
    "--query-gpu=name,compute_cap --format=csv";

// "expecting compute 8.6 got compute 8.9", "expecting library version 8.5.1 got 8.6.0"
void read_engine(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text_near(text, at, 0, 400), 400) + " ";
    const auto built = between(message, "expecting ", " got ");
    const auto here = between(message, " got ", ",");
    if (built && here) told.arithmetic.push_back(fmt::format("it was built for {}, and here is {}", *built, *here));
}

// "Require cuDNN 9.* and CUDA 12.*, and the latest MSVC runtime."
void read_onnxruntime(std::string_view text, std::size_t, Explanation& told) {
    const auto need = between(text, "Failed to create CUDAExecutionProvider. Require ", ". Please");
    if (!need) return;
    const auto versions = need->substr(0, need->find(", and"));
    told.certain = true;
    told.meaning =
        "This ONNX Runtime does not find the libraries of the versions that it was built for, and goes on "
        "with the CPU: other ones, older or newer, are there or none.";
    told.arithmetic.push_back(fmt::format("it needs {}", versions));
    if (origin_of(text).jetson) {
        told.remedies = {
            {"dpkg -l | grep -E 'cudnn|cuda-libraries'   (what this JetPack has)", Scope::look},
            "pip install onnxruntime-gpu --index-url https://pypi.jetson-ai-lab.io/jp6/cu126   (a build for "
            "this JetPack, in a new environment)"};
        return;
    }
    told.remedies = {
        {"pip list | grep -iE 'onnxruntime|nvidia'; nvcc --version", Scope::look},
        "python3 -m venv fresh && fresh/bin/pip install 'onnxruntime-gpu[cuda,cudnn]'   (with its libraries; then, "
        "before the session: onnxruntime.preload_dlls())",
        "use the onnxruntime-gpu for the CUDA that is there   (1.18 and older: CUDA 11 and cuDNN 8; 1.19 and newer: "
        "CUDA 12 and cuDNN 9)"};
}

// "CUDA initialization failure with error: 222."
void read_code_of_tensorrt(std::string_view text, std::size_t at, Explanation& told) {
    struct Code {
        std::int64_t number;
        std::string_view means;
    };
    constexpr auto codes = std::to_array<Code>({{2, "the GPU's memory is full"},
                                                {35, "the driver is older than this CUDA"},
                                                {100, "CUDA sees no GPU"},
                                                {222, "the driver is older than this CUDA"},
                                                {999, "unknown error: is /dev/nvidia-uvm there?"}});
    const auto code = number_after(text_near(text, at, 0, 100), "with error: ");
    for (const auto& [number, means] : codes)
        if (code == number) told.arithmetic.push_back(fmt::format("{}: {}", number, means));
}

// "getPluginCreator could not find plugin CHUNK_TRT version 1.0", "Plugin not found ... Plugin name: X"
void read_plugin(std::string_view text, std::size_t at, Explanation& told) {
    const auto name = between(text_near(text, at, 300, 300), "could not find plugin ", " ");
    if (name && name->size() < 60)
        told.arithmetic.push_back(fmt::format("the engine was built with the plugin {}", *name));
    if (!contains_any(text, {"deepstream", "DeepStream", "NvDsInfer", "Deserialize engine failed from file"})) return;
    told.remedies = {
        "custom-lib-path=PATH/libnvdsinfer_custom_impl_Yolo.so   (in the nvinfer configuration: the library that has "
        "the plugin, built for this TensorRT)",
        "LD_PRELOAD=PATH/libPLUGIN.so deepstream-app -c ...   (a plugin in a library of its own)",
        {which_tensorrt, Scope::look}};
}

// DeepStream builds the engine anew when the file is not there.
void read_age_of_engine(std::string_view text, std::size_t at, Explanation& told) {
    read_engine(text, at, told);
    if (!contains_any(text, {"deepstream", "DeepStream", "NvDsInfer"})) return;
    told.remedies = {
        "mv MODEL.engine MODEL.engine.old   (DeepStream builds it anew at its next start, from the model that "
        "the configuration names)",
        {which_tensorrt, Scope::look}};
}

// "Could not open file ../weights/model.onnx", "No importer registered for op: NonZero"
void read_parser(std::string_view text, std::size_t, Explanation& told) {
    if (const auto file = between(text, "Could not open file ", "\n"); file && file->find(".onnx") != file->npos) {
        told.meaning = "The file of the model was not found, so that the parser read nothing.";
        told.certain = true;
        told.remedies = {{fmt::format("ls -l {}   (in the folder where the program was started)", *file), Scope::look}};
        return;
    }
    const auto op = between(text, "No importer registered for op: ", "\n");
    if (op && op->size() < 40)
        told.arithmetic.push_back(fmt::format("the operator is {}", op->substr(0, op->find('.'))));
}

bool is_of_tensorrt(std::string_view text, std::size_t at) {
    return contains_any(text_near(text, at, 3000, 1500), {"TRT", "TensorRT", "tensorrt", "nvinfer", "trtexec",
                                                          "(parseGraph)", "Network must have at least"});
}

// A program in C++, C# or Java: none of Python's packages has its libraries.
void tell_of_dll(Explanation& told) {
    told.remedies = {
        {"where cublasLt64_12.dll cudart64_12.dll cufft64_11.dll cudnn64_9.dll   (each must be found: ONNX Runtime "
         "1.19 "
         "and newer; before: cublasLt64_11.dll cudart64_110.dll cufft64_10.dll cudnn64_8.dll zlibwapi.dll)",
         Scope::look},
        {"dumpbin /dependents onnxruntime_providers_cuda.dll   (the very names; in Visual Studio's prompt)",
         Scope::look},
        {"install NVIDIA's CUDA Toolkit 12 and cuDNN 9   (before 1.19: CUDA 11.8 and cuDNN 8), and put their folders "
         "bin on PATH",
         Scope::machine},
        "copy onnxruntime_providers_shared.dll beside onnxruntime_providers_cuda.dll   (of the same release as "
        "onnxruntime.dll)"};
}

// Which library of onnxruntime-gpu is at fault, where a text says of which CUDA it is.
void read_missing_cuda_of_onnxruntime(std::string_view text, std::size_t at, Explanation& told) {
    const auto cuda = number_after(text, "cuda ");
    if (cuda && *cuda >= 12 && contains(text, "Failed to create CUDAExecutionProvider"))
        told.arithmetic.push_back(fmt::format(
            "the text names CUDA {}: onnxruntime-gpu up to 1.18 was built for CUDA 11, from 1.19 on for CUDA 12",
            *cuda));
    read_onnxruntime(text, at, told);
    if (!told.remedies.empty() || !contains(text, "failed with error 126")) return;
    told.certain = true;
    told.meaning =
        "Windows did not find a library that ONNX Runtime's part for CUDA needs (error 126): CUDA and cuDNN of "
        "the versions that it was built for are not on PATH. It goes on with the CPU.";
    if (!contains_any(text, {"site-packages", "import onnxruntime", ".py", "python", "Python", "pip "}))
        return tell_of_dll(told);
    told.remedies = {
        {"where cublasLt64_12.dll cudnn64_9.dll cudart64_12.dll   (onnxruntime-gpu 1.19 and newer needs these; before: "
         "cublasLt64_11.dll cudnn64_8.dll)",
         Scope::look},
        "python -m venv fresh && fresh\\Scripts\\pip install \"onnxruntime-gpu[cuda,cudnn]\"   (with its libraries; "
        "then, "
        "before the session: onnxruntime.preload_dlls())",
        {"install NVIDIA's CUDA Toolkit 12 and cuDNN 9 for it   (and their bin folders on PATH)", Scope::machine},
        "import torch   (before onnxruntime, where a PyTorch with the same CUDA and cuDNN is there)"};
}

bool fails_in_tensorrt(std::string_view text, std::size_t at) {
    return is_of_tensorrt(text, at) && contains_any(text, {"rror", "ERROR", "FAILED", "[E]"});
}

}  // namespace

Functions tensorrt_functions() {
    return {.readings = {{"read_code_of_tensorrt", read_code_of_tensorrt},
                         {"read_age_of_engine", read_age_of_engine},
                         {"read_plugin", read_plugin},
                         {"read_parser", read_parser},
                         {"read_missing_cuda_of_onnxruntime", read_missing_cuda_of_onnxruntime}},
            .conditions = {{"fails_in_tensorrt", fails_in_tensorrt}}};
}

}  // namespace tocuda::doctor
