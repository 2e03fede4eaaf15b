// tocuda, Apache-2.0.
// What training meets: mixed precision, losses that are no numbers, optimizers, recurrent layers, workers.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto guard =
    "if __name__ == '__main__': main()   (all that runs, below it; imports and definitions stay above)";

// A quantized or frozen model has no weights of its own that get gradients.
void read_scaler(std::string_view text, std::size_t, Explanation& told) {
    const bool quantized = contains_any(text, {"quantization_bit", "load_in_8bit", "load_in_4bit", "bitsandbytes"});
    if (!quantized) return;
    told.arithmetic.emplace_back("the text names a quantized model: its weights get no gradients, only adapters do");
    told.remedies.emplace_back(
        "model = get_peft_model(prepare_model_for_kbit_training(model), LoraConfig(...))   (peft: trains an adapter)");
    told.remedies.emplace_back(
        "print([name for name, one in model.named_parameters() if one.requires_grad])   (empty: nothing to train)");
}

// Programs whose options turn half precision off.
void read_loss(std::string_view text, std::size_t, Explanation& told) {
    if (origin_of(text).runs("kohya's scripts") || contains(text, "avr_loss"))
        told.remedies = {
            "--mixed_precision bf16 --no_half_vae   (the VAE of SDXL overflows in float16; GPUs before "
            "RTX 30: --mixed_precision no)",
            "--learning_rate 1e-5 --max_grad_norm 1.0   (lower than now)",
            "look at the weights it starts from   (a checkpoint that is NaN itself, or half downloaded)"};
    if (contains_any(text, {"mmdet", "rpn_", "rcnn_", "loss_bbox", "loss_box", "detectron2"}))
        told.remedies = {"look at the boxes   (x1 < x2, y1 < y2, inside the picture, none without area)",
                         "use a lower learning rate   (MMDetection's settings are for 8 GPUs: with one GPU an eighth), "
                         "and warm up longer",
                         "clip the gradients   (MMDetection: optim_wrapper = dict(clip_grad=dict(max_norm=35)), before "
                         "3.0: optimizer_config = dict(grad_clip=dict(max_norm=35, norm_type=2)))"};
    if (!contains_any(text, {"ultralytics", "yolo"})) return;
    told.remedies = {"yolo train ... amp=False   (GTX 16 and some others compute half precision badly)",
                     "yolo train ... lr0=0.001   (lower than now)",
                     "look at the labels   (boxes outside 0 to 1, or without area)"};
}

void read_optimizer(std::string_view text, std::size_t at, Explanation& told) {
    if (!text.substr(at).starts_with("If capturable=False")) return;
    told.meaning =
        "PyTorch 1.12.0 wants the step counter of the optimizer on the CPU, and loading a checkpoint put it on the "
        "GPU. 1.12.1 and newer take it.";
    told.remedies = {"{torch}   (1.12.1 or newer, in a new environment)",
                     "for group in optimizer.param_groups: group['capturable'] = True   (after load_state_dict())"};
}

void read_cupti(std::string_view text, std::size_t, Explanation& told) {
    if (contains(text, "LD_LIBRARY_PATH"))
        told.arithmetic.emplace_back("the text sets LD_LIBRARY_PATH, by which a CUPTI of another CUDA is found first");
}

void read_bootstrapping(std::string_view text, std::size_t, Explanation& told) {
    if (contains(text, "bootstrapping phase"))
        told.remedies = {guard, "DataLoader(..., num_workers=0)   (ultralytics: workers=0)"};
}

bool runs_on_cpu(std::string_view text, std::size_t at) {
    return text.substr(at).starts_with("Not implemented on the CPU") ||
           contains_any(text_near(text, at, 3000, 1000), {"torch", "mmcv", "mmdet", "Conv"});
}

}  // namespace

