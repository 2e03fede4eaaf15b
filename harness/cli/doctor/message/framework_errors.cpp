// tocuda, Apache-2.0.
// What stands on LibTorch, or beside it: accelerate, bitsandbytes, attention kernels.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/message/wheels.hpp"

namespace tocuda::doctor {
namespace {

// "The quantization method awq is not supported for the current GPU. Minimum capability: 75. Current capability: 70."
void read_capability(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 100, 300);
    auto least = number_after(message, "Minimum capability");
    if (!least) least = number_after(message, "Min capability");
    const auto here = number_after(message, "Current capability");
    if (!least || !here || *least < 10 || *least > 999 || *here < 10 || *here > 999) return;
    told.arithmetic.push_back(fmt::format("it needs compute capability {}.{}, and this GPU has {}.{}", *least / 10,
                                          *least % 10, *here / 10, *here % 10));
}

// xformers is there with its kernels, and only the torch beside it is one for the CPU.
void tell_of_torch_for_xformers(std::string_view text, std::string_view built, std::string_view here,
                                Explanation& told) {
    told.certain = true;
    told.arithmetic.push_back(
        fmt::format("{} is a build for the CPU: a torch {} is all that this xformers lacks", here, built));
    const auto origin = origin_of(text);
    told.remedies = {
        {"nvidia-smi   (first: is there an NVIDIA GPU at all?)", Scope::look},
        {fmt::format("{}pip install --upgrade torch=={} torchvision --index-url https://download.pytorch.org/whl/{}   "
                     "(that very build{}; undo: the same with torch=={} and whl/cpu)",
                     origin.own_python.empty() ? "" : origin.own_python + " -m ", built,
                     built.substr(built.find('+') + 1),
                     origin.own_python == "PYTHON" ? "; PYTHON: that of the program, python_embeded\\python or of its "
                                                     "venv"
                                                   : "",
                     here),
         Scope::environment},
        "{torch} xformers   (the newest of both)",
        "leave xformers out   (most programs then take PyTorch's own attention)"};
    if (!origin.own_python.empty()) told.remedies.erase(told.remedies.begin() + 2);
}

// What each kernel of xformers has against the request stands behind "is not supported because:".
void read_xformers(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text.substr(at), 4000);
    if (contains(message, "device=cpu (supported")) {
        told.error = "xformers: tensors on the CPU";
        told.meaning = "The tensors are on the CPU, and the kernels of xformers run on the GPU only.";
        told.remedies = {{"python -c 'import torch; print(torch.cuda.is_available())'", Scope::look},
                         "model.to('cuda'); x = x.to('cuda')   (move both)",
                         "leave xformers out   (on the CPU; as --xformers of the web UI)"};
        return;
    }
    const bool misaligned = contains(message, "attn_bias.stride(") || contains(message, "is not correctly aligned");
    const auto built = between(message, "PyTorch ", " with CUDA");
    const auto here = between(message, "(you have ", ")");
    if (built && here && built->size() < 40 && here->size() < 40) {
        told.arithmetic.push_back(fmt::format("xformers is built for PyTorch {}, and {} is there", *built, *here));
        if (const auto build = built->find("+cu"); contains(*here, "+cpu") && build != built->npos)
            return tell_of_torch_for_xformers(text, *built, *here, told);
        read_build(message.substr(0, 500), 0, told);
        const auto fitting = xformers_for(*here);
        if (!fitting.empty() && told.remedies.empty())
            told.remedies.emplace_back(
                fmt::format("pip install --no-deps xformers=={}   (the one that is built for torch {}; "
                            "undo: pip uninstall xformers)",
                            fitting, here->substr(0, here->find('+'))),
                Scope::environment);
        told.remedies.emplace_back("{torch} xformers   (a new environment: both of one build)");
        told.remedies.emplace_back("use torch.nn.functional.scaled_dot_product_attention instead of xformers");
        return;
    }
    if (!misaligned) {
        if (const auto one = between(message, "capability (", ")"); one && contains(message, "(too old)"))
            told.arithmetic.push_back(fmt::format("some of its kernels need a newer GPU than this one ({})", *one));
        return;
    }
    told.error = "xformers: attn_bias is misaligned";
    told.meaning = "The kernel that could compute this needs rows of attn_bias that begin at multiples of 8 elements.";
    const auto found = message.find("HINT: ");
    if (found != std::string::npos) told.arithmetic.push_back(message.substr(found, 300));
    told.remedies = {
        "attn_bias = torch.zeros([batch, heads, rows, (columns + 7) // 8 * 8])[..., :columns]   (slicing a bigger "
        "tensor keeps the rows aligned)",
        "use torch.nn.functional.scaled_dot_product_attention instead of xformers"};
}

