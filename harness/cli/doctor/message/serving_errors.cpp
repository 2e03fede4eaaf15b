// tocuda, Apache-2.0.
// vLLM, SGLang and Ray, which they stand on.
#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <cstdint>

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
        {"nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv   (who holds the rest)", Scope::look}};
    constexpr double least_of_use = 0.3;
    if (most >= least_of_use)
        told.remedies.emplace_back(fmt::format("vllm serve ... --gpu-memory-utilization {:.2f}", most));
    told.remedies.emplace_back("CUDA_VISIBLE_DEVICES=1 vllm serve ...   (another GPU, if there is one)");
    told.remedies.emplace_back(
        "end the other processes   (only your own, as of a server that did not end whole, or after asking whoever runs "
        "them)",
        Scope::others);
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

// "(raylet) ... Worker exit type: SYSTEM_ERROR", "Task was killed due to the node running low on memory."
void read_exit_of_ray(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text_near(text, at, 300, 1500), 1800);
    if (contains_any(message,
                     {"running low on memory", "OutOfMemoryError: Task was killed", "due to memory pressure"})) {
        told.certain = true;
        told.meaning = "Ray ended a worker because the memory of the node, not of the GPU, was nearly full.";
        told.remedies = {{"free -h; df -h /dev/shm   (on that node, while it runs)", Scope::look},
                         "use fewer workers, or less offload to the CPU   (each worker loads the weights into memory "
                         "first)",
                         "RAY_memory_usage_threshold=0.98 ray start ...   (ends workers later)"};
    } else if (contains_any(message, {"node has crashed", "node died", "Owner's node"}))
        told.arithmetic.emplace_back("it was the whole node, or Ray on it, that went away: look at that node first");
}

// "Error: No available node types can fulfill resource request {'node:10.61.0.27': 0.001, 'GPU': 1.0}"
void read_placement(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 300, 900);
    if (!contains_any(message, {"placement group", "resource request"})) return;
    const auto node = between(message, "'node:", "'");
    const auto of_node = node && node->size() < 64;
    if (of_node)
        told.arithmetic.push_back(fmt::format(
            "vLLM wants a worker on the node {}: Ray must know that node by this very address, with free GPUs", *node));
    told.remedies = {
        {"ray status; ray list nodes   (are all GPUs there and free, and which addresses do the nodes have?)",
         Scope::look},
        "export VLLM_HOST_IP=ADDRESS   (on each node its own address in Ray, before ray start and vllm serve)",
        "ray start --address=HEAD:6379 --node-ip-address=ADDRESS --num-gpus=8   (on each further node)",
        "vllm serve ... --tensor-parallel-size 1   (at most the number of GPUs that Ray has)"};
}

// The greatest number of GPUs, up to `most`, over which so many heads can be divided.
std::int64_t divisor_up_to(std::int64_t number, std::int64_t most) {
    while (most > 1 && number % most != 0) --most;
    return most;
}

// "Total number of attention heads (52) must be divisible by tensor parallel size (8)", "`num_heads`: 71 and
// `num_shards`: 2"
void read_split(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text_near(text, at, 80, 300), 400);
    if (contains_any(message, {"min_thread_", "BLOCK_SIZE_K"})) {
        told.meaning =
            "The kernels for these quantized weights (Marlin) take blocks of a fixed size, and the columns of a GPU's "
            "part "
            "are no multiple of it: the model has such columns, or is divided over too many GPUs.";
        told.remedies = {"vllm serve ... --tensor-parallel-size 2   (a smaller one, if it is more now)",
                         "vllm serve ... --quantization gptq   (or awq: the slower kernels without Marlin)",
                         "vllm serve ... --enable-expert-parallel   (models with experts: they are kept whole)"};
        return;
    }
    auto heads = number_after(message, "heads (");
    auto gpus = number_after(message, "parallel size (");
    if (!heads) heads = number_after(message, "`num_heads`: ");
    if (!gpus) gpus = number_after(message, "`num_shards`: ");
    if (!heads || !gpus || *heads < 1 || *heads > 100000 || *gpus < 2 || *gpus > 100000) return;
    told.certain = true;
    const auto fits = divisor_up_to(*heads, *gpus - 1);
    told.arithmetic.push_back(
        fmt::format("{} heads cannot be divided over {} GPUs; {} is the next smaller number that divides them", *heads,
                    *gpus, fits));
    if (contains(message, "num_shards"))
        told.remedies = {fmt::format("text-generation-launcher --num-shard {} ...", fits),
                         "text-generation-launcher --quantize bitsandbytes-nf4 ...   (if it is then too large)"};
    else
        told.remedies = {
            fmt::format("vllm serve ... --tensor-parallel-size {}", fits),
            fmt::format("vllm serve ... --tensor-parallel-size 1 --pipeline-parallel-size {}   (layers are "
                        "divided, not heads: all {} GPUs are used)",
                        *gpus, *gpus),
            "vllm serve ... --data-parallel-size 2   (several whole copies, if one fits a GPU)"};
}

}  // namespace

Functions serving_functions() {
    return {.readings = {{"read_free_memory", read_free_memory},
                         {"read_cache", read_cache},
                         {"read_placement", read_placement},
                         {"read_split", read_split},
                         {"read_exit_of_ray", read_exit_of_ray}}};
}

}  // namespace tocuda::doctor
