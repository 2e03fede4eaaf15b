// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "doctor/message/cut.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/message.hpp"

namespace tocuda::doctor {
namespace {

struct Look {
    std::vector<std::string_view> signs;  // any of them
    std::string_view answer;
};

const auto looks = std::to_array<Look>({
    {{"NPU out of memory", "torch_npu", "NPU function error", "npuSynchronize", "Ascend"},
     "it looks like an error of an Ascend NPU, and tocuda knows those of NVIDIA"},
    {{"HIP error: invalid device function", "HIP error: no kernel image", "hipErrorInvalidDeviceFunction",
      "hipErrorNoBinaryForGpu", "TensileLibrary"},
     "it looks like a build for ROCm without code for this AMD GPU, and tocuda knows those of NVIDIA. Compare "
     "`rocminfo | grep gfx` with `python -c 'import torch; print(torch.cuda.get_arch_list())'`; on Linux `export "
     "HSA_OVERRIDE_GFX_VERSION=11.0.0` (RDNA 3, as RX 7000; RDNA 2, as RX 6000: 10.3.0) takes the code of the nearest "
     "kin; builds for each gfx: https://github.com/ROCm/TheRock/blob/main/RELEASES.md"},
    {{"HIP out of memory", "HIP error", "HIPRTC", "HIP GPUs", "hipError", "ROCm", "rocm/", "+rocm", "MIOpen", "amdgpu",
      "AMD MI", "AMD Mi", "AMD Instinct", "AMD Radeon"},
     "it looks like an error of an AMD GPU (ROCm), and tocuda knows those of NVIDIA"},
    {{"MPS backend", "MPS device", "mps:0", "'mps'", "\"mps\"", "MPSNDArray", "MPS Tensor"},
     "it looks like an error of an Apple GPU (MPS), and tocuda knows those of NVIDIA"},
    {{"tensorflow.python", "tensorflow/core", "tensorflow/stream_executor", "tensorflow/compiler"},
     "it looks like an error of TensorFlow, and none of those that tocuda knows"},
    {{"SYCL", "xpu:0", "XPU out of memory", "level_zero", "torch/xpu", "torch\\xpu", "torch.xpu",
      "intel_extension_for_pytorch"},
     "it looks like an error of an Intel GPU (XPU), and tocuda knows those of NVIDIA"},
    {{"'PrivateUse1' backend"}, "it looks like an error of a backend of its own, and tocuda knows that of NVIDIA"},
    {{"jaxlib", "XlaRuntimeError", "jax.errors"}, "it looks like an error of JAX, and none of those that tocuda knows"},
    {{"shapes cannot be multiplied", "size mismatch for", "must match the size of tensor",
      "is invalid for input of size"},
     "it looks like shapes that do not fit: the program or its checkpoint is at fault, not a GPU"},
    {{"does not require grad and does not have a grad_fn"},
     "it looks like a loss that nothing can be trained by: all weights are frozen, or .detach(), .item() or no_grad() "
     "cut "
     "it off (gradient checkpointing of a model with adapters: model.enable_input_require_grads()), not a GPU"},
    {{"modified by an inplace operation", "Trying to backward through the graph a second time"},
     "it looks like a fault in how the program computes its gradients (a tensor changed in place, or backward() "
     "twice): "
     "torch.autograd.set_detect_anomaly(True) names the line; not a GPU"},
    {{"invalid load key", "failed finding central directory", "HeaderTooLarge", "MetadataIncompleteBuffer",
      "InvalidHeaderDeserialization", "invalid magic number; corrupt file", "The file might be corrupted",
      "failed reading zip archive"},
     "it looks like a file of weights that is damaged or only half there (a pointer of git-lfs, an aborted download): "
     "compare its size, and download it again; not a GPU"},
    {{"Error(s) in loading state_dict", "Missing key(s) in state_dict"},
     "it looks like a checkpoint of another model or version than the program builds (or saved with \"module.\" before "
     "each name, by DataParallel), not a GPU"},
    {{"ArrayMemoryError", "MemoryError: Unable to allocate"},
     "it looks like memory of the host that NumPy wanted in one piece: a smaller array or type, or np.memmap; not a "
     "GPU"},
    {{"` requires `accelerate"},
     "it looks like a package that transformers needs: pip install accelerate, and start Python (the notebook's "
     "kernel) "
     "anew; not a GPU"},
    {{"stack expects each tensor to be equal size"},
     "it looks like samples of different sizes in a batch: resize them, or a collate_fn that pads; not a GPU"},
    {{"Expected more than 1 value per channel when training"},
     "it looks like a batch of one in a BatchNorm layer: DataLoader(..., drop_last=True), or a larger batch; not a "
     "GPU"},
    {{"got an unexpected keyword argument"},
     "it looks like packages of versions that do not fit one another: the last lines of the traceback name both, not a "
     "GPU"},
    {{"oom-killer", "Out of memory: Killed process", "Java heap space", "heap limit Allocation failed"},
     "it looks like memory of the host or of another program that is full, not that of a GPU"},
    {{"] Linux version ", "kernel: Linux version "},
     "it looks like a log of the kernel without a line of NVIDIA's driver: it was not loaded, or the log is cut"},
    {{"NCCL WARN"}, "it looks like a warning of NCCL that tocuda does not know: paste the Python error, too"},
    {{"NCCL INFO"},
     "it looks like the log of NCCL without a warning: paste the lines with NCCL WARN too, and the Python error"},
    {{"Microsoft Visual C++ 14"},
     "it looks like a package that is built here for want of a wheel: install Visual Studio's Build Tools with "
     "\"Desktop "
     "development with C++\", or a version of the package that has a wheel for this Python; not a GPU"},
    {{"fatal error:", "ninja: build stopped", "nvcc fatal", "error: command '", "-> build/", "running build_ext"},
     "it looks like the output of a compiler or an installer, and no known fault of CUDA is in it: paste its first "
     "line with \"error\" too"},
});

// Words of CUDA: an error that has them may be of a GPU, and tocuda only does not know it.
constexpr auto of_gpus = std::to_array<std::string_view>(
    {"cuda",   "CUDA", "Cuda", "THC",       "nvcc",        "nccl",   "NCCL", "nvidia", "NVIDIA",  "cudnn",
     "cublas", "GPU",  ".cu:", "NPU",       "XPU",         "triton", "'to'", "Tensor", " tensor", "torch",
     "Torch",  "bf16", "fp16", "precision", "accelerator", "EGL",    "cupy", "Cupy",   "CuPy"});

bool ends_with_error(std::string_view name) {
    return name != "Error" && name != "Exception" && name != "Warning" &&
           (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Warning"));
}

// "SyntaxError: ...", "[rank0]: torch.X.SomeError: ...", "E   OSError: ...": the line that ends a traceback.
bool is_error_line(std::string_view line) {
    const auto end = line.find("Error: ") != std::string_view::npos       ? line.find("Error: ") + 5
                     : line.find("Exception: ") != std::string_view::npos ? line.find("Exception: ") + 9
                     : line.find("Warning: ") != std::string_view::npos   ? line.find("Warning: ") + 7
                                                                          : std::string_view::npos;
    if (end == std::string_view::npos) return false;
    const auto before = line.substr(0, end);
    const auto begin = before.find_last_of(" \t");
    const auto prefix = line.substr(0, begin == std::string_view::npos ? 0 : begin);
    const bool is_prefix = prefix.empty() || prefix.front() == '[' || prefix.front() == '(' || prefix.front() == 'E';
    return is_prefix && ends_with_error(before.substr(begin == std::string_view::npos ? 0 : begin + 1));
}

std::string_view last_line(std::string_view text, bool (*is_one)(std::string_view line)) {
    std::string_view last;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        if (is_one(text.substr(0, end))) last = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return last;
}

constexpr std::string_view look_in_list =
    "`tocuda list \"...\"` with a few of its words finds the claims and benchmarks about it";

// One line of several words, as a person writes it.
bool is_sentence(std::string_view text) {
    constexpr std::size_t most = 200;
    constexpr std::ptrdiff_t fewest = 3;  // spaces
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    return text.size() <= most && !contains_any(text, {"\n", "rror", "ERR", "fatal", "FATAL", "ail"}) &&
           std::ranges::count(text, ' ') >= fewest;
}

// It ends with letters, in the line of an error that libraries raise.
bool may_be_cut(std::string_view text) {
    const auto end = text.find_last_not_of(" \t\r\n");
    const auto line = last_line(text, is_error_line);
    return end != std::string_view::npos &&
           (std::isalpha(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_') &&
           text.data() + end < line.data() + line.size() &&
           contains_any(line, {"RuntimeError: ", "ValueError: ", "AssertionError: "});
}

bool has_error_line(std::string_view text) { return !last_line(text, is_error_line).empty(); }

}  // namespace

std::string_view last_error_in(std::string_view text) {
    return last_line(text, [](std::string_view line) { return is_error_line(line) && !contains(line, "Warning: "); });
}

std::string what_it_looks_like(std::string_view text) {
    const auto last = text.find_last_not_of(" \t\r\n");
    if (last == std::string_view::npos) return "it is empty: paste what the program printed last";
    if (text[last] == '?' && text.substr(0, last).find('\n') == std::string_view::npos)
        return "it looks like a question: " + std::string(look_in_list);
    for (const auto& [signs, answer] : looks)
        if (std::ranges::any_of(signs, [&](auto sign) { return contains(text, sign); })) return std::string(answer);
    const bool traceback = contains(text, "Traceback (most recent call last)") || contains(text, "\", line ");
    if (traceback && !has_error_line(text))
        return "it looks like a part of a traceback: paste it to its last line, which names the error";
    if (const auto words = cut_words_in(text); !words.empty())
        return fmt::format("it seems cut after \"{}\": paste that line to its end", words);
    const bool of_gpu = std::ranges::any_of(of_gpus, [&](auto word) { return contains(text, word); });
    if (has_error_line(text) && of_gpu)
        return "it looks like a Python error that tocuda does not know: paste more of what is before it, or run "
               "`tocuda doctor` on that machine";
    if (may_be_cut(text))
        return "it looks like an error of Python with no word of a GPU in it; if its line is cut, paste it to its end";
    if (has_error_line(text)) return "it looks like an error of Python that has nothing to do with a GPU";
    const bool of_screen = contains_any(text, {"gpu", "raphic", "isplay", "ulkan", "Xid", "NVRM", "llama"});
    if (!of_gpu && !of_screen &&
        contains_any(text, {"rror", "ERR!", "fatal: ", "FATAL", "undefined reference", "denied", "failed"}))
        return "it looks like an error of another program, and no word of a GPU is in it";
    if (is_sentence(text) && (of_gpu || contains(text, ".to(")))
        return fmt::format(
            "if it is a question, {}; else paste what the program printed last, or run `tocuda doctor` on "
            "that machine",
            look_in_list);
    return "run `tocuda doctor` on the machine itself, or paste what the program printed last, `nvidia-smi`, `python "
           "-m torch.utils.collect_env`, `sudo dmesg | "
           "grep -i nvrm`";
}

}  // namespace tocuda::doctor
