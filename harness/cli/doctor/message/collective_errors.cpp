// tocuda, Apache-2.0.
// What programs on several GPUs ask of a group once it is there: wrapped models, collectives, the end of a rank.
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

bool is_of_ranks(std::string_view text, std::size_t at) {
    return contains_any(text_near(text, at, 3000, 3000),
                        {"torchrun", "torch.distributed", "torch/distributed", "c10d", "NCCL", "nccl", "CUDA", "cuda",
                         "deepspeed", "GPU", "vllm", "rank"});
}

std::vector<KnownError> errors_of_wrapped_models() {
    return {
        {.name = "wrapped model asked for its own",
         .needles = {"'DistributedDataParallel' object has no attribute", "'DataParallel' object has no attribute",
                     "'FullyShardedDataParallel' object has no attribute", "'DeepSpeedEngine' object has no attribute"},
         .meaning =
             "DDP and its like wrap the model, and the attributes and methods of the model itself are not those of the "
             "wrapper.",
         .remedies =
             {"model.module.ATTRIBUTE   (the model within; a forward pass that is trained goes through the wrapper: "
              "model(...))",
              "accelerator.unwrap_model(model).ATTRIBUTE   (accelerate)",
              "getattr(model, 'module', model)   (in a program that runs with one GPU, too)"}},
        {.name = "checkpoint of a wrapped model",
         .needles = {"Unexpected key(s) in state_dict: \"module.", "Missing key(s) in state_dict: \"module."},
         .meaning =
             "The checkpoint was saved of the wrapper (DDP, DataParallel), whose names begin with \"module.\", and is "
             "loaded into the model itself, or the other way round.",
         .remedies =
             {"torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state, 'module.')   (on the loaded "
              "state_dict, before load_state_dict)",
              "model.module.load_state_dict(state)   (if the names have no prefix and the model is wrapped)",
              "torch.save(model.module.state_dict(), FILE)   (from now on: without the prefix)"}},
        {.name = "sharded checkpoint of another form",
         .needles = {"Size mismatch between saved torch.Size(", "req MetadataIndex(fqn="},
         .meaning = "The checkpoint holds whole tensors and this model flattened or divided ones, or the other way "
                    "round: it was saved by another version of FSDP, by another kind of state_dict, or of another "
                    "model. The number of GPUs alone does not matter to it.",
         .remedies = {"get_model_state_dict(model), set_model_state_dict(model, state)   (of "
                      "torch.distributed.checkpoint.state_dict: the same form with DDP, FSDP and FSDP2)",
                      "FSDP.state_dict_type(model, StateDictType.SHARDED_STATE_DICT)   (FSDP1: both where it is saved "
                      "and where it is loaded)",
                      "python -m torch.distributed.checkpoint.format_utils dcp_to_torch FOLDER FILE   (one file of "
                      "whole tensors, for any loader)"},
         .certain = false},
        {.name = "NCCL does not take this type",
         .needles = {"Input tensor data type is not supported for NCCL process group", "Unconvertible NCCL type",
                     "Unsupported data type for NCCL process group"},
         .meaning =
             "NCCL adds and moves numbers of 8, 32 and 64 bits and floating-point ones; int16, complex numbers and, in "
             "older versions, float8 are not among them.",
         .remedies = {"x.to(torch.int32)   (int16: before the collective)", "torch.view_as_real(x)   (complex numbers)",
                      "x.view(torch.uint8)   (float8: moves bytes, adds none)"}},
        {.name = "collective with other sizes or strides",
         .needles = {"Tensors must be contiguous", "tensor size must be equal to world_size times input tensor size",
                     "tensor size must be equal to world size times"},
         .meaning = "A collective of PyTorch takes tensors without gaps, and an output that is as many times the input "
                    "as there "
                    "are ranks.",
         .remedies =
             {"x = x.contiguous()   (before the collective)",
              "out = x.new_empty(world_size * x.shape[0], *x.shape[1:])   (all_gather_into_tensor; the other way round "
              "for reduce_scatter_tensor)",
              "TORCH_DISTRIBUTED_DEBUG=DETAIL torchrun ...   (shows the sizes of each rank)"},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return !text.substr(at).starts_with("Tensors must") || is_of_ranks(text, at);
             }},
        {.name = "group made twice",
         .needles = {"trying to initialize the default process group twice"},
         .meaning =
             "init_process_group() is called a second time: by the program beside a library that does it (accelerate, "
             "DeepSpeed, Lightning, vLLM), or in a notebook.",
         .remedies = {"if not torch.distributed.is_initialized(): torch.distributed.init_process_group(...)",
                      "torch.distributed.destroy_process_group()   (in a notebook, before the next)"}},
        {.name = "PyTorch without libuv",
         .needles = {"use_libuv was requested but PyTorch was built without libuv", "PyTorch was build without libuv"},
         .meaning =
             "torchrun and the store of PyTorch 2.4 and newer use libuv, which some builds for Windows do not have.",
         .remedies = {"USE_LIBUV=0 torchrun ...   (PowerShell: $env:USE_LIBUV=0)",
                      "init_process_group(..., init_method='env://?use_libuv=False')   (in the program)"}},
        {.name = "Megatron: order of kernels not set",
         .needles = {"CUDA_DEVICE_MAX_CONNECTIONS to 1"},
         .meaning =
             "Megatron overlaps communication with computation and needs the kernels in the order in which they are "
             "called.",
         .remedies = {"CUDA_DEVICE_MAX_CONNECTIONS=1 torchrun ...   (Blackwell: not needed, and slower with FSDP)",
                      "docker run -e CUDA_DEVICE_MAX_CONNECTIONS=1 ...   (in a container)"}},
        {.name = "symmetric memory refused",
         .needles = {"CUDASymmetricMemory", "cuMulticastCreate", "cuMulticastAddDevice", "cuMulticastBindMem"},
         .meaning = "PyTorch's or vLLM's symmetric memory sets up multicast of NVSwitches, and the driver refused: no "
                    "NVSwitches, a fabric manager that is not ready, or a virtual machine or container with a part of "
                    "the GPUs.",
         .remedies = {"TORCH_SYMM_MEM_DISABLE_MULTICAST=1 NCCL_NVLS_ENABLE=0 python ...   (without multicast)",
                      "VLLM_ALLREDUCE_USE_SYMM_MEM=0 vllm serve ...   (vLLM without symmetric memory)",
                      look("nvidia-smi -q | grep -A3 Fabric; systemctl status nvidia-fabricmanager   (on the host)")},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return contains_any(text_near(text, at, 500, 500), {"rror", "ailed", "could not"});
             },
         .certain = false},
    };
}

