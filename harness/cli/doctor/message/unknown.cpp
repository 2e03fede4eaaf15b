// tocuda, Apache-2.0.
#include "doctor/message/unknown.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "doctor/message/excerpt.hpp"

namespace tocuda::doctor {
namespace {

struct Look {
    std::vector<std::string_view> signs;  // any of them
    std::string_view answer;
};

const auto looks = std::to_array<Look>({
    {{"HIP out of memory", "HIP error", "hipError", "ROCm", "rocm/", "MIOpen"},
     "it looks like an error of an AMD GPU (ROCm), and tocuda knows those of NVIDIA"},
    {{"MPS backend", "mps:0", "'mps'", "\"mps\"", "MPSNDArray"},
     "it looks like an error of an Apple GPU (MPS), and tocuda knows those of NVIDIA"},
    {{"SYCL", "oneAPI", "xpu:0", "intel_extension_for_pytorch"},
     "it looks like an error of an Intel GPU (XPU), and tocuda knows those of NVIDIA"},
    {{"jaxlib", "XlaRuntimeError", "jax.errors"}, "it looks like an error of JAX, and tocuda knows those of PyTorch"},
    {{"tensorflow.python", "tensorflow/core"},
     "it looks like an error of TensorFlow, and tocuda knows those of PyTorch"},
    {{"NCCL INFO"},
     "it looks like the log of NCCL without a warning: paste the lines with NCCL WARN too, and the Python error"},
    {{"fatal error:", "ninja: build stopped", "nvcc fatal", "error: command '", "-> build/", "running build_ext"},
     "it looks like the output of a compiler or an installer, and no known fault of CUDA is in it: paste its first "
     "line "
     "with \"error\" too"},
});

// "SyntaxError: ...", "torch.X.SomeError: ...": the line that ends a traceback.
bool is_error_line(std::string_view line) {
    const auto end = line.find(": ");
    const auto name = line.substr(0, end);
    return end != std::string_view::npos && name.find(' ') == std::string_view::npos &&
           (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Warning"));
}

bool has_error_line(std::string_view text) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        if (is_error_line(text.substr(0, end))) return true;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return false;
}

}  // namespace

std::string what_it_looks_like(std::string_view text) {
    for (const auto& [signs, answer] : looks)
        if (std::ranges::any_of(signs, [&](auto sign) { return contains(text, sign); })) return std::string(answer);
    const bool traceback = contains(text, "Traceback (most recent call last)") || contains(text, "\", line ");
    if (traceback && !has_error_line(text))
        return "it looks like a part of a traceback: paste it to its last line, which names the error";
    if (has_error_line(text))
        return "it looks like an error of Python that has nothing to do with a GPU, or one that is not known here";
    return "paste what the program printed last, or `nvidia-smi`, `python -m torch.utils.collect_env`, `sudo dmesg | "
           "grep -i nvrm`";
}

}  // namespace tocuda::doctor
