// tocuda, Apache-2.0.
// How training is started on several GPUs, and what DDP, FSDP, DeepSpeed and Megatron ask of it.
#include <fmt/core.h>

#include <algorithm>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto by_torchrun =
    "torchrun --nproc-per-node=1 SCRIPT ...   (one process for each GPU; instead of python SCRIPT)";

// A script that expects to be one of several processes, started alone.
void read_launcher(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 0, 120);
    if (contains(message, "SLURM_")) {
        told.meaning = "The program asks Slurm for its rank, and was not started by srun.";
        told.remedies = {"srun --ntasks-per-node=GPUS --gpus-per-node=GPUS python SCRIPT ...   (within the job)",
                         "torchrun --nproc-per-node=GPUS SCRIPT ...   (if the program can do without Slurm)"};
        return;
    }
    if (!origin_of(text).windows) return;
    told.remedies = {by_torchrun,
                     "torch.distributed.init_process_group('gloo')   (in the program: there is no NCCL for Windows)",
                     "set USE_LIBUV=0&& torchrun ...   (if it then stops at libuv)"};
}

// "This error indicates that your module has parameters that were not used in producing loss."
void read_unused(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 200, 2500);
    if (contains(message, "`find_unused_parameters=True` is enabled")) {
        told.arithmetic.emplace_back("find_unused_parameters=True is on already, so an output of forward() is unused");
        told.remedies = {"use every output of forward() in the loss   (loss + 0 * output.sum() for one without use)",
                         "call model(...), not model.module(...), and once for each backward()",
                         "TORCH_DISTRIBUTED_DEBUG=DETAIL torchrun ...   (names the parameters without a gradient)"};
    } else if (contains(message, "LightningModule"))
        told.remedies = {"Trainer(strategy='ddp_find_unused_parameters_true')",
                         "p.requires_grad_(False)   (for layers that are not trained)",
                         "TORCH_DISTRIBUTED_DEBUG=DETAIL python ...   (names the parameters)"};
    if (const auto which = between(message, "did not receive grad for rank ", "\n"))
        told.arithmetic.push_back(fmt::format("without a gradient: rank {}", which->substr(0, 200)));
}

// "world size (8) is not divisible by ...", "world_size (1) is not divisible by 2"
void read_world(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 150, 250);
    if (contains_any(message, {"orld_size (1)", "orld size (1)"}))
        told.arithmetic.emplace_back("the world size is 1: the program was started as a single process");
}

// "SignalException: Process 15 got signal: 1"
void read_signal(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 60, 120);
    auto number = number_after(message, "got signal: ");
    if (!number) number = number_after(message, "Received ");
    if (contains(message, "SIGHUP")) number = 1;
    if (number == 1) {
        told.certain = true;
        told.meaning = "The terminal or the ssh connection that torchrun was started from was closed (SIGHUP).";
        told.remedies = {
            "tmux new -s train   (and start it there: it outlives the connection; nohup does not help, "
            "torchrun takes the signal all the same)",
            "sbatch job.sh   (on a cluster)"};
    } else if (number == 2) told.meaning = "torchrun was interrupted (SIGINT): Ctrl-C, or a program that sends it.";
}

