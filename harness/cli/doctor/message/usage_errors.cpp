// tocuda, Apache-2.0.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

void read_devices(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text.substr(at), 500);
    if (const auto two = between(message, "at least two devices, ", "!")) {
        told.arithmetic.push_back(fmt::format("the operands are on {}", *two));
        if (!contains(*two, "cpu"))
            told.arithmetic.emplace_back(
                "both are GPUs: device_map='auto' or the program spread the model over several");
    } else if (const auto one = between(message, "but got ", ",")) {
        if (const auto others = between(message, "different from other tensors on ", " ("))
            told.arithmetic.push_back(fmt::format("{}, the others on {}", *one, *others));
    }
    if (const auto argument = between(message, "when checking argument for argument ", " in method"))
        told.arithmetic.push_back(fmt::format("the one that stayed behind is the argument '{}'", *argument));
}

// The operation's name, which stands in quotes before the needle.
std::string_view operation_before(std::string_view text, std::size_t at) {
    const auto before = text_near(text, at, 80, 0);
    const auto quote = before.find_last_of('"');
    return quote == std::string_view::npos ? "" : before.substr(quote + 1);
}

void read_kernel(std::string_view text, std::size_t at, Explanation& told) {
    const auto type = between(text_near(text, at, 0, 80), "for '", "'");
    if (const auto name = operation_before(text, at); !name.empty() && type)
        told.arithmetic.push_back(fmt::format("{} has no version for {}", name, *type));
}

// Kernels of the CPU without half precision: the same operation has one on the GPU.
bool is_half_on_the_cpu(std::string_view text, std::size_t at) {
    const auto type = text_near(text, at, 0, 60);
    if (!contains(type, "'Half'") && !contains(type, "'BFloat16'") && !contains(type, "'Float8")) return false;
    const auto name = operation_before(text, at);
    return contains(name, "cpu") || contains(name, "LayerNormKernelImpl") || contains(name, "RMSNorm") ||
           contains(name, "slow_conv");
}

void read_fork(std::string_view text, std::size_t, Explanation& told) {
    if (contains(text, "vllm") || contains(text, "vLLM"))
        told.remedies = {"VLLM_WORKER_MULTIPROC_METHOD=spawn python ...",
                         "if __name__ == '__main__': ...   (around the program's own code, which spawn needs)"};
}

void read_ordinal(std::string_view text, std::size_t, Explanation& told) {
    if (contains(text, "srun") || contains(text, "SLURM") || contains(text, "slurm"))
        told.arithmetic.emplace_back(
            "under Slurm each task may see only its own GPU, as number 0: take the local rank "
            "modulo torch.cuda.device_count(), or give each task all GPUs of the job");
}

}  // namespace

