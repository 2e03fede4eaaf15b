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

std::vector<KnownError> serving_errors() {
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
        {.name = "SGLang: other programs on some of the GPUs",
         .needles = {"The memory capacity is unbalanced"},
         .meaning =
             "SGLang gives each GPU an equal part, and one of them has over 10 % less free memory than another: other "
             "programs hold it, or GPUs of several sizes are used.",
         .remedies =
             {look("nvidia-smi --query-compute-apps=gpu_uuid,pid,used_memory,name --format=csv   (who holds it?)"),
              "CUDA_VISIBLE_DEVICES=2,3 python -m sglang.launch_server --tp 2 ...   (GPUs that are free)",
              "SGLANG_ENABLE_TP_MEMORY_INBALANCE_CHECK=0 python -m sglang.launch_server ...   (goes on all the same; "
              "older versions: SGL_DISABLE_TP_MEMORY_INBALANCE_CHECK=true)",
              others("end the other processes   (only your own, as of a server that did not end whole)")}},
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
                     "Cannot provide a placement group", "Placement group bundle cannot have",
                     "Current node has no GPU available", "than max local gpu count"},
         .meaning =
             "The tensor or pipeline parallel size asks for more GPUs than this process or the Ray cluster sees.",
         .remedies =
             {look("nvidia-smi -L; echo \"[$CUDA_VISIBLE_DEVICES]\"; ray status"),
              "vllm serve ... --tensor-parallel-size 1   (at most the number of GPUs that are seen)",
              "ray start --address=HEAD:6379 --num-gpus=8   (on each further node; where Ray itself sees none)"},
         .read = read_placement,
         .in_line = {"GPU", "gpu count", "placement group"}},
        {.name = "model cannot be divided over so many GPUs",
         .needles = {"must be divisible by tensor parallel size", "must be divisible by `num_shards`",
                     "must be divisible by tensor_parallel_size", "must be divisible by tensor model parallel size",
                     "must be divisible by ep_size", "% tp_size == 0", "self.total_num_heads % tp_size",
                     "not aligned with the quantized weight shape", "is not divisible by weight quantization block",
                     "is not divisible by min_thread_", "must divisible by BLOCK_SIZE_K",
                     "is not divisible by group_size", "with tensor parallelism is not supported",
                     "must be divisible by tp_size"},
         .meaning =
             "Tensor parallelism gives each GPU an equal part of the heads, experts and columns of the weights, and "
             "this model's cannot be divided so. Quantized weights are divided in whole blocks only.",
         .remedies =
             {"vllm serve ... --tensor-parallel-size 2   (a smaller one: most often 1, 2, 4 or 8 fit)",
              "vllm serve ... --pipeline-parallel-size 2   (layers are divided, not their weights)",
              "vllm serve ... --enable-expert-parallel   (experts are kept whole: models with experts, quantized "
              "in blocks)"},
         .hints = {{"sglang",
                    "python -m sglang.launch_server --tp 4 ...   (a smaller one: most often 1, 2, 4 or 8 fit)"},
                   {"sglang",
                    "python -m sglang.launch_server --tp 8 --ep 8 ...   (experts are kept whole: models with "
                    "experts, quantized in blocks)"},
                   {"sglang", "python -m sglang.launch_server --pp-size 2 --tp 4 ...   (layers are divided)"}},
         .read = read_split},
        {.name = "server without its compiled part",
         .needles = {"'_OpNamespace' '_C' object has no attribute",
                     "'_OpNamespace' '_C_cache_ops' object has no attribute",
                     "'_OpNamespace' '_moe_C' object has no attribute",
                     "'_OpNamespace' 'sgl_kernel' object has no attribute",
                     "'_OpNamespace' '_C_custom_ar' object has no attribute", "Failed to import from vllm._C with"},
         .meaning =
             "vLLM (or sgl-kernel) runs without its compiled kernels: they did not load, because they were built for "
             "another PyTorch or CUDA, or the folder of the sources is imported, in which nothing was built.",
         .remedies =
             {look("cd / && python -c 'import torch, vllm; print(torch.__version__, vllm.__file__); import vllm._C'   "
                   "(its error is the cause; SGLang: import sgl_kernel)"),
              "{torch} vllm   (the PyTorch that it was built for; in a new environment)",
              "docker run --gpus all --ipc=host vllm/vllm-openai:latest ...   (all of one build)"},
         .rank = Rank::symptom},
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
        {.name = "buffer of FlashInfer is too small",
         .needles = {"in AlignedAllocator", "in AlignedAlloactor", "Increase the workspace buffer size"},
         .meaning =
             "FlashInfer's kernels work in a buffer of a fixed size, and this batch needs more; the GPU's memory "
             "is not meant.",
         .remedies =
             {"VLLM_FLASHINFER_WORKSPACE_BUFFER_SIZE=1073741824 vllm serve ...   (newer versions of vLLM; bytes)",
              "SGLANG_FLASHINFER_WORKSPACE_SIZE=1073741824 python -m sglang.launch_server ...   (newer versions "
              "of SGLang; bytes)",
              "vllm serve ... --max-num-seqs 128 --max-num-batched-tokens 4096   (smaller batches; SGLang: "
              "--chunked-prefill-size 4096)",
              "python -m sglang.launch_server --attention-backend triton ...   (without FlashInfer; vLLM: "
              "VLLM_ATTENTION_BACKEND=FLASH_ATTN)"}},
        {.name = "FlashInfer and the server do not fit",
         .needles = {"CHECK_EQ(paged_kv_indptr", "CHECK_EQ(qo_indptr", "BatchPrefillWithPagedKVCache failed with error",
                     "BatchDecodeWithPagedKVCache failed with error"},
         .meaning = "FlashInfer's kernel was called in a way that it does not take, or does not run on this GPU: it is "
                    "of another version than the server was made for, or lacks this shape or type.",
         .remedies = {look("pip list | grep -iE 'flashinfer|vllm|sglang|torch'; flashinfer show-config   (the version "
                           "that the server asks for?)"),
                      "VLLM_ATTENTION_BACKEND=FLASH_ATTN vllm serve ...   (without FlashInfer; newer: "
                      "--attention-backend)",
                      "python -m sglang.launch_server --attention-backend triton ...   (SGLang without FlashInfer)",
                      "vllm serve ... --kv-cache-dtype auto   (if it is fp8: tells whether it is that)",
                      "rm -r ~/.cache/flashinfer   (kernels that an older version compiled; they are made again)"},
         .rank = Rank::symptom},
        {.name = "Ray: a step took too long",
         .needles = {"RayChannelTimeoutError", "Timed out waiting for object available to read"},
         .meaning = "Ray waited longer than it may for a step of the workers: one compiles, hangs in NCCL or on its "
                    "GPU, or has ended; or a step over many nodes only takes so long.",
         .remedies = {"RAY_CGRAPH_get_timeout=1200 RAY_CGRAPH_submit_timeout=1200 vllm serve ...   (seconds, on every "
                      "node, before ray start: if it only takes so long)",
                      look("grep -rlE 'Error|NCCL WARN|Xid' /tmp/ray/session_latest/logs/; sudo dmesg | grep -i xid   "
                           "(on each node: did a worker fail?)"),
                      "vllm serve ... --enforce-eager   (tells whether it is compiling or CUDA graphs)",
                      "NCCL_DEBUG=INFO NCCL_SOCKET_IFNAME=NAME vllm serve ...   (does NCCL take the network between "
                      "the nodes?)"},
         .rank = Rank::symptom},
        {.name = "vLLM: memory changed while it was measured",
         .needles = {"Error in memory profiling"},
         .meaning = "Another process took or freed memory of the GPU while vLLM measured it at its start.",
         .remedies = {look("nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv"),
                      "start one server after the other   (not several at once on a GPU)"}},
        {.name = "vLLM: the engine has ended",
         .needles = {"Engine core initialization failed. See root cause above", "EngineDeadError",
                     "Background loop has errored already", "Engine process failed to start",
                     "WorkerProc initialization failed due to an exception", "WorkerProc failed to start",
                     "EngineCore failed to start", "Failed core proc(s)", "Worker proc VllmWorker"},
         .meaning = "vLLM's server says only that its engine failed; the engine's own error stands further up.",
         .remedies = {"paste the log from the first line with ERROR or Traceback on",
                      "vllm serve ... --enforce-eager   (tells whether it is compiling or CUDA graphs)"},
         .rank = Rank::echo},
        {.name = "vLLM: MIG by its name",
         .needles = {"invalid literal for int() with base 10: 'MIG-", "invalid literal for int() with base 10: 'GPU-"},
         .meaning = "This version of vLLM takes the entries of CUDA_VISIBLE_DEVICES for numbers, and here is a UUID.",
         .remedies = {"CUDA_VISIBLE_DEVICES=0 vllm serve ...   (inside a container that was given one MIG instance)",
                      "{torch} vllm   (newer ones take UUIDs; in a new environment)"}},
        {.name = "Ray: a worker ended",
         .needles = {"Worker exit type: ", "ActorDiedError", "RayActorError",
                     "A worker died or was killed while executing", "WorkerCrashedError",
                     "Task was killed due to the node running low on memory",
                     "worker(s) were killed due to memory pressure", "Workers (tasks / actors) killed due to memory"},
         .meaning =
             "Ray says only that a process of the job ended: the system killed it for the host's memory, it crashed, "
             "or its own error stands further up in its log.",
         .remedies =
             {look("grep -rlE 'Error|SIG|Fatal' /tmp/ray/session_latest/logs/   (on that node: worker-*.err of its "
                   "pid has the error)"),
              look("sudo dmesg | grep -iE 'oom|killed process|segfault|xid'; free -h   (on that node)"),
              "use fewer workers, or less offload to the CPU   (if its memory was full)"},
         .read = read_exit_of_ray,
         .near = {"cuda", "CUDA", "vllm", "VLLM", "torch", "GPU", "gpu", "nccl", "WorkerDict", "verl", "trainer",
                  "LLM"},
         .rank = Rank::echo},
    };
}

}  // namespace tocuda::doctor