std::vector<KnownError> errors_of_start() {
    return {
        {.name = "started without its launcher",
         .needles = {"expected, but not set", "KeyError: 'LOCAL_RANK'", "KeyError: 'RANK'", "KeyError: 'WORLD_SIZE'",
                     "KeyError: 'MASTER_ADDR'", "KeyError: 'SLURM_PROCID'", "KeyError: 'SLURM_NTASKS'"},
         .meaning = "The program is written for several processes and reads its rank from the environment, which its "
                    "launcher sets; it was started by python alone. It also runs so with one GPU.",
         .remedies = {by_torchrun, "accelerate launch SCRIPT ..., deepspeed SCRIPT ...   (if it is written for these)",
                      "RANK=0 LOCAL_RANK=0 WORLD_SIZE=1 MASTER_ADDR=localhost MASTER_PORT=29500 python SCRIPT ...   "
                      "(in a debugger, one process)"},
         .read = read_launcher,
         .applies =
             [](std::string_view text, std::size_t at) {
                 return !text.substr(at).starts_with("expected") ||
                        contains(line_around(text, at), "environment variable");
             }},
        {.name = "no process group",
         .needles = {"Default process group has not been initialized", "Default process group is not initialized",
                     "torch.distributed is not initialized", "Distributed environment is not initialized"},
         .meaning = "A collective, DDP or a sampler for several processes is used before init_process_group(): most "
                    "often the script was started by python and not by its launcher.",
         .remedies = {by_torchrun,
                      "dist.is_initialized() and dist.all_reduce(x)   (in the program: leave collectives out where it "
                      "runs alone)",
                      "norm = 'BN'   (mmseg, mmdet: SyncBN of a config needs a group)"},
         .read = read_launcher},
        {.name = "DeepSpeed: batch sizes do not fit",
         .needles = {"train_batch_size is not equal to micro_batch_per_gpu", "Micro batch size per gpu: 0 has to be"},
         .meaning = "train_batch_size must be the micro batch of a GPU, times the steps of accumulation, times the "
                    "number of GPUs, and the configuration was written for another number of GPUs.",
         .remedies = {"\"train_batch_size\": \"auto\", \"train_micro_batch_size_per_gpu\": \"auto\", "
                      "\"gradient_accumulation_steps\": \"auto\"   (with the Trainer, which fills them in)",
                      "leave train_batch_size out of the configuration   (the two others give it)",
                      look("nvidia-smi -L; echo \"[$CUDA_VISIBLE_DEVICES]\"   (as many GPUs as were meant?)")},
         .hints = {{"per gpu: 0 has",
                    "\"train_batch_size\": N   (at least the number of GPUs times the steps of accumulation: with "
                    "fewer, none is left for each)"},
                   {"per gpu: 0 has", "\"gradient_accumulation_steps\": 1"},
                   {"per gpu: 0 has", "deepspeed --num_gpus=1 ...   (fewer GPUs)"}}},
        {.name = "world size does not fit the model's split",
         .needles = {") is not divisible by ", "is not divisible by tensor_model_parallel_size",
                     "is not divisible by tensor model parallel size", "is not equal to tensor_model_parallel_size",
                     "is less than tensor_model_parallel_size"},
         .meaning = "The number of processes must be a multiple of tensor times pipeline (and context, expert) "
                    "parallel size, and it is not: fewer were started than the model is split over.",
         .remedies = {"torchrun --nproc-per-node=8 SCRIPT ...   (one process for each GPU of the split)",
                      "--tensor-model-parallel-size 1 --pipeline-model-parallel-size 1   (Megatron, NeMo: no split)",
                      look("nvidia-smi -L; env | grep -E 'WORLD_SIZE|SLURM_NTASKS'")},
         .read = read_world,
         .in_line = {"orld_size", "orld size"}},
        {.name = "model cannot be divided into such stages",
         .needles = {"should be divisible by the pipeline-model-parallel size",
                     "must be divisible by pipeline_model_parallel_size",
                     "must be divisible by transformer_pipeline_model_parallel_size"},
         .meaning =
             "Each stage of a pipeline gets equally many layers, and the model's number of layers is no multiple "
             "of the number of stages.",
         .remedies = {"--pipeline-model-parallel-size N   (a divisor of num_layers)",
                      "--decoder-first-pipeline-num-layers N --decoder-last-pipeline-num-layers N   (other numbers at "
                      "both ends; what is left must divide)",
                      "--tensor-model-parallel-size 8 --pipeline-model-parallel-size 1   (no stages, if it fits)"}},
        {.name = "sequence cannot be divided over the GPUs",
         .needles = {"First dimension of the tensor should be divisible by tensor parallel size"},
         .meaning = "Sequence parallelism gives each GPU of a tensor-parallel group an equal part of the tokens, and "
                    "this batch's length is no multiple of their number.",
         .remedies = {"pad each batch to a multiple of the tensor parallel size   (twice that times the context "
                      "parallel size, if it has one)",
                      "--sequence-parallel False   (without it; mixtures of experts with tensor parallelism need it)"}},
        {.name = "Megatron's groups not made",
         .needles = {"parallel group is not initialized"},
         .meaning = "Megatron's groups of ranks were asked for before they were made, in this process or by another "
                    "copy of the library.",
         .remedies = {"initialize_megatron(), or parallel_state.initialize_model_parallel(TP, PP)   (first, in every "
                      "process, after init_process_group)",
                      look("pip list | grep -iE 'megatron|apex'   (more than one copy: each has groups of its own)"),
                      "torchrun --nproc-per-node=8 SCRIPT ...   (not python SCRIPT)"},
         .near = {"PARALLEL_GROUP", "megatron", "Megatron", "mpu", "model parallel"}},
        {.name = "torchrun was told to stop",
         .needles = {"got signal: ", "death signal, shutting down workers", "closing signal SIGHUP"},
         .meaning = "torchrun was ended from outside (SIGTERM): a scheduler at the end of the job's time, another node "
                    "of the job that failed, or somebody.",
         .remedies = {look("sacct -j JOB -o State,ExitCode,Elapsed,Timelimit   (Slurm)"),
                      "read the logs of the other nodes   (did one fail first?)"},
         .read = read_signal,
         .in_line = {"SignalException", "closing signal", "death signal", "Process "},
         .rank = Rank::symptom},
    };
}