std::vector<KnownError> errors_of_ends() {
    return {
        {.name = "a rank aborted itself",
         .needles = {"Signal 6 (SIGABRT) received", "exitcode: -6", "exitcode  : -6", "exitcode : -6",
                     "return code = -6", "terminated with signal SIGABRT", "died with <Signals.SIGABRT"},
         .meaning =
             "A process ended itself (abort), as PyTorch does after a timeout of NCCL or an error that C++ raised; its "
             "own message, with \"terminate called\" or \"Watchdog\", stands further up in the log of that rank.",
         .remedies =
             {"torchrun --tee 3 --log-dir logs ...   (keeps each rank's output; read the one that failed first)",
              "NCCL_DEBUG=WARN torchrun ...   (if it was NCCL)"},
         .near = {"torch", "accelerate", "deepspeed", "NCCL", "CUDA", "cuda"},
         .rank = Rank::echo},
        {.name = "a spawned rank failed",
         .needles = {"ProcessExitedException: process", "ProcessRaisedException:"},
         .meaning =
             "The process that started the ranks says only that one of them failed; that one's own error stands beside "
             "or further up.",
         .remedies = {"paste the lines from \"terminated with the following error\" on, or those before this traceback",
                      look("sudo dmesg | grep -iE 'oom|killed process|segfault'; free -h   (if it left no message)"),
                      "CUDA_VISIBLE_DEVICES=0 python ...   (one GPU: shows an error of the program itself)"},
         .rank = Rank::echo},
        {.name = "Horovod without this framework",
         .needles = {"Extension horovod.torch has not been built", "Extension horovod.tensorflow has not been built",
                     "Extension horovod.keras has not been built"},
         .meaning = "Horovod was built where this framework was not installed, or could not be compiled against it.",
         .remedies =
             {look("horovodrun --check-build   (which frameworks, NCCL and MPI it has)"),
              environment("HOROVOD_WITH_PYTORCH=1 HOROVOD_GPU_OPERATIONS=NCCL pip install --no-cache-dir "
                          "--force-reinstall --no-deps horovod   (or _WITH_TENSORFLOW; after the framework; undo: pip "
                          "uninstall horovod)"),
              look(
                  "g++ --version; cmake --version; python -c 'import torch; print(torch._C._GLIBCXX_USE_CXX11_ABI)'")}},
        {.name = "Horovod: ranks out of step",
         .needles = {"submitted to be reduced, gathered or broadcasted by subset of ranks"},
         .meaning =
             "Some ranks wait for a tensor that the others did not hand in: they run another number of steps, took a "
             "different code path, or one hangs.",
         .remedies =
             {"read which ranks and tensors it lists   (\"Stalled ranks\": those have not come)",
              "give each rank the same number of steps   (steps_per_epoch = total // hvd.size(); drop the last batch)",
              "HOROVOD_TIMELINE=timeline.json horovodrun ...   (shows where each waits)"},
         .rank = Rank::echo},
        {.name = "Open MPI not built for Slurm",
         .needles = {"OMPI was not built with SLURM's PMI support", "OMPI was not built with SLURM support"},
         .meaning =
             "srun starts the ranks and this Open MPI does not understand how (PMI), so they would all be alone.",
         .remedies = {look("srun --mpi=list   (which ways this Slurm has)"),
                      "srun --mpi=pmix ...   (if pmix is among them)",
                      "mpirun -np N ...   (within salloc or sbatch, instead of srun)"}},
        {.name = "job ended by Slurm",
         .needles = {"DUE TO TIME LIMIT", "DUE TO NODE FAILURE", "DUE TO PREEMPTION"},
         .meaning =
             "Slurm ended the job: its time was over, a node failed, or a job of higher priority took its place. What "
             "NCCL and torchrun print after it follows from that.",
         .remedies =
             {look("sacct -j JOB -o JobID,State,Elapsed,Timelimit,NodeList"),
              "sbatch --time=24:00:00 ...   (a longer limit, as far as the partition has it: sinfo -o '%P %l')",
              "sbatch --requeue --signal=B:USR1@300 ...   (writes a checkpoint 5 minutes before, and goes on later)"},
         .applies = is_of_ranks},
        {.name = "torchrun not found",
         .needles = {"torchrun: command not found", "'torchrun' is not recognized", "torchrun: not found"},
         .meaning = "torchrun comes with PyTorch 1.10 and newer, and the environment that has it is not active.",
         .remedies = {"python -m torch.distributed.run ...   (the same, with the Python that has torch)",
                      look("python -c 'import torch, sys; print(torch.__version__, sys.executable)'")}},
    };
}

