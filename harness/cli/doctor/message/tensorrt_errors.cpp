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

constexpr auto which_tensorrt = look(
    "python -c 'import tensorrt; print(tensorrt.__version__)'; dpkg -l | grep nvinfer; nvidia-smi "
    "--query-gpu=name,compute_cap --format=csv");

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
        {which_tensorrt.what, Scope::look}};
}

// DeepStream builds the engine anew when the file is not there.
void read_age_of_engine(std::string_view text, std::size_t at, Explanation& told) {
    read_engine(text, at, told);
    if (!contains_any(text, {"deepstream", "DeepStream", "NvDsInfer"})) return;
    told.remedies = {
        "mv MODEL.engine MODEL.engine.old   (DeepStream builds it anew at its next start, from the model that "
        "the configuration names)",
        {which_tensorrt.what, Scope::look}};
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

std::vector<KnownError> errors_of_tensorrt() {
    return {
        {.name = "TensorRT does not fit what is there",
         .needles = {"Could not initialize cudnn", "cublasStatus == CUBLAS_STATUS_SUCCESS", "validateCaskKLibSize",
                     "TensorRT was linked against c", "Cudnn Error in "},
         .meaning =
             "Each version of TensorRT is built for one CUDA, cuDNN and cuBLAS, and for GPUs of its time; one of "
             "these is another here, or the GPU is newer than this TensorRT.",
         .remedies =
             {look("pip list | grep -iE 'tensorrt|nvidia'; dpkg -l | grep -E 'nvinfer|cudnn|cublas'; nvidia-smi"),
              "docker run --gpus all nvcr.io/nvidia/tensorrt:YY.MM-py3   (all of one age; RTX 50: 25.01 and newer)",
              "python3 -m venv fresh && fresh/bin/pip install tensorrt-cu12   (with the libraries that it needs)"}},
        {.name = "GPU newer than TensorRT",
         .needles = {"is not supported by this TensorRT release", "SM version not supported in this NVRTC version",
                     "Unsupported SM: 0x", "fixSMVerForNVRTC", "smVerHex2Dig", "Unsupported SM."},
         .meaning = "This TensorRT does not know the GPU: it is older than it, or newer than its support.",
         .remedies = {look("python -c 'import tensorrt; print(tensorrt.__version__)'; dpkg -l | grep nvinfer"),
                      "python3 -m venv fresh && fresh/bin/pip install tensorrt-cu12   (10.8 and newer know Blackwell, "
                      "10.x Turing and newer)",
                      "docker run --gpus all nvcr.io/nvidia/tensorrt:YY.MM-py3   (RTX 50: 25.01 and newer)",
                      "trtexec --onnx=MODEL --saveEngine=NEW   (an engine is for one TensorRT and GPU: make it anew)"}},
        {.name = "TensorRT cannot start CUDA",
         .needles = {"CUDA initialization failure with error: "},
         .meaning = "TensorRT's first call of CUDA failed, with CUDA's own number.",
         .remedies = {look(
                          "nvidia-smi | grep 'CUDA Version'; python -c 'import tensorrt; print(tensorrt.__version__)'"),
                      "use the TensorRT and CUDA of this JetPack   (on a Jetson)",
                      "docker run --gpus all nvcr.io/nvidia/tensorrt:YY.MM-py3   (of the driver's age, or update it)"},
         .read = read_code_of_tensorrt,
         .rank = Rank::warned},
        {.name = "engine of another TensorRT or GPU",
         .needles = {"engine plan file is generated on an incompatible device",
                     "engine plan file is not compatible with this version of TensorRT", "Version tag does not match",
                     "stdVersionRead == serializationVersion", "magicTagRead == magicTag",
                     "Assertion failed: d == a + length"},
         .meaning =
             "A TensorRT engine runs only with the version that built it, on GPUs of the same compute capability.",
         .remedies = {"trtexec --onnx=MODEL.onnx --saveEngine=MODEL.plan   (builds it anew, on this machine)",
                      look("python -c 'import tensorrt; print(tensorrt.__version__)'; nvidia-smi "
                           "--query-gpu=compute_cap --format=csv")},
         .read = read_age_of_engine},
        {.name = "plugin of TensorRT not loaded",
         .needles = {"IPluginCreator not found in Plugin Registry", "getPluginCreator could not find plugin",
                     "IPluginCreatorV3One", "Plugin not found, are the plugin name"},
         .meaning =
             "A layer of this engine or model is a plugin, and the library that has it was not loaded before the "
             "engine was read: TensorRT's own plugins have to be registered, others loaded.",
         .remedies = {"trt.init_libnvinfer_plugins(logger, '')   (before deserialize_cuda_engine: registers TensorRT's "
                      "own; C++: initLibNvInferPlugins)",
                      "ctypes.CDLL('PATH/libPLUGIN.so')   (before it, too: a plugin of the model's own; trtexec "
                      "--staticPlugins=PATH/libPLUGIN.so)",
                      look("strings MODEL.engine | grep -i _TRT | sort -u   (which plugins it names)"), which_tensorrt},
         .read = read_plugin},
        {.name = "operator that TensorRT's parser does not know",
         .needles = {"No importer registered for op", "Attempting to import as plugin", "Failed to parse the ONNX file",
                     "failed to parse onnx file", "Failed to parse onnx file", "Failed to parse ONNX file",
                     "Failure while parsing ONNX file", "Network must have at least one output",
                     "In node -1 (importModel)", "In node 0 (parseGraph)", "ModelImporter.cpp"},
         .meaning = "The parser of this TensorRT does not know an operator of the ONNX model, or not in this form; the "
                    "lines above name the node.",
         .remedies = {"polygraphy surgeon sanitize --fold-constants MODEL.onnx -o folded.onnx   (often removes such "
                      "nodes; or onnxsim)",
                      "use a newer TensorRT, or export the model with a lower opset   (opset_version=17)",
                      which_tensorrt},
         .read = read_parser,
         .applies =
             [](std::string_view text, std::size_t at) {
                 return is_of_tensorrt(text, at) && contains_any(text, {"rror", "ERROR", "FAILED", "[E]"});
             },
         .rank = Rank::symptom},
        {.name = "program written for another TensorRT",
         .needles = {"has no attribute 'build_cuda_engine'", "has no attribute 'max_workspace_size'",
                     "has no attribute 'get_binding_shape'", "has no attribute 'num_bindings'",
                     "has no attribute 'get_binding_index'", "has no attribute 'binding_is_input'",
                     "has no attribute 'get_binding_dtype'", "has no attribute 'get_binding_name'",
                     "has no attribute 'execute_async_v2'", "has no attribute 'max_batch_size'",
                     "has no attribute 'execute_async'", "has no attribute 'build_engine'",
                     "has no attribute 'num_io_tensors'", "has no attribute 'get_tensor_name'",
                     "has no attribute 'set_memory_pool_limit'", "has no attribute 'build_serialized_network'"},
         .meaning = "TensorRT 8 and 10 removed functions that older programs call (bindings by number, "
                    "max_workspace_size, build_engine), and older versions lack the new ones: this program was written "
                    "for another version than the one that is installed.",
         .remedies =
             {look("python -c 'import tensorrt; print(tensorrt.__version__)'"),
              "python3 -m venv fresh && fresh/bin/pip install 'tensorrt<10'   (a new environment, for a program "
              "that uses bindings; engines have to be built again)",
              "use the version of the program for TensorRT 10   (num_io_tensors, get_tensor_name, "
              "execute_async_v3)"},
         .near = {"tensorrt", "TensorRT", "trt"}},
        {.name = "DeepStream: library of the model missing",
         .needles = {"Could not open lib: ", "Could not open custom lib", "NVDSINFER_CUSTOM_LIB_FAILED"},
         .meaning = "The configuration of nvinfer names a library of the model's own (custom-lib-path) that is not "
                    "there or does not load: it has to be built on this machine first.",
         .remedies = {"CUDA_VER=11.4 make -C nvdsinfer_custom_impl_Yolo clean all   (in the model's sources; the CUDA "
                      "of this DeepStream: nvcc --version)",
                      look("ls -l PATH; ldd PATH   (that of custom-lib-path: is it there, and what does it lack?)")},
         .near = {"nvinfer", "NvDsInfer", "deepstream"}},
    };
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

std::vector<KnownError> errors_of_onnxruntime() {
    return {
        {.name = "ONNX Runtime without CUDA",
         .needles = {"Failed to create CUDAExecutionProvider", "onnxruntime_providers_cuda",
                     "'CUDAExecutionProvider' is not in available provider", "CUDA_PATH is set but CUDA wasn",
                     "Failed to create TensorrtExecutionProvider"},
         .meaning = "ONNX Runtime could not load its part for CUDA: a CUDA library or cuDNN of the version that it "
                    "was built for is not found, or the package onnxruntime (without GPU) hides onnxruntime-gpu. It "
                    "goes on with the CPU.",
         .remedies = {look("pip list | grep -iE 'onnxruntime|nvidia'; ldconfig -p | grep -E 'cublasLt|cudnn'"),
                      look("python -c 'import onnxruntime as o; print(o.__version__, o.get_available_providers())'"),
                      "import torch; onnxruntime.preload_dlls()   (before the session: takes PyTorch's libraries; 1.21 "
                      "and newer)",
                      environment("pip uninstall onnxruntime onnxruntime-gpu && pip install onnxruntime-gpu   (if both "
                                  "are there; undo: pip install onnxruntime)")},
         .read = read_missing_cuda_of_onnxruntime,
         .rank = Rank::symptom},
        {.name = "ONNX Runtime: logger not there yet",
         .needles = {"Attempt to use DefaultLogger but none has been registered"},
         .meaning = "ONNX Runtime wanted to log that its part for CUDA does not load, before anything had set up its "
                    "logging. Behind it is a CUDA library or cuDNN that is not found, or not of the version that "
                    "this package was built for.",
         .remedies =
             {"OrtEnv.Instance();   (C#, before the session's options: then the real error is shown; C++: make "
              "Ort::Env first)",
              look("ldconfig -p | grep -E 'cublasLt|cudnn'; echo $LD_LIBRARY_PATH   (Windows: where "
                   "cudnn64_*.dll cublasLt64_*.dll)"),
              "use the CUDA and cuDNN of this version   (1.8: CUDA 11.0 and cuDNN 8.0; 1.10 to 1.18: CUDA 11 and "
              "cuDNN 8; 1.19 and newer: CUDA 12 and cuDNN 9)"}},
    };
}

std::vector<KnownError> errors_of_opencv() {
    constexpr auto build_opencv =
        "cmake -DWITH_CUDA=ON -DWITH_CUDNN=ON -DOPENCV_DNN_CUDA=ON -DCUDA_ARCH_BIN=X.Y "
        "-DOPENCV_EXTRA_MODULES_PATH=../opencv_contrib/modules ...   (OpenCV built for the X.Y of this GPU, in an "
        "empty "
        "folder)";
    constexpr auto what_is_in_it = look(
        "python -c 'import cv2; print(cv2.__file__, cv2.getBuildInformation())' | grep -iE 'site|NVIDIA|cuDNN'; "
        "nvidia-smi --query-gpu=compute_cap --format=csv");
    return {
        {.name = "OpenCV without code for this GPU",
         .needles = {"OpenCV was not built to work with the selected device", "check CUDA_ARCH_PTX or CUDA_ARCH_BIN"},
         .meaning = "OpenCV has CUDA, but no code for this GPU's compute capability.",
         .remedies = {what_is_in_it, build_opencv}},
        {.name = "OpenCV without CUDA",
         .needles = {"The library is compiled without CUDA support", "No GPU support (The library",
                     "DNN module was not built with CUDA backend", "throw_no_cuda",
                     "module 'cv2.cuda' has no attribute", "module 'cv2' has no attribute 'cuda'",
                     "module 'cv2.cudacodec' has no attribute"},
         .meaning = "This OpenCV was built without CUDA, as the packages of PyPI, apt and conda are: what runs on the "
                    "GPU is only in one that is built for it.",
         .remedies = {what_is_in_it, build_opencv, "leave out cv2.cuda and DNN_BACKEND_CUDA   (on the CPU)"}},
    };
}

}  // namespace

std::vector<KnownError> tensorrt_errors() {
    auto all = errors_of_tensorrt();
    for (const auto& family : {errors_of_onnxruntime, errors_of_opencv}) {
        auto some = family();
        std::ranges::move(some, std::back_inserter(all));
    }
    return all;
}

}  // namespace tocuda::doctor
