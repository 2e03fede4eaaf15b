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
        tell_of_build(message.substr(0, 500), told);
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
    environment("pip freeze > before.txt && pip install 'bitsandbytes>=0.43'   (undo: pip install -r before.txt)");
constexpr auto which_bitsandbytes = look(
    "python -c 'import bitsandbytes; print(bitsandbytes.__version__, bitsandbytes.__file__)'   (site-packages, or "
    "a checkout?)");

// "/notebooks/bitsandbytes/bitsandbytes/libbitsandbytes_cpu.so": a checkout, in which nothing was built.
void read_bitsandbytes(std::string_view text, std::size_t, Explanation& told) {
    if (const auto version = number_after(text, "BNB_CUDA_VERSION="); version && *version >= 100)
        told.arithmetic.push_back(
            fmt::format("BNB_CUDA_VERSION asks for CUDA {}.{}, whatever PyTorch has", *version / 10, *version % 10));
    if (contains_any(text, {"CUDA SETUP: ", "CUDA Setup failed despite GPU"})) {
        told.arithmetic.emplace_back("only bitsandbytes before 0.43 says so, which does not take the CUDA of PyTorch");
        for (const auto& [what, scope] : {newer_bitsandbytes, which_bitsandbytes})
            told.remedies.emplace_back(what, scope);
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

std::vector<KnownError> framework_errors() {
    constexpr auto newer =
        "pip freeze > before.txt && pip install --upgrade transformers accelerate bitsandbytes   (versions that fit "
        "one another; undo: pip install -r before.txt)";
    return {
        {.name = "bitsandbytes not usable",
         .needles = {"Using `load_in_8bit=True` requires", "Using `bitsandbytes` 8-bit quantization requires",
                     "Using `bitsandbytes` 4-bit quantization requires"},
         .meaning = "transformers does not find accelerate or bitsandbytes in this Python, or of another version; "
                    "older ones say the same where PyTorch sees no GPU.",
         .remedies = {look("python -c 'import torch, accelerate, bitsandbytes; print(torch.cuda.is_available())'"),
                      environment(newer)},
         .certain = false},
        {.name = "package without CUDA",
         .needles = {"ot compiled with GPU support", "ot compiled with CUDA support",
                     "Tree Learner was not enabled in this build", "Compiling mmcv._ext without CUDA",
                     "CUDA extension not installed", "Exllama kernel is not installed", "without CUDA support",
                     "not compiled with CUDA enabled", "Please compile with CUDA enabled",
                     "exllama_kernels not installed", "_impl: implementation for device cuda",
                     "exllamav2_kernels not installed", "name 'autogptq_cuda", "name 'exllama_import_exception'",
                     "Exllamav2 kernel is not installed"},
         .meaning = "This package (detectron2, mmcv, torch_scatter, XGBoost or the like) was built without CUDA: "
                    "where it was built there was no nvcc, or PyTorch saw no GPU there.",
         .remedies = {look("python -c 'import torch; from torch.utils.cpp_extension import CUDA_HOME; "
                           "print(torch.cuda.is_available(), torch.version.cuda, CUDA_HOME)'   (all three are needed)"),
                      environment(
                          "FORCE_CUDA=1 pip install --no-build-isolation --no-cache-dir --force-reinstall --no-deps "
                          "EXTENSION   (builds it anew; undo: pip install the version that pip list showed)")},
         .hints =
             {{"gptq",
               look("pip list | grep -iE 'gptq|torch|optimum|transformers'; nvcc --version   (one for this torch?)")},
              {"gptq",
               "python3 -m venv fresh && fresh/bin/pip install torch && fresh/bin/pip install gptqmodel "
               "--no-build-isolation   (AutoGPTQ's successor, which transformers uses now; in a new environment)"},
              {"gptq",
               environment(
                   "BUILD_CUDA_EXT=1 pip install --no-build-isolation --no-cache-dir --force-reinstall --no-deps "
                   "auto-gptq   (builds it here, by nvcc of PyTorch's CUDA; undo: the version that pip list "
                   "showed)")},
              {"gptq", "GPTQConfig(bits=4, use_exllama=False)   (without these kernels: slow)"},
              {"ctranslate2",
               "WhisperModel(..., device='cpu')   (PyPI's CTranslate2 has CUDA on x86-64 only; elsewhere it has to be "
               "built)"},
              {"_impl: implementation for device",
               environment("pip install -U openmim && mim install mmcv   (a wheel with CUDA for this PyTorch, if "
                           "there is one; undo: the version that pip list showed)")},
              {"_impl: implementation for device",
               environment("MMCV_WITH_OPS=1 FORCE_CUDA=1 pip install --no-binary mmcv mmcv   (else: builds it)")},
              {"torch_scatter", environment("pip install --force-reinstall --no-cache-dir torch_scatter -f "
                                            "https://data.pyg.org/whl/torch-X.Y.Z+cuNNN.html   (X.Y.Z and NNN as "
                                            "torch.__version__ shows them; likewise torch_sparse)")},
              {"tree learner",
               environment("pip install lightgbm --no-binary lightgbm --config-settings=cmake.define.USE_CUDA=ON  "
                           " (then device_type='cuda'; undo: pip install --force-reinstall lightgbm)")},
              {"xgboost", "python3 -m venv fresh && fresh/bin/pip install xgboost   (PyPI's wheels have CUDA)"},
              {"xgboost", "conda create -n fresh -c conda-forge py-xgboost-gpu   (conda's own build)"}}},
        {.name = "quantized model is moved",
         .needles = {"`.to` is not supported for `4-bit` or `8-bit`", "`.to` is not supported for `8-bit`",
                     "`.to` is not supported for `4-bit`", "Calling `cuda()` is not supported for `4-bit`",
                     "Calling `to()` is not supported for `4-bit`"},
         .meaning = "A model that bitsandbytes has quantized stands where it was loaded, and .to() is refused: the "
                    "program calls it, or accelerate and transformers are of versions that do not fit.",
         .remedies = {"take the .to(device) or .cuda() of this model out; place it with device_map when it is loaded",
                      look("pip list | grep -iE 'transformers|accelerate|bitsandbytes'"), environment(newer)}},
        {.name = "model does not fit the GPU",
         .needles = {"modules are dispatched on the CPU or the disk", "Found modules on cpu/disk"},
         .meaning = "device_map found too little memory on the GPU and put parts of the model on the CPU or disk, "
                    "which this quantization does not allow.",
         .remedies = {look("nvidia-smi   (is something else on the GPU?)"),
                      "use a smaller model, or 4 bits instead of 8",
                      "BitsAndBytesConfig(llm_int8_enable_fp32_cpu_offload=True) with a device_map of one's own"},
         .hints = {{"exllama", look("nvidia-smi   (is something else on the GPU?)")},
                   {"exllama", "device_map={'': 0}   (all on the GPU, if it fits)"},
                   {"exllama",
                    "GPTQConfig(bits=4, use_exllama=False)   (its other kernels may leave a part on the CPU)"}}},
        {.name = "bitsandbytes without its library",
         .needles = {"Could not find the bitsandbytes CUDA binary", "bitsandbytes was compiled without GPU support",
                     "Could not load bitsandbytes native library", "CUDA Setup failed despite CUDA being available",
                     "libbitsandbytes_cpu.so: undefined symbol",
                     "The installed version of bitsandbytes was compiled without GPU",
                     "Required library version not found: libbitsandbytes", "bitsandbytes library load error",
                     "Configured CUDA binary not found at", "'NoneType' object has no attribute 'cadam",
                     "'NoneType' object has no attribute 'cquantize", "'NoneType' object has no attribute 'cdequantize",
                     "'NoneType' object has no attribute 'cget_", "object has no attribute 'cget_col_row_stats'"},
         .meaning = "bitsandbytes has no binary for this CUDA, or does not find the runtime; or the folder of its "
                    "sources, in which nothing was built, is imported instead of the package.",
         .remedies = {which_bitsandbytes, look("python -m bitsandbytes"), newer_bitsandbytes},
         .read = read_bitsandbytes},
        {.name = "bitsandbytes without its library",
         .needles = {"CUDA_SETUP: WARNING!", "CUDA SETUP: WARNING!", "CUDA SETUP: CUDA detection failed",
                     "CUDA SETUP: Problem:", "CUDA SETUP: Setup Failed",
                     "CUDA Setup failed despite GPU being available", "CUDA SETUP: Something unexpected",
                     "libbitsandbytes_cpu.so", "CUDA SETUP: Solution"},
         .meaning =
             "This is bitsandbytes before 0.43: it searches the folders of the system for a CUDA runtime instead of "
             "taking that of PyTorch, and has no build for Windows. It found none and took its part for the CPU.",
         .remedies = {newer_bitsandbytes, which_bitsandbytes,
                      look("python -c 'import torch; print(torch.version.cuda, torch.cuda.is_available())'")},
         .hints = {{"orin", which_bitsandbytes},
                   {"orin",
                    "cmake -DCOMPUTE_BACKEND=cuda -S . && make && pip install .   (in its sources: no wheel of "
                    "this version has a binary for a Jetson)"}},
         .rank = Rank::symptom},
        {.name = "FlashAttention is not installed",
         .needles = {"package flash_attn seems to be not installed", "No module named 'flash_attn",
                     "flash_attn is not installed", "FlashAttention2 has been toggled on, but it cannot be used"},
         .meaning = "The program asks for FlashAttention, whose package flash-attn is not there or does not load.",
         .remedies =
             {"model = Model.from_pretrained(..., attn_implementation='sdpa')   (PyTorch's own, nearly as fast)",
              look("python -c 'import flash_attn'   (does it load?)"),
              environment("pip install flash-attn --no-build-isolation   (needs nvcc, or a wheel for this torch; undo: "
                          "pip uninstall flash-attn)")}},
        {.name = "FlashAttention with another type",
         .needles = {"FlashAttention only support fp16 and bf16", "FlashAttention only supports fp16 and bf16"},
         .meaning =
             "FlashAttention computes in half precision only, and here the model or its input is in another type.",
         .remedies = {"Model.from_pretrained(..., dtype=torch.bfloat16)   (older versions: torch_dtype=)",
                      "with torch.autocast('cuda', dtype=torch.bfloat16): ...", "attn_implementation='sdpa'"}},
        {.name = "GPU too old for this kernel",
         .needles = {"FlashAttention only supports Ampere",
                     "FlashAttention only supports Turing",
                     "FlashAttention only supports Hopper",
                     "requires A100 or H100 GPUs",
                     "only supports Ampere GPUs",
                     "Bfloat16 is only supported on GPUs with compute capability",
                     "bfloat16 is only supported on GPUs with compute capability",
                     "FlashAttention-3 only supports",
                     "Only support FP16/BF16 on sm",
                     "CUDA Device does not support bfloat16",
                     "Expected is_sm80",
                     "requires Flash Attention",
                     "requires FlashAttention",
                     "requires CUDA compute capability",
                     "requires compute capability",
                     "only supported on compute capability",
                     "efficient float16 computation",
                     "efficient int8_float16 computation",
                     "GPUs with compute capability below",
                     "is_sm80 || is_sm90"},
         .meaning = "The kernel needs a newer generation than this GPU: bfloat16 and FlashAttention 2 need compute "
                    "capability 8.0.",
         .remedies = {"model = Model.from_pretrained(..., attn_implementation='sdpa')   (instead of FlashAttention)",
                      "torch.backends.cuda.enable_flash_sdp(False)   (if it is PyTorch's own: another kernel is taken)",
                      "dtype=torch.float16   (instead of bfloat16; vLLM: --dtype half)"},
         .hints = {{"vllm",
                    "vllm serve ... --attention-backend TRITON_ATTN   (older ones: VLLM_ATTENTION_BACKEND=XFORMERS)"},
                   {"vllm", "vllm serve ... --dtype half   (instead of bfloat16)"},
                   {"sglang", "python -m sglang.launch_server --attention-backend triton --sampling-backend pytorch"},
                   {"sglang", "python -m sglang.launch_server --dtype half ...   (instead of bfloat16)"},
                   {"efficient float16",
                    "compute_type='int8' or 'float32'   (faster-whisper; whisperX: --compute_type int8)"},
                   {"efficient float16",
                    look("python -c 'import ctranslate2; print(ctranslate2.get_cuda_device_count())'; nvidia-smi   (0: "
                         "it found no GPU)")}},
         .read = read_bfloat16},
        {.name = "GPU too old for this quantization",
         .needles = {"is not supported for the current GPU", "is not supported for ', 'the current GPU"},
         .meaning = "The weights are quantized in a way whose kernels in vLLM need a newer GPU.",
         .remedies = {look("nvidia-smi --query-gpu=name,compute_cap --format=csv"),
                      "use weights that are quantized in another way   (GPTQ, or GGUF in llama.cpp)",
                      "vllm serve MODEL --dtype half ...   (the weights that are not quantized, if they fit)"},
         .read = read_capability},
        {.name = "GPU too old for fp8",
         .needles = {"scaled_mm is only supported on CUDA devices", "fp8e4nv data type is not supported on CUDA arch",
                     "type fp8e4nv not supported in this architecture", "type fp8e4nv is not supported in this arch",
                     "required for FP8 execution", "FP8 quantized models is only supported", "FP8 models require a GPU",
                     "Float8 dynamic activation quantization is only supported", "f8e4m3nv is only supported"},
         .meaning = "Arithmetic in float8 (fp8) needs compute capability 8.9 or newer (RTX 40, L4, Hopper and later), "
                    "and this GPU is older.",
         .remedies = {look("nvidia-smi --query-gpu=name,compute_cap --format=csv"),
                      "use the weights in bfloat16, float16 or another quantization   (INT4, int8, GGUF), not a fp8 or "
                      "fast mode",
                      "TORCH_COMPILE_DISABLE=1 python ...   (if torch.compile wrote the kernel)"}},
        {.name = "xformers does not fit",
         .needles = {"xFormers wasn't build with CUDA support", "xFormers wasn't built with CUDA support",
                     "No operator found for `memory_efficient_attention_forward`",
                     "xFormers can't load C++/CUDA extensions"},
         .meaning = "xformers was built for another PyTorch or CUDA, or has no kernel for this GPU and type.",
         .remedies = {look("python -m xformers.info"),
                      "use torch.nn.functional.scaled_dot_product_attention instead of xformers",
                      "{torch} xformers   (a new environment: both of one build)",
                      environment(
                          "pip uninstall xformers   (most programs then take PyTorch's own attention; undo: pip "
                          "install xformers==VERSION)")},
         .read = read_xformers},
    };
}

}  // namespace tocuda::doctor
