// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <algorithm>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

// pip builds an extension in an environment of its own, in which torch is missing.
void read_build_isolation(std::string_view text, std::size_t, Explanation& told) {
    if (!contains_any(text,
                      {"build_wheel", "equirements to build wheel", "egg_info", "build_editable", "build backend"}))
        return;
    told.meaning =
        "pip builds this extension in an isolated environment, which has no PyTorch although yours may have.";
    told.remedies = {{"python -c 'import torch; print(torch.__version__)'   (is it there?)", Scope::look},
                     {fmt::format("{}pip install --no-build-isolation EXTENSION   (built with the torch that is "
                                  "installed; undo: pip uninstall EXTENSION)",
                                  contains_any(text, {"uv/", "uv\\", "uv pip", "build backend returned"}) ? "uv " : ""),
                      Scope::environment}};
}

// Its launcher installs torch itself, into a Python of its own.
void tell_of_web_ui(std::string_view text, Explanation& told) {
    if (!contains(text, "skip-torch-cuda-test") || contains_any(text, {"/whl/rocm", "+rocm"})) return;
    const bool windows = origin_of(text).windows;
    told.meaning =
        "The web UI's own PyTorch sees no GPU: it is a build for the CPU, or there is no NVIDIA GPU with a driver. "
        "The option that the message names only lets it start on the CPU.";
    told.remedies = {
        {"nvidia-smi   (is there an NVIDIA GPU with a driver? AMD and Intel have versions of the web UI of their own)",
         Scope::look},
        {fmt::format(
             "{} COMMANDLINE_ARGS=--reinstall-torch   (in webui-user.{}, for one start: its torch anew, into its "
             "own Python; then take it out)",
             windows ? "set" : "export", windows ? "bat" : "sh"),
         Scope::environment},
        {fmt::format("{0} TORCH_COMMAND={1}pip install torch torchvision --index-url "
                     "https://download.pytorch.org/whl/cu128{1}   (beside it, for RTX 50; undo: remove the line, and "
                     "--reinstall-torch once more)",
                     windows ? "set" : "export", windows ? "" : "\""),
         Scope::environment}};
}

// "torchrun --nproc_per_node=8", "CUDA_VISIBLE_DEVICES=1,2"
void read_processes(std::string_view text, Explanation& told) {
    const auto visible = origin_of(text).visible.value_or("");
    if (!visible.empty())
        told.arithmetic.push_back(
            fmt::format("CUDA_VISIBLE_DEVICES={} in the text: only these are seen, numbered from 0", visible));
    for (const std::string_view label : {"nproc_per_node=", "nproc_per_node ", "nproc-per-node=", "nproc-per-node ",
                                         "num_processes ", "num_processes="}) {
        const auto number = number_after(text, label);
        if (!number || *number < 2) continue;
        told.arithmetic.push_back(fmt::format("{} processes are started, and each takes a GPU of its own", *number));
        told.remedies = {fmt::format("torchrun --nproc-per-node={} ...   (as many as GPUs are seen)",
                                     visible.empty() ? "$(nvidia-smi -L | grep -c ^GPU)"
                                                     : std::to_string(1 + std::ranges::count(visible, ','))),
                         {"nvidia-smi -L", Scope::look}};
    }
}