std::vector<KnownError> errors_of_ddp() {
    constexpr auto detail = "TORCH_DISTRIBUTED_DEBUG=DETAIL torchrun ...   (names the parameters)";
    return {
        {.name = "DDP: parameters without a gradient",
         .needles = {"Expected to have finished reduction in the prior iteration",
                     "parameters that were not used in producing the loss"},
         .meaning = "DDP waits for a gradient of each parameter, and some took no part in the loss: a branch that was "
                    "not taken, a layer that is not used, or one whose output the loss leaves out.",
         .remedies = {"DistributedDataParallel(model, ..., find_unused_parameters=True)   (Trainer: "
                      "ddp_find_unused_parameters=True; Lightning: strategy='ddp_find_unused_parameters_true'; "
                      "mmengine: in the config)",
                      "p.requires_grad_(False)   (for layers that are not trained; better than the search, which costs "
                      "time in each step)",
                      detail},
         .read = read_unused},
        {.name = "DDP: parameter used twice",
         .needles = {"Expected to mark a variable ready only once"},
         .meaning = "DDP got the gradient of a parameter twice in one backward(): checkpointing of activations in its "
                    "older form runs layers again, or a module is called several times or shared.",
         .remedies = {"gradient_checkpointing_kwargs={'use_reentrant': False}   (checkpoint(..., use_reentrant=False))",
                      "find_unused_parameters=False   (both together fail)",
                      "DistributedDataParallel(..., static_graph=True)   (if each step uses the same layers)", detail}},
        {.name = "output of a wrapped model changed in place",
         .needles = {"is a view and its base or another view of its base has been modified inplace",
                     "is a view and is being modified inplace"},
         .meaning = "DDP and FSDP return views of what they keep for the backward pass, and the program changes one in "
                    "place.",
         .remedies = {"x = x + y, not x += y; nn.ReLU(inplace=False)   (at the line that the traceback names)",
                      "output = output.clone()   (before it is changed)",
                      "FSDP(..., use_orig_params=True)   (if it is a parameter)"},
         .near = {"fsdp", "FSDP", "DDP", "DistributedDataParallel", "distributed", "accelerate"}},
    };
}