void tell_of_step(std::string_view text, std::size_t at, Explanation& told) {
    auto frames = text_near(text, at, 2500, 0);
    if (!contains(frames, "File \"")) frames = text_near(text, at, 2500, 2500);  // an old PyTorch prints it before them
    const auto say = [&](const char* what, const char* remedy) {
        told.arithmetic.emplace_back(what);
        std::erase(told.remedies, Remedy(remedy));
        told.remedies.insert(told.remedies.begin(), remedy);
    };
    if (contains_any(frames, {"_fsdp_wrapped_module", "distributed/fsdp/_state_dict", "distributed/checkpoint/"}))
        say("it fails while FSDP saves: the whole model is put together on the GPU",
            "FullStateDictConfig(offload_to_cpu=True, rank0_only=True), or StateDictType.SHARDED_STATE_DICT   "
            "(accelerate: fsdp_state_dict_type: SHARDED_STATE_DICT)");
    else if (contains_any(frames, {"torch/serialization.py", "torch\\serialization.py"}))
        say("it fails in torch.load(): the checkpoint goes to the GPU that it was saved from, beside what is there",
            "torch.load(FILE, map_location='cpu')   (the model takes it from there)");
    else if (contains_any(frames, {"in validate", "in evaluate", "in validation", "in evaluation_loop", "in eval\n",
                                   "in test\n", "in val\n", "evaluate(model", "validation_step", "in inference"}) &&
             !contains_any(frames, {"no_grad", "_contextlib.py", "grad_mode.py", "inference_mode"}))
        say("it fails while evaluating: without no_grad() each result keeps what a gradient would need",
            "with torch.no_grad(): ...   (around the evaluation; and add up loss.item(), not loss)");
    else if (contains_any(frames, {"torch/optim/", "torch\\optim\\", "optimizer.step()"}))
        say("it fails in the optimizer, whose first step makes its state: Adam's is twice the size of the weights",
            "use an optimizer with a smaller state   (bitsandbytes.optim.AdamW8bit, Adafactor), or train fewer "
            "weights: "
            "LoRA");
}

void tell_of_vocabulary(std::string_view text, Explanation& told) {
    if (!contains_any(text, {"mbedding", "tokenizer", "input_ids", "transformers/models", "vocab"})) return;
    told.arithmetic.emplace_back(
        "with a model of language it is often a token or position beyond the rows of an embedding");
    const std::vector<Remedy> first{
        {"print(input_ids.max(), model.get_input_embeddings().num_embeddings)   (the first must be smaller; no -1)",
         Scope::look},
        "model.resize_token_embeddings(len(tokenizer))   (after tokens were added); truncation=True (texts too long)",
        "CUDA_LAUNCH_BLOCKING=1 python ...   (then the traceback shows the line)"};
    std::erase_if(told.remedies, [](const Remedy& one) { return one.what.starts_with("CUDA_LAUNCH_BLOCKING"); });
    told.remedies.insert(told.remedies.begin(), first.begin(), first.end());
}

void tell_of_worker(std::string_view text, Explanation& told) {
    if (!contains_any(text, {"DataLoader worker", "_worker_loop", "in __getitem__"})) return;
    told.arithmetic.emplace_back(
        "it is a worker of the DataLoader, a child process: the data set or collate_fn uses the GPU");
    told.remedies = {
        "keep the data set on the CPU, and move each batch: x = x.to('cuda')   (in the training loop)",
        "DataLoader(..., num_workers=0)   (without workers the data set may use the GPU)",
        "torch.multiprocessing.set_start_method('spawn')   (first in main; each worker then takes memory of the GPU)"};
}

Functions training_functions() {
    return {.readings = {{"read_scaler", read_scaler},
                         {"read_loss", read_loss},
                         {"read_optimizer", read_optimizer},
                         {"read_bootstrapping", read_bootstrapping},
                         {"read_cupti", read_cupti}},
            .conditions = {{"runs_on_cpu", runs_on_cpu}}};
}

}  // namespace tocuda::doctor