void read_ordinal(std::string_view text, std::size_t at, Explanation& told) {
    if (contains_any(text_near(text, at, 300, 0), {"cudaGetDeviceCount()", "_cuda_init"})) {
        told.error = "CUDA cannot start";
        told.meaning =
            "No program asked for an index: CUDA failed while it counted the GPUs (code 101). The driver is broken or "
            "was updated by half, or one GPU is in a bad state.";
        told.remedies = {
            {"nvidia-smi; sudo dmesg | grep -iE 'nvrm|xid'   (does it show all GPUs?)", Scope::look},
            {"echo \"[$CUDA_VISIBLE_DEVICES]\"   (a number that is not there?)", Scope::look},
            {"install the driver again   (`tocuda doctor` on that machine names the package)", Scope::machine},
            {"sudo reboot   (if the driver was just updated; it ends every program there)", Scope::others}};
        return;
    }
    if (contains(line_around(text, at), "CUDA driver error"))
        told.arithmetic.emplace_back(
            "it is a call of the driver: PyTorch shares memory between ranks so (symmetric memory), and for that each "
            "process must see the GPUs of all, not only its own");
    if (contains(text, "Test CUDA failure common.cu")) {
        told.arithmetic.emplace_back(
            "nccl-tests take a GPU for each process of the machine times -t times -g, which is more than are there");
        told.remedies = {
            {"mpirun -np 2 --map-by node nvidia-smi -L   (what each process sees; its own options of mpirun)",
             Scope::look},
            "mpirun -np 16 -N 8 ./build/all_reduce_perf -g 1 ...   (a process for each GPU, as many as a machine "
            "has: one GPU each)",
            "./build/all_reduce_perf -g 8 ...   (one machine: one process for all)"};
        return;
    }
    read_processes(text, told);
    if (contains(text, "You requested "))
        told.remedies = {
            "Trainer(accelerator='gpu', devices=1)   (no more than this process sees; older ones: gpus=1)",
            {"nvidia-smi -L; echo \"[$CUDA_VISIBLE_DEVICES]\"   (Slurm and Ray show a process only what it asked for: "
             "Ray: num_gpus=2 for each worker)",
             Scope::look}};
    if (told.arithmetic.empty() && contains_any(text, {"['CUDA_VISIBLE_DEVICES']", "[\"CUDA_VISIBLE_DEVICES\"]"}))
        told.arithmetic.emplace_back(
            "the text sets CUDA_VISIBLE_DEVICES: the GPUs that are left are numbered from 0, so use indices from 0");
    if (contains_any(text, {"srun", "SLURM", "slurm"}))
        told.arithmetic.emplace_back(
            "under Slurm each task may see only its own GPU, as number 0: take the local rank modulo "
            "torch.cuda.device_count(), or give each task all GPUs of the job");
    if (!contains(text, "MIG-") && !contains(text, "MIG ")) return;
    told.arithmetic.emplace_back("a process uses one MIG instance, as cuda:0, however many are named");
    told.remedies = {"CUDA_VISIBLE_DEVICES=MIG-UUID python ...   (one process for each instance, with its UUID)",
                     {"nvidia-smi -L   (the UUIDs)", Scope::look}};
}

}  // namespace

// "No module named 'apex'", "'mmcv._ext'", "'flash_attn_2_cuda'": packages that hold code for GPUs.
bool has_code_for_gpus(std::string_view text, std::size_t at) {
    const auto name = between(text_near(text, at, 0, 80), "'", "'").value_or("");
    return name.ends_with("_cuda") || name.ends_with("._C") || name.ends_with("_ext") ||
           (!name.starts_with("torch") && names_package_for_gpus(name.substr(0, name.find('.'))));
}

void read_package(std::string_view text, std::size_t at, Explanation& told) {
    auto name = between(text_near(text, at, 0, 80), "'", "'").value_or("apex");
    if (name == "_C") {
        name = between(text.substr(at, 160), text.substr(at, 160).find("module '") < 80 ? "module '" : "from '", "'")
                   .value_or("");
        told.arithmetic.emplace_back(
            "its compiled part _C is not there: it was not built, or a folder of its sources of that name is imported "
            "instead (start Python in another folder)");
    }
    const std::string package(name.substr(0, name.find('.')));
    told.arithmetic.push_back(fmt::format("the package is {}", package));
    if (package == "mmcv") {
        told.arithmetic.emplace_back(
            "its compiled part is not in mmcv-lite, nor in an mmcv that pip built without nvcc");
        told.remedies = {
            {"python -c 'import torch; print(torch.__version__)'; pip list | grep mmcv   (mmcv and mmcv-full "
             "exclude each other)",
             Scope::look},
            {"pip uninstall -y mmcv mmcv-full mmcv-lite && pip install -U openmim && mim install mmcv   (the "
             "wheel for this torch and CUDA; old programs: mim install mmcv-full==VERSION; undo: the version "
             "that pip list showed)",
             Scope::environment},
            {"MMCV_WITH_OPS=1 FORCE_CUDA=1 pip install --no-cache-dir --no-build-isolation --no-binary mmcv "
             "mmcv   (where there is no wheel for this torch: built here; undo: pip uninstall mmcv)",
             Scope::environment}};
        return;
    }
    const auto typed = extension_in(package);
    if (typed.empty()) return;
    told.remedies = {
        {fmt::format("pip list | grep -iE 'torch|{}'; python -c 'import torch; print(torch.__version__)'",
                     package.substr(0, package.find('_'))),
         Scope::look},
        "install the wheel of it that names this torch, CUDA and Python   (in a new environment)",
        {fmt::format(
             "pip install --no-build-isolation --no-cache-dir {}   (else it is built here, with nvcc of PyTorch's "
             "CUDA; undo: pip uninstall {})",
             typed, package),
         Scope::environment}};
}

