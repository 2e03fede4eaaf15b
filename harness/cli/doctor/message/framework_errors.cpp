// tocuda, Apache-2.0.
// What stands on LibTorch: vLLM, accelerate, bitsandbytes, attention kernels.
#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

double number_in(std::string_view text) {
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

// "Free memory on device (31.44/47.38 GiB) on startup is less than desired GPU memory utilization (0.95, 45.01 GiB)"
void read_free_memory(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text.substr(at), 300);
    const auto free = between(message, "(", "/");
    const auto total = between(message, "/", " GiB");
    if (!free || !total || number_in(*total) <= 0) return;
    const auto used = number_in(*total) - number_in(*free);
    const auto most = std::floor(100 * number_in(*free) / number_in(*total)) / 100;
    told.arithmetic.push_back(fmt::format("others use {:.2f} of {:.2f} GiB: {:.2f} is the most that can be asked for",
                                          used, number_in(*total), most));
    told.remedies = {
        {"nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv   (who holds the rest)", Scope::look},
        fmt::format("vllm serve ... --gpu-memory-utilization {:.2f}", most),
        "CUDA_VISIBLE_DEVICES=1 vllm serve ...   (another GPU, if there is one)",
        {"end the other processes   (only your own, or after asking whoever runs them)", Scope::others}};
}

// "--gpu-memory-utilization 0.4", "gpu_memory_utilization=0.4", "gpu_memory_utilization (0.70)"; 0 if it is not there.
double share_asked_for(std::string_view text) {
    for (std::string_view label : {"gpu-memory-utilization", "gpu_memory_utilization", "GPU memory utilization"})
        for (auto at = text.find(label); at != std::string_view::npos; at = text.find(label, at + 1)) {
            const auto rest = text.substr(at + label.size(), 8);
            const auto begin = std::min(rest.find_first_not_of(" =('\":"), rest.size());
            if (const auto share = number_in(rest.substr(begin)); share > 0 && share <= 1) return share;
        }
    return 0;
}

// "total_gpu_memory (8.00GiB) x gpu_memory_utilization (0.70) = 5.60GiB", "model weights take 5.20GiB"
void read_share(std::string_view text, Explanation& told) {
    const auto total = between(text, "total_gpu_memory (", "GiB");
    const auto weights = between(text, "model weights take ", "GiB");
    const auto peak = between(text, "activation peak memory takes ", "GiB");
    const auto share = share_asked_for(text);
    if (total && weights && share > 0)
        told.arithmetic.push_back(fmt::format("{} GiB x {} = {:.2f} GiB for vLLM: weights {} GiB{}{}, nothing is left",
                                              *total, share, number_in(*total) * share, *weights,
                                              peak ? ", activations " : "", peak ? fmt::format("{} GiB", *peak) : ""));
    const bool small = share > 0 && share < 0.9;
    if (small) told.certain = true;
    told.remedies.emplace_back(
        fmt::format("vllm serve ... --gpu-memory-utilization 0.95{}",
                    small ? fmt::format("   (now {}: the rest of the GPU is not used)", share) : ""));
}

// "The model's max seq len (32768) is larger than the maximum number of tokens that can be stored in KV cache (13216)",
// "the estimated maximum model length is 44832"
void read_cache(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text_near(text, at, 300, 700), 1000);
    const auto wanted = number_after(message, "max seq len (");
    auto fits = number_after(message, "stored in KV cache (");
    if (!fits) fits = number_after(message, "estimated maximum model length is ");
    if (wanted && fits) told.arithmetic.push_back(fmt::format("{} tokens are to fit, {} do", *wanted, *fits));
    if (fits) told.remedies.emplace_back(fmt::format("vllm serve ... --max-model-len {}", *fits));
    read_share(text_near(text, at, 6000, 1000), told);
    if (!fits)
        told.remedies.emplace_back("vllm serve ... --max-model-len 8192   (a smaller cache and smaller activations)");
    told.remedies.emplace_back("vllm serve ... --tensor-parallel-size 2   (over several GPUs), or a quantized model");
}

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
        tell_of_build(message.substr(0, 500), told);
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

