// tocuda, Apache-2.0.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

void read_devices(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text.substr(at), 500);
    if (const auto two = between(message, "at least two devices, ", "!"))
        told.arithmetic.push_back(fmt::format("the operands are on {}", *two));
    else if (const auto one = between(message, "but got ", ","))
        if (const auto others = between(message, "different from other tensors on ", " ("))
            told.arithmetic.push_back(fmt::format("{}, the others on {}", *one, *others));
}

void read_kernel(std::string_view text, std::size_t at, Explanation& told) {
    constexpr std::size_t near = 80;
    const auto from = at < near ? 0 : at - near;
    const auto around = text.substr(from, 2 * near);
    const auto before = around.substr(0, at - from);
    const auto quote = before.find_last_of('"');
    const auto type = between(around.substr(at - from), "for '", "'");
    if (quote != std::string_view::npos && type)
        told.arithmetic.push_back(fmt::format("{} has no version for {}", before.substr(quote + 1), *type));
}

}  // namespace

std::vector<KnownError> usage_errors() {
    return {
        {.name = "torch is not installed",
         .needles = {"No module named 'torch'"},
         .meaning =
             "The Python that ran this has no PyTorch: another environment was meant, or it was never installed.",
         .remedies = {"tocuda doctor --python python3   (which Python this is, and what it has)",
                      "uv pip install --torch-backend=auto torch"}},
        {.name = "invalid device ordinal",
         .needles = {"invalid device ordinal", "cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE",
                     "AssertionError: Invalid device id", "Attempting to deserialize object on CUDA device"},
         .meaning =
             "The program asks for a GPU index that is not there (code 101). CUDA_VISIBLE_DEVICES renumbers from 0.",
         .claims = {"001-E2", "001-08"},
         .remedies = {"python -c 'import torch; print(torch.cuda.device_count())'", "echo \"[$CUDA_VISIBLE_DEVICES]\"",
                      "torch.load(FILE, map_location='cuda:0')   (for a checkpoint)"}},
        {.name = "CUDA in a forked process",
         .needles = {"Cannot re-initialize CUDA in forked subprocess"},
         .meaning = "CUDA was initialized before fork(), and a context cannot be used in the child.",
         .claims = {"X-fork"},
         .remedies = {"torch.multiprocessing.set_start_method('spawn')   (first in main)",
                      "DataLoader(..., multiprocessing_context='spawn'), or leave CUDA out of the workers"}},
        {.name = "tensors on different devices",
         .needles = {"Expected all tensors to be on the same device",
                     "indices should be either on cpu or on the same device",
                     "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor)",
                     "Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor)", "Too many CPU scalars",
                     "passing too many CPU scalars to non-CPU kernel",
                     "Expected object of device type cuda but got device type cpu"},
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
         .remedies = {"model.to_empty(device='cuda'); model.load_state_dict(state)",
                      "load without low_cpu_mem_usage or device_map, or let these place the model"}},
        {.name = "layout that does not move",
         .needles = {"Unsupported device type for mkldnn layout"},
         .meaning = "An MKL-DNN tensor is in a private format of the CPU.",
         .claims = {"002-10"},
         .remedies = {"x.to_dense().to('cuda')"}},
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
         .remedies = {"torch.load(FILE, map_location='cpu')", "tocuda doctor   (if this machine should have a GPU)"}},
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