std::vector<KnownError> usage_errors() {
    return {
        {.name = "package with CUDA code missing",
         .needles = {"No module named '", "Apex was not found", "Please install apex", "cannot import name '_C' from "},
         .meaning = "A package that has code for GPUs is not in this Python, or its compiled part is not: it was never "
                    "built, or for another Python, PyTorch or CUDA.",
         .remedies = {look("pip list | grep -iE 'torch|PACKAGE'; python -c 'import torch; print(torch.__version__)'"),
                      "install the wheel of it that names this torch, CUDA and Python   (in a new environment)",
                      environment(
                          "pip install --no-build-isolation --no-cache-dir PACKAGE   (else it is built here, with nvcc "
                          "of PyTorch's CUDA; undo: pip uninstall PACKAGE)")},
         .read = read_package,
         .applies =
             [](std::string_view text, std::size_t at) {
                 const auto words = text.substr(at, 100);
                 if (words.starts_with("cannot import"))
                     return !contains(words, "'torch'") && names_package_for_gpus(words.substr(0, words.find('(')));
                 return !words.starts_with("No module") || has_code_for_gpus(text, at);
             },
         .certain = false},
        {.name = "torch is not installed",
         .needles = {"No module named 'torch'"},
         .meaning =
             "The Python that ran this has no PyTorch: another environment was meant, or it was never installed.",
         .remedies = {look("python -c 'import sys; print(sys.executable)'; command -v python pip"),
                      "{torch}   (a new environment), or activate the one that has it"},
         .read = read_build_isolation},
        {.name = "invalid device ordinal",
         .needles = {"invalid device ordinal", "cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE",
                     "AssertionError: Invalid device id", "Attempting to deserialize object on CUDA device",
                     "device >= 0 && device < num_gpus", "device_index < device_count", "But your machine only has: [0",
                     "Device id must be less than GPU count"},
         .meaning = "The program asks for a GPU index that is not there (code 101). CUDA_VISIBLE_DEVICES renumbers "
                    "from 0, and a process sees only one MIG instance.",
         .claims = {"001-E2", "001-08"},
         .remedies =
             {look("python -c 'import torch; print(torch.cuda.device_count())'; echo \"[$CUDA_VISIBLE_DEVICES]\""),
              look("nvidia-smi -L   (is MIG on?)"),
              "torchrun --nproc-per-node=$(nvidia-smi -L | grep -c ^GPU) ...   (as many processes as GPUs)",
              "torch.load(FILE, map_location='cuda:0')   (for a checkpoint)"},
         .hints =
             {{"attempting to deserialize",
               "torch.load(FILE, map_location='cuda:0')   (it was saved on a GPU of a higher index; or 'cpu')"},
              {"attempting to deserialize",
               look("python -c 'import torch; print(torch.cuda.device_count())'; echo \"[$CUDA_VISIBLE_DEVICES]\"")}},
         .read = read_ordinal,
         .applies =
             [](std::string_view text, std::size_t at) {
                 return !contains_any(line_around(text, at), {"nvidia-container-cli", "GPU count is: 0", "p2p.cc"});
             }},
        {.name = "CUDA in a forked process",
         .needles = {"Cannot re-initialize CUDA in forked subprocess",
                     "create new processes if CUDA is already initialized"},
         .meaning = "CUDA was initialized before fork(), and a context cannot be used in the child.",
         .claims = {"X-fork"},
         .remedies = {"torch.multiprocessing.set_start_method('spawn')   (first in main)",
                      "DataLoader(..., multiprocessing_context='spawn'), or leave CUDA out of the workers"},
         .hints = {{"lightning can't create",
                    "restart the kernel of the notebook, and leave CUDA alone before trainer.fit()   (no .cuda(), "
                    "no .to('cuda'), no torch.cuda.set_device())"},
                   {"lightning can't create",
                    "Trainer(devices=1, ...)   (one GPU needs no processes; a library on Lightning passes it on, as "
                    "pl_trainer_kwargs={'devices': [0]})"},
                   {"lightning can't create", "run it as a script instead of a notebook   (strategy='ddp')"},
                   {"vllm", "VLLM_WORKER_MULTIPROC_METHOD=spawn python ..."},
                   {"vllm", "if __name__ == '__main__': ...   (around the program's own code, which spawn needs)"}},
         .read = [](std::string_view text, std::size_t, Explanation& told) { tell_of_worker(text, told); }},
        {.name = "offloaded model moved to the GPU",
         .needles = {"you have activated sequential model offloading by calling",
                     "move a model that has some modules offloaded to cpu or disk"},
         .meaning = "The program calls .to('cuda') for a model whose parts go to the GPU by themselves when they are "
                    "needed: offloading was turned on, or device_map='auto' found too little free memory for all of "
                    "it.",
         .remedies = {"delete .to(device) on the line that fails   (the model is placed already)",
                      "leave out device_map='auto' and the offloading   (if .to('cuda') shall stay: all of it must "
                      "fit; in 4 bits: BitsAndBytesConfig(load_in_4bit=True))",
                      look("nvidia-smi   (what else holds the memory? with enough of it nothing is offloaded)")},
         .hints = {{"sequential model offl",
                    "delete .to('cuda') after enable_sequential_cpu_offload()   (and device_map='auto', which is one "
                    "too)"},
                   {"sequential model offl",
                    "turn offloading off and load the model anew   (ComfyUI: the switch of the node, then unload "
                    "the models)"}}},
        {.name = "CUDA tensor to NumPy",
         .needles = {"device type tensor to numpy. Use Tensor.cpu()", "can't convert CUDA tensor to numpy"},
         .meaning = "NumPy reads memory of the host only.",
         .claims = {"002-11"},
         .remedies = {"x.detach().cpu().numpy()"}},
        {.name = "NumPy array that torch refuses",
         .needles = {"At least one stride in the given numpy array is negative",
                     "given numpy array strides not a multiple", "given numpy array has byte order different",
                     "can't convert np.ndarray of type", "Negative strides are not supported"},
         .meaning =
             "from_numpy() shares the array's memory, so the array must have a layout and type that a tensor can.",
         .claims = {"002-E3"},
         .remedies = {"torch.from_numpy(array.copy())   (negative or odd strides)",
                      "torch.from_numpy(array.astype('float32'))   (objects, text, dates, big-endian)"}},
        {.name = "meta tensor",
         .needles = {"Cannot copy out of meta tensor; no data!", "is not on the expected device meta",
                     "cannot be called on meta tensors", "is on the meta device, we need a `value`",
                     "expected device meta but got device cuda"},
         .meaning = "The tensor has a shape and no data: the model was made on the meta device and never filled, or "
                    "its weights were moved out by CPU offloading, of which the program knows nothing.",
         .claims = {"002-09"},
         .remedies = {"load with low_cpu_mem_usage=False and without device_map   (or let these place the model, "
                      "without .to())",
                      "model.to_empty(device='cuda'); model.load_state_dict(state)",
                      environment("pip freeze > before.txt && pip install --upgrade transformers accelerate   "
                                  "(versions that fit one another; undo: pip install -r before.txt)")},
         .hints = {{"cpu offload",
                    "turn sequential CPU offloading off   (model offloading needs a little more memory)"},
                   {"enable_sequential",
                    "pipe.enable_model_cpu_offload()   (instead of sequential: moves whole models; "
                    "after LoRAs and embeddings are loaded, without .to('cuda'))"},
                   {"dispatch_model", look("nvidia-smi   (device_map found too little memory, and offloads a part)")},
                   {"dispatch_model", "device_map={'': 0}   (the whole model on the GPU, if it fits: in 4 or 8 bits)"},
                   {"dispatch_model", "offload_folder='offload'   (beside device_map='auto': the rest on the disk)"}}},
        {.name = "layout that does not move",
         .needles = {"Unsupported device type for mkldnn layout"},
         .meaning = "An MKL-DNN tensor is in a private format of the CPU.",
         .claims = {"002-10"},
         .remedies = {"x.to_dense().to('cuda')"}},
        {.name = "generator of another device",
         .needles = {"device type for generator but found", "device type for generator bu",
                     "tensor from a generator of type "},
         .meaning = "A random generator of one device was given to a function that works on the other.",
         .remedies = {"torch.Generator(device='cuda')   (that of the data)",
                      "leave out torch.set_default_device('cuda') around a DataLoader, or give it generator="}},
        {.name = "random state on the GPU",
         .needles = {"RNG state must be a torch.ByteTensor"},
         .meaning = "torch.load(..., map_location='cuda') put the saved state of the random numbers on the GPU, too, "
                    "and it belongs on the CPU.",
         .remedies = {"torch.set_rng_state(state.cpu())   (likewise torch.cuda.set_rng_state)",
                      "torch.load(FILE, map_location='cpu')   (the model takes its weights from there)"}},
        {.name = "no bfloat16 on this GPU",
         .needles = {"Your setup doesn't support bf16/gpu", "bf16 mixed precision requires PyTorch",
                     "--tf32 requires Ampere"},
         .meaning =
             "bfloat16 and TF32 need compute capability 8.0 (Ampere) or newer, and this GPU is older. The same is "
             "said where PyTorch finds no GPU at all.",
         .remedies = {"fp16=True, bf16=False, tf32=False   (TrainingArguments; on the command line --fp16 True --bf16 "
                      "False; accelerate: --mixed_precision=fp16)",
                      look("python -c 'import torch; print(torch.cuda.get_device_name(), "
                           "torch.cuda.get_device_capability())'   (its error names the cause if no GPU is found)")},
         .certain = false},
        {.name = "CUDA not available",
         .needles = {"requires a GPU, but",
                     "No supported gpu backend found",
                     "But your machine only has: []",
                     "Failed to infer device type",
                     "Device string must not be empty",
                     "can only be used on CUDA devices",
                     "can only be used on CUDA or NPU devices",
                     "CUDA unavailable",
                     "CUDA is unavailable",
                     "fp16 mixed precision requires a GPU",
                     "CUDA is not available",
                     "GPU is not available",
                     "CUDA not available",
                     "No CUDA runtime is found, using CUDA_HOME",
                     "Torch is not able to use GPU",
                     "Your device does not support the current version of Torch/CUDA",
                     "Unsloth cannot find any torch accelerator",
                     "Unsloth currently only works on NVIDIA GPUs",
                     "No NVIDIA GPU found",
                     "can not run on your system since the accelerator is not available",
                     "No visible GPU is found",
                     "GPU count is: 0",
                     "cuda device is not available",
                     "CUDA device is not available",
                     "No CUDA device found",
                     "No GPU found",
                     "no GPU found",
                     "No GPU detected",
                     "no GPU detected",
                     "GPU not found",
                     "FP16 is not supported on CPU",
                     "cuda is missing or is incompatible with installed torch",
                     "Setting ds_accelerator to cpu",
                     "CUDA is required but",
                     "requires CUDA to be available",
                     "GPU is required to"},
         .meaning = "torch.cuda.is_available() is False in this process: this program found no GPU, and why is not in "
                    "this text.",
         .claims = {"000-02"},
         .remedies = {look("tocuda doctor   (on that machine, in that environment: says why)"),
                      look("python -c 'import torch; print(torch.__version__, torch.version.cuda); "
                           "torch.zeros(1).cuda()'   (its error names the cause)"),
                      look("nvidia-smi   (is there an NVIDIA GPU with a driver?)"),
                      "{torch}   (where the second prints +cpu or None: a build with CUDA, in a new environment)"},
         .hints =
             {{"directml",
               "use the package without directml in its name   (that one is for AMD and Intel, and does not use CUDA)"},
              {"directml", "{torch}   (a build with CUDA, in a new environment)"}},
         .read =
             [](std::string_view text, std::size_t, Explanation& told) {
                 tell_of_build(text, told);
                 tell_of_web_ui(text, told);
                 if (const auto origin = origin_of(text); origin.is_in("Colab") || origin.is_in("Kaggle"))
                     told.remedies = {origin.place->typed, {"nvidia-smi   (then it shows the GPU)", Scope::look}};
             },
         .applies =
             [](std::string_view text, std::size_t at) {
                 return !contains(line_around(text, at), "if ") && !contains(line_around(text, at), "\"");
             },
         .rank = Rank::echo},
        {.name = "checkpoint of a GPU on a machine without",
         .needles = {"Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False"},
         .meaning = "The file was saved from a GPU, and this process sees none.",
         .claims = {"004-11"},
         .remedies = {"torch.load(FILE, map_location='cpu')",
                      look("tocuda doctor   (if that machine should have a GPU)")},
         .read = [](std::string_view text, std::size_t, Explanation& told) { tell_of_build(text, told); }},
        {.name = "what has no .to()",
         .needles = {"'dict' object has no attribute 'to'", "'list' object has no attribute 'to'",
                     "'tuple' object has no attribute 'to'", "'str' object has no attribute 'to'",
                     "'numpy.ndarray' object has no attribute 'to'", "'dict' object has no attribute 'cuda'",
                     "'list' object has no attribute 'cuda'", "'numpy.ndarray' object has no attribute 'cuda'",
                     "'BatchEncoding' object has no attribute 'cuda'"},
         .meaning = "A container, or an array of NumPy, does not move: only tensors and modules have .to().",
         .claims = {"T-24"},
         .remedies = {"batch = {name: one.to(device) for name, one in batch.items()}   (of a list: [one.to(device) for "
                      "one in batch])",
                      "torch.from_numpy(array).to(device)   (of an array)"}},
        {.name = "only memory of the host can be pinned",
         .needles = {"only dense CPU tensors can be pinned"},
         .meaning = "pin_memory() was asked of a tensor that is on a GPU already. Pinned memory is the host's, for a "
                    "tensor on its way.",
         .claims = {"T-36"},
         .remedies = {"DataLoader(..., pin_memory=False)   (where the data set already holds tensors on a GPU)",
                      "keep the data set on the CPU, and move each batch"}},
        {.name = "unknown device",
         .needles = {"at start of device string", "Invalid device string",
                     "to() received an invalid combination of arguments"},
         .meaning = "The device is named in a way that PyTorch does not know; it is 'cuda' or 'cuda:0', not 'gpu'.",
         .claims = {"004-08"},
         .remedies = {"torch.device('cuda:0')"}},
        {.name = "operation forbidden in a CUDA graph",
         .needles = {"operation not permitted when stream is capturing", "cudaErrorStreamCapture",
                     "a capturing blocking stream", "operation failed due to a previous error during capture",
                     "Cannot call CUDAGeneratorImpl::", "Cannot prepare for replay during capturing stage",
                     "CUDA graphs must be captured on a non-default stream"},
         .meaning = "While a CUDA graph is captured nothing may synchronize or allocate outside its pool (code 900).",
         .remedies = {"warm up before capturing, and leave .item(), .cpu() and prints out of the captured part",
                      "with torch.cuda.graph(graph): ...   (captures on a stream of its own; seeds are set before it)",
                      "run it once without the graph   (a \"previous error\" then shows itself)"}},
    };
}

}  // namespace tocuda::doctor