std::vector<KnownError> errors_of_shards() {
    return {
        {.name = "FSDP: parameters of several types",
         .needles = {"Must flatten tensors with uniform dtype", "FSDP requires uniform dtype",
                     "Must flatten tensors with the same dtype"},
         .meaning = "FSDP joins the parameters of a layer into one tensor, and some are in another type than the "
                    "rest: LoRA weights in float32, or norms beside half precision.",
         .remedies = {"model.to(torch.bfloat16)   (all of it, before FSDP; or all in float32 with MixedPrecision)",
                      "BitsAndBytesConfig(..., bnb_4bit_quant_storage=torch.bfloat16), dtype=torch.bfloat16   (QLoRA)",
                      "fsdp_version: 2   (accelerate: FSDP2 joins none)"}},
        {.name = "FSDP: run out of turn",
         .needles = {"expected to be in states [<TrainingState", "Asserting FSDP instance is:"},
         .meaning = "A part that FSDP wraps was used in another order than forward, then backward, of the whole model: "
                    "called by itself, twice before a backward, or again by activation checkpointing.",
         .remedies = {"call the whole wrapped model   (not model.module or one of its layers)",
                      "gradient_checkpointing_kwargs={'use_reentrant': False}   (or checkpoint(..., "
                      "use_reentrant=False), within what is wrapped)",
                      "torch.distributed.fsdp   (instead of fairscale's, which is no longer developed)"}},
        {.name = "FSDP: quantized weights",
         .needles = {"Cannot flatten integer dtype tensors"},
         .meaning =
             "FSDP joins parameters of a floating-point type only, and bitsandbytes keeps its 4-bit weights as bytes "
             "unless it is told to keep them in another type.",
         .remedies =
             {"BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_storage=torch.bfloat16), dtype=torch.bfloat16   "
              "(QLoRA with FSDP)",
              look("pip list | grep -iE 'bitsandbytes|accelerate|peft|trl|transformers'   (bitsandbytes 0.43 and newer "
                   "have it)"),
              "use DeepSpeed ZeRO-2, or LoRA without quantization   (8 bits cannot be used with FSDP)"}},
        {.name = "ZeRO: layers run out of turn",
         .needles = {"ds_status == ZeroParamStatus.AVAILABLE", "still have inflight params",
                     "in the parameter fetch queue to be", "params_in_ipg_bucket", "tracing error at step",
                     "ZeroParamStatus.INFLIGHT", "is already being reduced", "has already been reduced"},
         .meaning =
             "ZeRO fetches and reduces parameters in the order of the first steps, and a layer ran out of turn: a "
             "branch "
             "that only some ranks or steps take (experts, batches without images), the model called twice before "
             "backward(), or evaluation in between.",
         .remedies =
             {"deepspeed.utils.set_z3_leaf_modules(model, [MoeBlock])   (models with experts: the block is fetched "
              "whole)",
              "gradient_checkpointing_kwargs={'use_reentrant': False}   (or no checkpointing)",
              "call the model once for each backward()   (join the inputs into one batch; let each rank run the same "
              "layers, with dummy data if need be)",
              "\"stage\": 2   (in DeepSpeed's configuration: tells whether it is the partition)"},
         .certain = false},
        {.name = "DeepSpeed without libaio",
         .needles = {"async_io requires the dev libaio", "please install the libaio-dev package",
                     "Unable to JIT load the async_io op"},
         .meaning = "Only offload to NVMe needs DeepSpeed's async_io, which is built with libaio. Without that offload "
                    "this warning says nothing.",
         .remedies = {machine("sudo apt install libaio-dev   (for offload to NVMe; undo: sudo apt remove libaio-dev)"),
                      look("ds_report   (async_io: compatible?)")},
         .rank = Rank::notice},
        {.name = "DeepSpeed: this machine only",
         .needles = {"Unable to find hostfile, will proceed with training with local resources only"},
         .meaning = "DeepSpeed found no list of machines and starts on this one alone: as it should with one machine.",
         .remedies = {"deepspeed --hostfile hostfile SCRIPT ...   (several machines; else it looks for /job/hostfile)",
                      "node1 slots=8   (a line of that file for each: its name and its number of GPUs)"},
         .rank = Rank::notice},
    };
}

}  // namespace

std::vector<KnownError> launch_errors() {
    auto all = errors_of_start();
    for (const auto& family : {errors_of_ddp, errors_of_shards}) {
        auto some = family();
        std::ranges::move(some, std::back_inserter(all));
    }
    return all;
}

}  // namespace tocuda::doctor