// Warnings of a group that are harmless by themselves.
std::vector<KnownError> warnings_of_groups() {
    return {
        {.name = "group not taken down",
         .needles = {"destroy_process_group() was not called"},
         .meaning =
             "The program ended without taking its group down. Nothing failed by this warning; if it stands at the end "
             "of a run that failed, another error is above it.",
         .remedies = {"torch.distributed.destroy_process_group()   (at the end of the program)"},
         .rank = Rank::notice},
        {.name = "rank without a GPU of its own yet",
         .needles = {"as device used by this process is currently unknown", "Guessing device ID based on global rank",
                     "devices used by this process are currently unknown"},
         .meaning =
             "A barrier ran before the process had chosen its GPU, and PyTorch took the one of its rank: with several "
             "nodes or a mapping of one's own it may be the wrong one, and the group hangs.",
         .remedies = {"torch.cuda.set_device(int(os.environ['LOCAL_RANK']))   (before init_process_group)",
                      "init_process_group('nccl', device_id=torch.device('cuda', local_rank))"},
         .rank = Rank::notice},
        {.name = "address without a name",
         .needles = {"The hostname of the client socket cannot be retrieved"},
         .meaning =
             "PyTorch could not find the name that belongs to an address, which it wants for its log only. Harmless: "
             "connections use the address.",
         .remedies = {look("getent hosts $(hostname)   (if it then hangs: does each node know the others' names?)")},
         .rank = Rank::notice},
        {.name = "vLLM: no peer access between the GPUs",
         .needles = {"Custom allreduce is disabled because"},
         .meaning =
             "vLLM's own way between GPUs needs peer access and two, four, six or eight of them; it goes on with NCCL. "
             "Usual with GeForce: nothing failed.",
         .remedies = {"vllm serve ... --disable-custom-all-reduce   (silences it)",
                      look("nvidia-smi topo -p2p r   (OK between all: it could work)")},
         .rank = Rank::notice},
    };
}

}  // namespace

std::vector<KnownError> collective_errors() {
    auto all = errors_of_wrapped_models();
    for (const auto& family : {errors_of_ends, warnings_of_groups}) {
        const auto some = family();
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

}  // namespace tocuda::doctor
