// tocuda, Apache-2.0.
// What programs on several GPUs ask of a group once it is there: wrapped models, collectives, the end of a rank.
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

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
    };
}

std::vector<KnownError> errors_of_ends() { return {}; }

// Warnings of a group that are harmless by themselves.
std::vector<KnownError> warnings_of_groups() { return {}; }

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