// "/notebooks/bitsandbytes/bitsandbytes/libbitsandbytes_cpu.so": a checkout, in which nothing was built.
void read_bitsandbytes(std::string_view text, std::size_t, Explanation& told) {
    if (const auto version = number_after(text, "BNB_CUDA_VERSION="); version && *version >= 100)
        told.arithmetic.push_back(
            fmt::format("BNB_CUDA_VERSION asks for CUDA {}.{}, whatever PyTorch has", *version / 10, *version % 10));
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
    constexpr auto newer_bitsandbytes =
        environment("pip freeze > before.txt && pip install 'bitsandbytes>=0.43'   (undo: pip install -r before.txt)");
    constexpr auto which_bitsandbytes = look(
        "python -c 'import bitsandbytes; print(bitsandbytes.__version__, bitsandbytes.__file__)'   (site-packages, or "
        "a checkout?)");
    return {
        {.name = "vLLM: others hold the memory",
         .needles = {"Free memory on device"},
         .meaning = "vLLM wants a share of the whole GPU at its start, and others hold so much that this is not free.",
         .remedies = {look("nvidia-smi")},
         .read = read_free_memory,
         .near = {"utilization"}},
        {.name = "vLLM: no room for the cache",
         .needles = {"No available memory for the cache blocks",
                     "is larger than the maximum number of tokens that can be",
                     "larger than the available KV cache memory", "is larger than the available KV cache"},
         .meaning = "After the weights too little memory is left for the cache of keys and values.",
         .read = read_cache},
        {.name = "SGLang: no room for the cache",
         .needles = {"Try increasing --mem-fraction-static", "Please try to increase --mem-fraction-static",
                     "Not enough memory. Please try"},
         .meaning = "The share of the GPU that weights and cache may have (--mem-fraction-static) is used up by the "
                    "weights. What is outside it is for activations and CUDA graphs, which need some too.",
         .remedies =
             {"python -m sglang.launch_server --mem-fraction-static 0.9 --context-length 8192 ...   (a larger share)",
              "python -m sglang.launch_server --cuda-graph-max-bs 8 --mem-fraction-static 0.9 ...   (if that is out of "
              "memory: fewer CUDA graphs)",
              "python -m sglang.launch_server --tp 2 ...   (over several GPUs), or a quantized model",
              look("nvidia-smi   (do others hold memory?)")}},
        {.name = "SGLang: more requests than it has room for",
         .needles = {"runs out of memory. Please set a smaller number for `--max-running-requests`",
                     "Prefill out of memory. Try to lower", "Decode out of memory. Try to lower"},
         .meaning = "SGLang let in more requests than it has slots or cache for. The memory of the GPU is not full: it "
                    "was divided up at the start.",
         .remedies = {"python -m sglang.launch_server --max-running-requests 16 ...   (fewer than now)",
                      "python -m sglang.launch_server --schedule-conservativeness 1.3 ...   (lets in fewer at a time)",
                      "{torch} sglang   (newer ones free slots that older ones lost; in a new environment)"}},
        {.name = "vLLM: more GPUs wanted than there are",
         .needles = {"required GPUs exceeds the total number of available GPUs",
                     "is larger than the number of available GPUs", "exceeds the number of available GPUs",
                     "tensor parallel size (", "than the total number of GPUs", "exceeds available GPUs",
                     "can fulfill resource request", "Not enough resources to allocate",
                     "Waiting for creating a placement group", "does not allocate any GPUs on the driver node",
                     "Cannot provide a placement group", "Placement group bundle cannot have"},
         .meaning =
             "The tensor or pipeline parallel size asks for more GPUs than this process or the Ray cluster sees.",
         .remedies =
             {look("nvidia-smi -L; echo \"[$CUDA_VISIBLE_DEVICES]\"; ray status"),
              "vllm serve ... --tensor-parallel-size 1   (at most the number of GPUs that are seen)",
              "ray start --address=HEAD:6379 --num-gpus=8   (on each further node; where Ray itself sees none)"},
         .in_line = {"GPU", "placement group"}},
        {.name = "vLLM: out of memory at its start",
         .needles = {"Please try lowering `max_num_seqs`", "occurred when warming up sampler"},
         .meaning = "The last step of vLLM's start, a trial with as many requests as it would take at once, found the "
                    "memory of the GPU full: the cache was given all that was left.",
         .remedies = {"vllm serve ... --max-num-seqs 32   (256 is the default)",
                      "vllm serve ... --gpu-memory-utilization 0.85   (a smaller cache leaves room for it)",
                      look("nvidia-smi   (do others hold memory?)")}},
        {.name = "vLLM: a worker does not answer",
         .needles = {"No available shared memory broadcast block found"},
         .meaning = "One of vLLM's processes waits for another, which compiles, loads or hangs. During the first "
                    "minutes it is no fault; if it goes on, a worker hangs in NCCL or on its GPU, or has ended.",
         .remedies = {look("nvidia-smi   (are all GPUs busy, or one at 0 % or 100 % for minutes?)"),
                      "NCCL_P2P_DISABLE=1 vllm serve ...   (tells whether peer access is broken; then: IOMMU or ACS)",
                      "vllm serve ... --enforce-eager   (tells whether it is compiling or CUDA graphs)",
                      look("py-spy dump --pid PID   (of each worker: where does it stand?)")},
         .rank = Rank::notice},
        {.name = "vLLM: memory changed while it was measured",
         .needles = {"Error in memory profiling"},
         .meaning = "Another process took or freed memory of the GPU while vLLM measured it at its start.",
         .remedies = {look("nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv"),
                      "start one server after the other   (not several at once on a GPU)"}},
        {.name = "vLLM: the engine has ended",
         .needles = {"Engine core initialization failed. See root cause above", "EngineDeadError",
                     "Background loop has errored already", "Engine process failed to start"},
         .meaning = "vLLM's server says only that its engine failed; the engine's own error stands further up.",
         .remedies = {"paste the log from the first line with ERROR or Traceback on",
                      "vllm serve ... --enforce-eager   (tells whether it is compiling or CUDA graphs)"},
         .rank = Rank::echo},
        {.name = "vLLM: MIG by its name",
         .needles = {"invalid literal for int() with base 10: 'MIG-", "invalid literal for int() with base 10: 'GPU-"},
         .meaning = "This version of vLLM takes the entries of CUDA_VISIBLE_DEVICES for numbers, and here is a UUID.",
         .remedies = {"CUDA_VISIBLE_DEVICES=0 vllm serve ...   (inside a container that was given one MIG instance)",
                      "{torch} vllm   (newer ones take UUIDs; in a new environment)"}},
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
                     "exllama_kernels not installed", "_impl: implementation for device cuda"},
         .meaning = "This package (detectron2, mmcv, torch_scatter, XGBoost or the like) was built without CUDA: "
                    "where it was built there was no nvcc, or PyTorch saw no GPU there.",
         .remedies = {look("python -c 'import torch; from torch.utils.cpp_extension import CUDA_HOME; "
                           "print(torch.cuda.is_available(), torch.version.cuda, CUDA_HOME)'   (all three are needed)"),
                      environment(
                          "FORCE_CUDA=1 pip install --no-build-isolation --no-cache-dir --force-reinstall --no-deps "
                          "EXTENSION   (builds it anew; undo: pip install the version that pip list showed)")},
         .hints =
             {{"ctranslate2",
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
         .needles = {"modules are dispatched on the CPU or the disk"},
         .meaning = "device_map found too little memory on the GPU and put parts of the model on the CPU or disk, "
                    "which this quantization does not allow.",
         .remedies = {look("nvidia-smi   (is something else on the GPU?)"),
                      "use a smaller model, or 4 bits instead of 8",
                      "BitsAndBytesConfig(llm_int8_enable_fp32_cpu_offload=True) with a device_map of one's own"}},
        {.name = "bitsandbytes without its library",
         .needles = {"CUDA Setup failed despite GPU being available", "Could not find the bitsandbytes CUDA binary",
                     "bitsandbytes was compiled without GPU support", "Could not load bitsandbytes native library",
                     "CUDA Setup failed despite CUDA being available", "libbitsandbytes_cpu.so: undefined symbol",
                     "The installed version of bitsandbytes was compiled without GPU",
                     "Required library version not found: libbitsandbytes", "bitsandbytes library load error",
                     "Configured CUDA binary not found at"},
         .meaning = "bitsandbytes has no binary for this CUDA, or does not find the runtime; or the folder of its "
                    "sources, in which nothing was built, is imported instead of the package.",
         .remedies = {which_bitsandbytes, look("python -m bitsandbytes"), newer_bitsandbytes},
         .read = read_bitsandbytes},
        {.name = "bitsandbytes without its library",
         .needles = {"CUDA_SETUP: WARNING!", "CUDA SETUP: WARNING!", "CUDA SETUP: CUDA detection failed",
                     "CUDA SETUP: Problem:", "CUDA SETUP: Setup Failed", "CUDA SETUP: Something unexpected",
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
         .needles = {"FlashAttention only supports Ampere", "FlashAttention only supports Turing",
                     "FlashAttention only supports Hopper", "only supports Ampere GPUs",
                     "Bfloat16 is only supported on GPUs with compute capability",
                     "bfloat16 is only supported on GPUs with compute capability", "FlashAttention-3 only supports",
                     "Only support FP16/BF16 on sm", "CUDA Device does not support bfloat16", "Expected is_sm80",
                     "requires Flash Attention", "requires FlashAttention", "requires CUDA compute capability",
                     "requires compute capability", "only supported on compute capability",
                     "efficient float16 computation", "efficient int8_float16 computation",
                     "GPUs with compute capability below", "is_sm80 || is_sm90"},
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
                    "compute_type='int8' or 'float32'   (CTranslate2, faster-whisper: float16 needs 7.0)"},
                   {"efficient float16",
                    look("nvidia-smi --query-gpu=name,compute_cap --format=csv   (or is it on the CPU?)")}},
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