std::vector<KnownError> usage_errors() {
    return {
        {.name = "torch is not installed",
         .needles = {"No module named 'torch'"},
         .meaning =
             "The Python that ran this has no PyTorch: another environment was meant, or it was never installed.",
         .remedies = {look("python -c 'import sys; print(sys.executable)'; command -v python pip"),
                      environment("python -m pip install torch   (adds it to the environment of that python)")}},
        {.name = "invalid device ordinal",
         .needles = {"invalid device ordinal", "cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE",
                     "AssertionError: Invalid device id", "Attempting to deserialize object on CUDA device"},
         .meaning =
             "The program asks for a GPU index that is not there (code 101). CUDA_VISIBLE_DEVICES renumbers from 0.",
         .claims = {"001-E2", "001-08"},
         .remedies = {look("python -c 'import torch; print(torch.cuda.device_count())'; echo "
                           "\"[$CUDA_VISIBLE_DEVICES]\""),
                      "torch.load(FILE, map_location='cuda:0')   (for a checkpoint)"},
         .read = read_ordinal},
        {.name = "CUDA in a forked process",
         .needles = {"Cannot re-initialize CUDA in forked subprocess"},
         .meaning = "CUDA was initialized before fork(), and a context cannot be used in the child.",
         .claims = {"X-fork"},
         .remedies = {"torch.multiprocessing.set_start_method('spawn')   (first in main)",
                      "DataLoader(..., multiprocessing_context='spawn'), or leave CUDA out of the workers"},
         .read = read_fork},
        {.name = "tensors on different devices",
         .needles = {"Expected all tensors to be on the same device",
                     "indices should be either on cpu or on the same device",
                     "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor)",
                     "Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor)", "Too many CPU scalars",
                     "passing too many CPU scalars to non-CPU kernel",
                     "Expected object of device type cuda but got device type cpu",
                     "module must have its parameters and buffers on device",
                     "Input and parameter tensors are not at the same device",
                     "Input and hidden tensors are not at the same device"},
         .meaning =
             "One operation got tensors of several devices, and LibTorch moves none by itself. Often a tensor that "
             "is no parameter or buffer of a module stayed behind, or .to() was called without using its result.",
         .claims = {"003-03", "003-E2", "003-04"},
         .remedies = {"x = x.to(model.device)   (the result; the tensor itself does not move)",
                      "self.register_buffer('name', tensor)   (then model.to() moves it)"},
         .read = read_devices},
        {.name = "CUDA tensor to NumPy",
         .needles = {"device type tensor to numpy. Use Tensor.cpu()"},
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
         .needles = {"Cannot copy out of meta tensor; no data!"},
         .meaning = "The tensor has a shape and no data: the model was made on the meta device and never filled.",
         .claims = {"002-09"},
         .remedies =
             {"load with low_cpu_mem_usage=False and without device_map   (or let these place the model, without "
              ".to())",
              "model.to_empty(device='cuda'); model.load_state_dict(state)",
              environment("pip install --upgrade transformers accelerate   (versions that fit one another; "
                          "changes this environment)")}},
        {.name = "layout that does not move",
         .needles = {"Unsupported device type for mkldnn layout"},
         .meaning = "An MKL-DNN tensor is in a private format of the CPU.",
         .claims = {"002-10"},
         .remedies = {"x.to_dense().to('cuda')"}},
        {.name = "half precision on the CPU",
         .needles = {"\" not implemented for '"},
         .meaning = "The tensors are on the CPU, and this operation of the CPU has no half precision; that of the GPU "
                    "has. The model or its input was not moved, or no GPU was found.",
         .claims = {"002-03"},
         .remedies = {"model.to('cuda'); x = x.to('cuda')   (move both)",
                      look("python -c 'import torch; print(torch.cuda.is_available())'"),
                      "model.float()   (to stay on the CPU)"},
         .read = read_kernel,
         .applies = is_half_on_the_cpu},
        {.name = "generator of another device",
         .needles = {"device type for generator but found", "device type for generator bu"},
         .meaning = "A random generator of one device was given to a function that works on the other.",
         .remedies = {"torch.Generator(device='cuda')   (that of the data)",
                      "leave out torch.set_default_device('cuda') around a DataLoader, or give it generator="}},
        {.name = "CUDA not available",
         .needles = {"CUDA is not available. Disabling", "but CUDA is not available", "requires a GPU, but",
                     "No supported gpu backend found", "But your machine only has: []", "Failed to infer device type",
                     "Your setup doesn't support bf16/gpu", "can only be used on CUDA devices",
                     "AssertionError: CUDA is not available", "AssertionError: CUDA unavailable",
                     "fp16 mixed precision requires a GPU", "CUDA is not available", "GPU is not available",
                     "CUDA not available"},
         .meaning = "torch.cuda.is_available() is False in this process: this program found no GPU, and why is not in "
                    "this text.",
         .claims = {"000-02"},
         .remedies =
             {look("tocuda doctor   (on that machine, in that environment: says why)"),
              look("python -c 'import torch; print(torch.__version__, torch.version.cuda); torch.zeros(1).cuda()'  "
                   " (its error names the cause)")},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return !contains(line_around(text, at), "if ") && !contains(line_around(text, at), "\"");
             },
         .rank = Rank::symptom},
        {.name = "operation without this type",
         .needles = {"\" not implemented for '"},
         .meaning = "The tensor moves, but this operation has no kernel for its type, on the CPU as on the GPU.",
         .claims = {"002-03"},
         .remedies = {"x.float()   (or another type that the operation has)"},
         .read = read_kernel},
        {.name = "checkpoint of a GPU on a machine without",
         .needles = {"Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False"},
         .meaning = "The file was saved from a GPU, and this process sees none.",
         .claims = {"004-11"},
         .remedies = {"torch.load(FILE, map_location='cpu')",
                      look("tocuda doctor   (if that machine should have a GPU)")}},
        {.name = "unknown device",
         .needles = {"at start of device string", "Invalid device string"},
         .meaning = "The device is named in a way that PyTorch does not know; it is 'cuda' or 'cuda:0', not 'gpu'.",
         .claims = {"004-08"},
         .remedies = {"torch.device('cuda:0')"}},
        {.name = "operation forbidden in a CUDA graph",
         .needles = {"operation not permitted when stream is capturing", "cudaErrorStreamCaptureUnsupported",
                     "operation failed due to a previous error during capture"},
         .meaning = "While a CUDA graph is captured nothing may synchronize or allocate outside its pool (code 900).",
         .remedies = {"warm up before capturing, and leave .item(), .cpu() and prints out of the captured part"}},
    };
}

}  // namespace tocuda::doctor