// bfloat16 needs another type, and no other attention.
void read_bfloat16(std::string_view text, std::size_t at, Explanation& told) {
    const auto words = text_near(text, at, 0, 400);
    if (words.starts_with("efficient"))
        told.meaning =
            "The device that CTranslate2 (faster-whisper, whisperX) runs on has no fast arithmetic of this type: it is "
            "the CPU, because no GPU was found, or a GPU older than compute capability 7.0.";
    if (!words.starts_with("Bfloat16") && !words.starts_with("bfloat16") && !words.starts_with("CUDA Device")) return;
    if (contains(text, "GPUs with compute capability below 7.0 are not supported")) {
        told.meaning = "vLLM needs compute capability 7.0 (V100) or newer, and this GPU is older; bfloat16 needs 8.0.";
        told.remedies = {"use llama.cpp or Ollama with a GGUF model   (they run on older GPUs)",
                         "run it on a newer GPU   (7.0 and newer, with --dtype half)"};
        return;
    }
    told.meaning = "This GPU is too old for bfloat16, which needs compute capability 8.0.";
    if (contains_any(words, {"--dtype=half", "--dtype half"}))
        told.remedies.emplace_back("vllm serve ... --dtype half   (float16)");
    told.remedies.emplace_back(
        "dtype=torch.float16   (instead of bfloat16; many programs: --dtype float16; Trainer: fp16=True, bf16=False)");
    told.remedies.emplace_back("nvidia-smi --query-gpu=name,compute_cap --format=csv", Scope::look);
}

constexpr auto newer_bitsandbytes =
    "pip freeze > before.txt && pip install 'bitsandbytes>=0.43'   (undo: pip install -r before.txt)";
constexpr auto which_bitsandbytes =
    "python -c 'import bitsandbytes; print(bitsandbytes.__version__, bitsandbytes.__file__)'   (site-packages, or "
    "a checkout?)";

// "/notebooks/bitsandbytes/bitsandbytes/libbitsandbytes_cpu.so": a checkout, in which nothing was built.
void read_bitsandbytes(std::string_view text, std::size_t, Explanation& told) {
    if (const auto version = number_after(text, "BNB_CUDA_VERSION="); version && *version >= 100)
        told.arithmetic.push_back(
            fmt::format("BNB_CUDA_VERSION asks for CUDA {}.{}, whatever PyTorch has", *version / 10, *version % 10));
    if (contains_any(text, {"CUDA SETUP: ", "CUDA Setup failed despite GPU"})) {
        told.arithmetic.emplace_back("only bitsandbytes before 0.43 says so, which does not take the CUDA of PyTorch");
        told.remedies.emplace_back(newer_bitsandbytes, Scope::environment);
        told.remedies.emplace_back(which_bitsandbytes, Scope::look);
    }
    const auto at = text.find("bitsandbytes/bitsandbytes/");
    if (at == std::string_view::npos || text.substr(0, at).ends_with("-packages/")) return;
    told.meaning =
        "The folder of bitsandbytes' sources, in which nothing was built, is imported instead of the package.";
    told.remedies = {
        {"cd / && python -m bitsandbytes   (out of that folder: does the package work?)", Scope::look},
        {"pip install bitsandbytes   (if it is not installed; undo: pip uninstall bitsandbytes)", Scope::environment},
        {"cmake -DCOMPUTE_BACKEND=cuda -S . && make && pip install -e .   (or builds it there; undo: pip uninstall "
         "bitsandbytes)",
         Scope::environment},
        "unset BNB_CUDA_VERSION   (unless another CUDA than PyTorch's is wanted)"};
}

}  // namespace

Functions framework_functions() {
    return {.readings = {{"read_bitsandbytes", read_bitsandbytes},
                         {"read_bfloat16", read_bfloat16},
                         {"read_capability", read_capability},
                         {"read_xformers", read_xformers}}};
}

}  // namespace tocuda::doctor
