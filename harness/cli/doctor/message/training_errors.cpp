// tocuda, Apache-2.0.
// What training meets: mixed precision, losses that are no numbers, optimizers, recurrent layers, workers.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto bfloat16_instead =
    "torch.autocast('cuda', dtype=torch.bfloat16), without a GradScaler   (from RTX 30 on; Trainer: bf16=True, "
    "fp16=False; accelerate: --mixed_precision=bf16)";

constexpr auto no_half =
    "--no-half-vae, then --no-half or mixed_precision=no   (GTX 16 and older compute half precision badly)";

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

std::vector<KnownError> training_errors() {
    return {
        {.name = "mixed precision without gradients",
         .needles = {"No inf checks were recorded for this optimizer"},
         .meaning = "The scaler of mixed precision found no gradient in any weight of the optimizer: all are frozen, "
                    "the loss does not reach them, or the optimizer was made before the model moved to the GPU.",
         .remedies = {"print([name for name, one in model.named_parameters() if one.grad is not None])   (after "
                      "backward(): which weights have a gradient?)",
                      "model.to('cuda'), and then optimizer = Optimizer(model.parameters())   (in this order)",
                      "look for .item(), .detach() or torch.tensor(...) between the model and the loss"},
         .read = read_scaler},
        {.name = "model in float16 with mixed precision",
         .needles = {"Attempting to unscale FP16 gradients"},
         .meaning = "The scaler of mixed precision needs weights in float32, and this model was loaded in float16.",
         .remedies = {"Model.from_pretrained(..., dtype=torch.float32)   (autocast converts by itself)",
                      "TrainingArguments(bf16=True, fp16=False)   (bfloat16 needs no scaler)"}},
        {.name = "NaN instead of numbers",
         .needles = {"probability tensor contains either `inf`, `nan`", "NaN detected in latents",
                     "A tensor with all NaNs was produced", "A tensor with NaNs was produced"},
         .meaning = "What was computed are no numbers (NaN or infinite): most often half precision overflowed before, "
                    "the weights are damaged or half loaded, or two GPUs copied wrong data.",
         .remedies =
             {"Model.from_pretrained(..., dtype=torch.bfloat16)   (or float32: tells whether float16 overflows)",
              "torch.isnan(logits).any()   (before sampling: on which layer, which input?)",
              "CUDA_VISIBLE_DEVICES=0 python ...   (one GPU: right there, wrong on several? `tocuda doctor --deep`)"},
         .hints = {{"latents", no_half}, {"all nans", no_half}, {"with nans", no_half}},
         .certain = false},
        {.name = "steps of mixed precision out of order",
         .needles = {"unscale_() has already been called on this optimizer", "unscale_() is being called after step()",
                     "step() has already been called since the last update()", " but _scale is None",
                     "Closure use is not currently supported if GradScaler is enabled"},
         .meaning = "GradScaler wants, once for each step: scale(loss).backward(), unscale_() at most once, step(), "
                    "update(). Here one is missing or comes twice, often because a branch skips update(). An optimizer "
                    "with a closure (LBFGS, SAM) does not work with it.",
         .remedies = {"scaler.scale(loss).backward(); scaler.unscale_(optimizer); clip_grad_norm_(...); "
                      "scaler.step(optimizer); scaler.update()   (all five in the same branch of accumulation)",
                      bfloat16_instead}},
        {.name = "scaler with bfloat16 gradients",
         .needles = {"_amp_foreach_non_finite_check_and_unscale_cuda\" not implemented for 'BFloat16'"},
         .meaning = "The weights are in bfloat16, and the scaler is one for float16: bfloat16 needs none.",
         .remedies = {bfloat16_instead, "GradScaler('cuda', enabled=False)   (in code of one's own)",
                      "Model.from_pretrained(..., dtype=torch.float32)   (to stay with fp16: weights in float32)"}},
        {.name = "quantized weights cannot be trained",
         .needles = {"only Tensors of floating point dtype can require gradients",
                     "only Tensors of floating point and complex dtype can require gradients",
                     "You cannot perform fine-tuning on purely quantized models"},
         .meaning = "Weights in 4 or 8 bits are integers, which get no gradient, and the program wants to train one: "
                    "a classifier's head that was quantized too, or a model without adapters.",
         .remedies =
             {"BitsAndBytesConfig(..., llm_int8_skip_modules=['classifier', 'pre_classifier', 'score'])   (keeps "
              "the head in its own type)",
              "model = get_peft_model(prepare_model_for_kbit_training(model), LoraConfig(...))   (trains "
              "adapters only)",
              environment("pip freeze > before.txt && pip install --upgrade transformers peft bitsandbytes   "
                          "(of one time; undo: pip install -r before.txt)")}},
        {.name = "PhysX finds no libcuda",
         .needles = {"internal error : libcuda.so!"},
         .meaning = "PhysX, of Isaac Gym and others, loads libcuda.so by this name, and the loader does not find it: "
                    "it simulates on the CPU, and what needs the GPU fails after it.",
         .remedies = {look("ldconfig -p | grep libcuda; ls /usr/lib/wsl/lib; nvidia-smi"),
                      "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH   (WSL; elsewhere the folder that has "
                      "libcuda.so.1)",
                      "ln -s /usr/lib/x86_64-linux-gnu/libcuda.so.1 libcuda.so && export "
                      "LD_LIBRARY_PATH=$PWD:$LD_LIBRARY_PATH   (a link of that name; undo: rm libcuda.so)"}},
        {.name = "loss is not a number",
         .needles = {"Loss is nan", "loss is nan", "Loss became infinite or NaN", "Loss is NaN",
                     "contain Inf/NaN. Training has diverged", "returned nan values in its",
                     "matrix contains invalid numeric", "(boxes1[:, 2:] >= boxes1[:, :2]).all()",
                     "but found invalid values", "gradients from `parameters` is non-finite"},
         .meaning = "The training diverged: some value became NaN or infinite, and all after it. Most often the "
                    "learning rate is too high, half precision overflows, or a batch has broken data. The GPU is "
                    "seldom at fault.",
         .remedies = {"print(x.isfinite().all(), loss.isfinite())   (each batch: the data or the model first?)",
                      "use a learning rate ten times lower, and torch.nn.utils.clip_grad_norm_(parameters, 1.0)",
                      bfloat16_instead,
                      "torch.autograd.set_detect_anomaly(True)   (names the operation; slow: for one run)"},
         .read = read_loss,
         .certain = false},
        {.name = "loss is not a number",
         .needles = {"loss=nan", "loss: nan", "loss = nan", "loss nan", "Skipping step, loss scaler"},
         .meaning = "The training diverged: some value became NaN or infinite, and all after it. Most often the "
                    "learning rate is too high, half precision overflows, or a batch has broken data.",
         .remedies = {"print(x.isfinite().all(), loss.isfinite())   (each batch: the data or the model first?)",
                      "use a learning rate ten times lower, and torch.nn.utils.clip_grad_norm_(parameters, 1.0)",
                      bfloat16_instead},
         .read = read_loss,
         .rank = Rank::notice,
         .certain = false},
        {.name = "optimizer's state on another device",
         .needles = {"If capturable=False, state_steps should not be CUDA",
                     "A tensor was not cuda. (multi_tensor_apply", "expected input to be on cuda",
                     "Tensors of the same index must be on the same device",
                     "params and state_steps must be on supported devices"},
         .meaning = "The optimizer holds tensors on another device, or of another type, than the weights they belong "
                    "to: its state was loaded, or it was made, before the model moved.",
         .remedies = {"model.to('cuda'), then optimizer = Optimizer(model.parameters()), then "
                      "optimizer.load_state_dict(...)   (in this order)",
                      "for state in optimizer.state.values(): state.update({k: v.to('cuda') for k, v in state.items() "
                      "if torch.is_tensor(v) and k != 'step'})   (moves a state that is loaded)"},
         .read = read_optimizer},
        {.name = "recurrent layer in evaluation",
         .needles = {"RNN backward can only be called in training mode",
                     "backward_input can only be called in training mode",
                     "derivative for '_cudnn_rnn_backward' is not implemented"},
         .meaning = "cuDNN keeps what the gradient of an LSTM, GRU or RNN needs only in training mode, and only for a "
                    "first gradient.",
         .remedies = {"model.train()   (before the forward pass, in each epoch: an evaluation left eval() on)",
                      "with torch.backends.cudnn.flags(enabled=False): y = model(x)   (gradients in eval() mode or "
                      "second ones: without cuDNN, slower)"}},
        {.name = "lengths on the GPU",
         .needles = {"should be a 1D CPU int64 tensor"},
         .meaning =
             "pack_padded_sequence() wants the lengths on the CPU, and the batch on the GPU (since PyTorch 1.7).",
         .remedies = {"pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)"}},
        {.name = "operation for the GPU alone",
         .needles = {"Not implemented on the CPU", "ot implemented on cpu", "is not implemented on CPU",
                     "implementation for device cpu not found", "_impl: implementation for device cpu",
                     "does not have a CPU implementation", "CPU is not supported", "only supports CUDA tensors",
                     "CPU version is not implemented"},
         .meaning = "An operation of this extension has code for the GPU only, and got tensors on the CPU: the model "
                    "or its input was not moved, or no GPU was found.",
         .remedies = {"model = model.to('cuda'); x = x.to('cuda')   (both, before the call)",
                      look("python -c 'import torch; print(torch.cuda.is_available())'"),
                      "update the package   (mmcv 1.3.13 and newer has deformable convolutions for the CPU)"},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return text.substr(at).starts_with("Not implemented on the CPU") ||
                        contains_any(text_near(text, at, 3000, 1000), {"torch", "mmcv", "mmdet", "Conv"});
             }},
        {.name = "result of a CUDA graph overwritten",
         .needles = {"accessing tensor output of CUDAGraphs that has been overwritten"},
         .meaning = "With mode='reduce-overhead' or 'max-autotune' torch.compile uses CUDA graphs, whose results lie "
                    "in the same memory at each call: one was used after the next call.",
         .remedies = {"y = model(x).clone()   (outside of the compiled function)",
                      "torch.compiler.cudagraph_mark_step_begin()   (before each step)",
                      "torch.compile(model, mode='max-autotune-no-cudagraphs')   (or the default mode)"}},
        {.name = "data set that does not go to workers",
         .needles = {"Can't pickle local object", "cannot pickle '", "Cowardly refusing to serialize non-leaf tensor",
                     "[Errno 32] Broken pipe", "Ran out of input"},
         .meaning = "What a DataLoader gives its workers is pickled: on Windows and macOS the data set and collate_fn "
                    "itself, and everywhere the batches. A lambda, an open file or a tensor with a gradient is none "
                    "that can be. The GPU is not at fault.",
         .remedies = {"DataLoader(..., num_workers=0)   (ultralytics: workers=0; nothing is pickled)",
                      "def collate(batch): ...   (at the top of the file, instead of a lambda or an inner function)",
                      "return x.detach()   (in the data set: no tensors with gradients)"},
         .read =
             [](std::string_view text, std::size_t, Explanation& told) {
                 if (contains(text, "bootstrapping phase"))
                     told.remedies = {guard, "DataLoader(..., num_workers=0)   (ultralytics: workers=0)"};
             },
         .near = {"dataloader.py", "DataLoader", "ForkingPickler", "popen_spawn"}},
        {.name = "too many open files",
         .needles = {"received 0 items of ancdata", "unable to mmap ", "Too many open files"},
         .meaning = "The workers of a DataLoader pass tensors as open files of shared memory, and the limit of open "
                    "files or of mappings is reached.",
         .remedies = {"torch.multiprocessing.set_sharing_strategy('file_system')   (first in the program)",
                      "ulimit -n 65536   (in the shell that starts it)",
                      look("ulimit -n; df -h /dev/shm; sysctl vm.max_map_count")},
         .near = {"torch", "DataLoader"},
         .rank = Rank::symptom},
        {.name = "error in one copy of the model",
         .needles = {"Error in replica ", "Error in DataLoader worker process", "Error in pin memory thread"},
         .meaning = "This line only says in which copy, worker or thread it failed; what failed stands after "
                    "\"Original Traceback\".",
         .remedies = {"paste the lines after \"Original Traceback (most recent call last)\" too",
                      "CUDA_VISIBLE_DEVICES=0 python ...   (one GPU: nn.DataParallel makes no copies)",
                      "DataLoader(..., num_workers=0)   (a worker's own error shows itself)"},
         .hints = {{"in replica", "paste the lines after \"Original Traceback (most recent call last)\" too"},
                   {"in replica", "CUDA_VISIBLE_DEVICES=0 python ...   (one GPU: nn.DataParallel makes no copies)"},
                   {"in replica",
                    "torchrun --nproc-per-node=$(nvidia-smi -L | grep -c ^GPU) ...   (DistributedDataParallel, which "
                    "PyTorch recommends instead, if the program can)"}},
         .rank = Rank::echo},
        {.name = "checkpointing computes another thing",
         .needles = {"Recomputed values for the following tensors have different metadata",
                     "A different number of tensors was saved during the original forward and recomputation"},
         .meaning = "Gradient checkpointing computes a part again in backward(), and other tensors came out than at "
                    "first: a cache that grew, mixed precision or a mode that changed between, or weights that ZeRO-3 "
                    "or FSDP had put away (shape 0). The GPU is not at fault.",
         .remedies = {"model.config.use_cache = False   (while it trains)",
                      "model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={'use_reentrant': True})   "
                      "(with DeepSpeed ZeRO-3; else also try False)",
                      "torch.utils.checkpoint.set_checkpoint_debug_enabled(True)   (around the step: names the "
                      "operations)"},
         .hints = {{"recomputed metadata: {'shape': torch.size([0])",
                    "model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={'use_reentrant': True})   "
                    "(ZeRO-3: the weights of the part are put away)"},
                   {"recomputed metadata: {'shape': torch.size([0])",
                    environment("pip freeze > before.txt && pip install --upgrade deepspeed transformers   (undo: "
                                "pip install -r before.txt)")}},
         .certain = false},
        {.name = "workers of batchgenerators ended",
         .needles = {"One or more background workers are no longer alive"},
         .meaning = "A process that prepares batches, as of nnU-Net, has ended: its own error stands further up. "
                    "Without one, the memory of the host was full; on Windows a script without a guard.",
         .remedies = {look("free -h; sudo dmesg | grep -i oom   (was it killed?)"),
                      "nnUNet_n_proc_DA=4 nnUNetv2_train ...   (fewer workers; 0: none, and its own error shows)",
                      "if __name__ == '__main__': ...   (Windows: around what a script of one's own runs)"},
         .rank = Rank::echo},
        {.name = "profiler without CUPTI",
         .needles = {"CUPTI initialization failed", "CUPTI_ERROR_", "CUPTI tracing is not available"},
         .meaning = "The profiler could not start CUPTI, which traces the GPU: the trace has no kernels in it. The "
                    "program itself is not affected. Most often a CUPTI of another CUDA is loaded, or another "
                    "profiler is active.",
         .remedies = {"env -u LD_LIBRARY_PATH python ...   (without the toolkit's CUPTI)",
                      look("pip list | grep cupti; ldconfig -p | grep cupti; nvidia-smi | grep 'CUDA Version'"),
                      "run it without nsys, ncu or a second profiler"},
         .read = read_cupti,
         .rank = Rank::warned,
         .certain = false},
        {.name = "linear algebra started by several threads",
         .needles = {"lazy wrapper should be called at most once"},
         .meaning = "PyTorch loads its linear algebra at the first call, and here several threads called it first, as "
                    "nn.DataParallel does.",
         .remedies = {"torch.inverse(torch.eye(2, device='cuda'))   (once at the start of the program)"}},
        {.name = "matrix that cannot be solved",
         .needles = {"because the input matrix is singular", "is not positive-definite",
                     "because the input matrix contained non-finite", "because the input matrix is ill-conditioned",
                     "failed to converge because the input matrix", "U(1,1) is zero, singular U"},
         .meaning = "The matrix is singular, not positive-definite, or has NaN in it. The GPU is not at fault: the CPU "
                    "says the same.",
         .remedies = {"print(A.isfinite().all(), torch.linalg.cond(A))   (before the failing line)",
                      "torch.linalg.inv(A + 1e-6 * torch.eye(A.shape[-1], device=A.device))   (a little on the "
                      "diagonal; GPTQ: a larger damp_percent, more samples)",
                      "A.double()   (more digits)"}},
    };
}

}  // namespace tocuda::doctor
