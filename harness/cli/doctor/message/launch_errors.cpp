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

bool lacks_launcher(std::string_view text, std::size_t at) {
    return !text.substr(at).starts_with("expected") || contains(line_around(text, at), "environment variable");
}

}  // namespace

Functions launch_functions() {
    return {.readings = {{"read_launcher", read_launcher},
                         {"read_world", read_world},
                         {"read_signal", read_signal},
                         {"read_unused", read_unused}},
            .conditions = {{"lacks_launcher", lacks_launcher}}};
}

}  // namespace tocuda::doctor
