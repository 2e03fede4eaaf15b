// tocuda, Apache-2.0.
// What stands on LibTorch, or beside it: vLLM, accelerate, bitsandbytes, attention kernels, TensorFlow.
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

// "The model's max seq len (32768) is larger than the maximum number of tokens that can be stored in KV cache (13216)"
void read_cache(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text_near(text, at, 200, 400), 600);
    const auto wanted = number_after(message, "max seq len (");
    const auto fits = number_after(message, "stored in KV cache (");
    if (wanted && fits) {
        told.arithmetic.push_back(fmt::format("{} tokens are to fit, {} do", *wanted, *fits));
        told.remedies.emplace_back(fmt::format("vllm serve ... --max-model-len {}", *fits));
    }
    if (told.remedies.empty()) told.remedies.emplace_back("vllm serve ... --max-model-len 8192");
    told.remedies.emplace_back("vllm serve ... --gpu-memory-utilization 0.95");
    told.remedies.emplace_back("vllm serve ... --tensor-parallel-size 2   (over several GPUs), or a quantized model");
}

}  // namespace

std::vector<KnownError> framework_errors() {
    constexpr auto newer =
        "pip install --upgrade transformers accelerate bitsandbytes   (versions that fit one another; "
        "changes this environment)";
    return {
        {.name = "vLLM: others hold the memory",
         .needles = {"Free memory on device"},
         .meaning = "vLLM wants a share of the whole GPU at its start, and others hold so much that this is not free.",
         .remedies = {look("nvidia-smi")},
         .read = read_free_memory,
         .applies = [](std::string_view text,
                       std::size_t at) { return contains(text_near(text, at, 0, 300), "utilization"); }},
        {.name = "vLLM: no room for the cache",
         .needles = {"No available memory for the cache blocks",
                     "is larger than the maximum number of tokens that can be",
                     "larger than the available KV cache memory"},
         .meaning = "After the weights too little memory is left for the cache of keys and values.",
         .read = read_cache},
        {.name = "vLLM: MIG by its name",
         .needles = {"invalid literal for int() with base 10: 'MIG-", "invalid literal for int() with base 10: 'GPU-"},
         .meaning = "This version of vLLM takes the entries of CUDA_VISIBLE_DEVICES for numbers, and here is a UUID.",
         .remedies = {"CUDA_VISIBLE_DEVICES=0 vllm serve ...   (inside a container that was given one MIG instance)",
                      environment("pip install --upgrade vllm   (newer ones take UUIDs; changes this environment)")}},
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
         .meaning =
             "device_map found too little memory on the GPU and put parts of the model on the CPU or disk, which "
             "this quantization does not allow.",
         .remedies = {look("nvidia-smi   (is something else on the GPU?)"),
                      "use a smaller model, or 4 bits instead of 8",
                      "BitsAndBytesConfig(llm_int8_enable_fp32_cpu_offload=True) with a device_map of one's own"}},
        {.name = "bitsandbytes without its library",
         .needles = {"CUDA Setup failed despite GPU being available", "Could not find the bitsandbytes CUDA binary",
                     "bitsandbytes was compiled without GPU support", "Could not load bitsandbytes native library",
                     "CUDA Setup failed despite CUDA being available", "libbitsandbytes_cpu.so: undefined symbol",
                     "The installed version of bitsandbytes was compiled without GPU"},
         .meaning = "bitsandbytes has no binary for this CUDA, or does not find the runtime; or the folder of its "
                    "sources, in which nothing was built, is imported instead of the package.",
         .remedies = {look("python -c 'import bitsandbytes; print(bitsandbytes.__file__)'   (site-packages, or a "
                           "checkout?)"),
                      look("python -m bitsandbytes"),
                      environment("pip install --upgrade bitsandbytes   (changes this environment)")}},
        {.name = "GPU too old for this kernel",
         .needles = {"FlashAttention only supports Ampere GPUs or newer", "FlashAttention only support",
                     "Bfloat16 is only supported on GPUs with compute capability",
                     "bfloat16 is only supported on GPUs with compute capability", "FlashAttention-3 only supports",
                     "Only support FP16/BF16 on sm"},
         .meaning = "The kernel needs a newer generation than this GPU: bfloat16 and FlashAttention 2 need compute "
                    "capability 8.0.",
         .remedies = {"model = Model.from_pretrained(..., attn_implementation='sdpa')   (instead of FlashAttention)",
                      "dtype=torch.float16   (instead of bfloat16; vLLM: --dtype half)"}},
        {.name = "xformers does not fit",
         .needles = {"xFormers wasn't build with CUDA support", "xFormers wasn't built with CUDA support",
                     "No operator found for `memory_efficient_attention_forward`",
                     "xFormers can't load C++/CUDA extensions"},
         .meaning = "xformers was built for another PyTorch or CUDA, or has no kernel for this GPU and type.",
         .remedies = {look("python -m xformers.info"),
                      "use torch.nn.functional.scaled_dot_product_attention instead of xformers",
                      environment(
                          "pip install --upgrade xformers   (it brings the PyTorch that it was built for; changes "
                          "this environment)")}},
        {.name = "TensorFlow finds no CUDA",
         .needles = {"Could not find cuda drivers on your machine", "Could not load dynamic library 'libcud",
                     "Could not load dynamic library 'libcu", "Unable to register cuFFT factory",
                     "Cannot dlopen some GPU libraries", "Could not load dynamic library 'libnv"},
         .meaning =
             "TensorFlow, which some library imports, says that it has no CUDA of its own. PyTorch brings its own "
             "and does not need it; whether PyTorch finds a GPU is not in this text.",
         .remedies = {look("python -c 'import torch; print(torch.cuda.is_available())'"),
                      "TF_CPP_MIN_LOG_LEVEL=3 python ...   (silences it)"},
         .rank = Rank::notice},
    };
}

}  // namespace tocuda::doctor
