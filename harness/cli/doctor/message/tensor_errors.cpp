// tocuda, Apache-2.0.
// Tensors that are on another device, or of another type, than an operation wants.
#include <fmt/core.h>

#include <optional>
#include <string>
#include <utility>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

// "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same": both types.
std::pair<std::string_view, std::string_view> types_in(std::string_view text, std::size_t at) {
    const auto message = text_near(text, at, 0, 200);
    const auto input = between(message, "Input type (", ")");
    const auto weight = between(message, " type (", " should be");
    const auto begin = weight ? weight->rfind('(') : std::string_view::npos;
    if (!input || begin == std::string_view::npos || !contains_any(message, {"weight type", "bias type"})) return {};
    return {*input, weight->substr(begin + 1, weight->find(')', begin) - begin - 1)};
}

// PyTorch before 1.0 names types: "expected type torch.cuda.FloatTensor but got torch.FloatTensor".
bool names_both_devices(std::string_view line) {
    if (!contains(line, "torch.cuda.")) return false;
    return contains_any(line, {"torch.FloatTensor", "torch.LongTensor", "torch.HalfTensor", "torch.DoubleTensor",
                               "torch.IntTensor", "torch.ByteTensor"});
}

bool are_on_two_devices(std::string_view text, std::size_t at) {
    const auto [input, weight] = types_in(text, at);
    return contains(input, "cuda") != contains(weight, "cuda");
}

// "Found dtype Long but expected Float", "argument #2 'target'": a loss, whose two sides have to fit.
void read_types_of_loss(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = line_around(text, at);
    const bool labels = contains(line, "Long") && contains_any(line, {"'target'", "nll_loss", "cross_entropy"});
    if (labels)
        told.remedies = {
            "loss = criterion(output, target.long())   (classes as int64; for a loss of numbers such as "
            "MSELoss: target.float())"};
    else if (contains(line, "Found dtype ") || contains(line, "'target'"))
        told.remedies = {"loss = criterion(output.float(), target.float())   (both sides in float32)",
                         "torch.tensor(array, dtype=torch.float32)   (NumPy's default is double)"};
    else if (contains(line, "'indices'")) told.remedies = {"indices = indices.long()   (what an Embedding is given)"};
}

void read_types(std::string_view text, std::size_t at, Explanation& told) {
    if (told.error == "tensors of different types") read_types_of_loss(text, at, told);
    const auto [input, weight] = types_in(text, at);
    if (weight.empty()) return;
    told.arithmetic.push_back(fmt::format("the input is {}, the weights are {}", input, weight));
    const bool input_on_gpu = contains(input, "cuda");
    if (input_on_gpu && !contains(weight, "cuda"))
        told.remedies = {"model.to('cuda')   (its weights stayed on the CPU; after the model is complete)",
                         "torch.nn.ModuleList([...])   (for a list of layers, which model.to() does not see)"};
    else if (!input_on_gpu && contains(weight, "cuda"))
        told.remedies = {"x = x.to('cuda')   (the input; the result, as the tensor itself does not move)"};
    else if (!input_on_gpu && weight == "torch.HalfTensor")
        told.remedies = {
            "model.float()   (both are on the CPU, where half precision is rare; web UI: --no-half)",
            {"python -c 'import torch; print(torch.cuda.is_available())'   (was a GPU meant?)", Scope::look}};
}

// An operation goes through its arguments in their order, and names the first that is not where those before it are.
struct Stray {
    std::string argument{};
    std::string on{};      // its device
    std::string others{};  // that of those before it
    std::string method{};
};

// "found at least two devices, cpu and cuda:0! (when checking argument for argument mat1 in method
// wrapper_CUDA_addmm)"; since PyTorch 2.9 "got mat1 is on cuda:0, different from other tensors on cpu (when checking
// argument in method ...)".
std::optional<Stray> stray_in(std::string_view message) {
    const auto words_after = [&](std::string_view label) {
        const auto rest = message.substr(message.find(label) + label.size());
        return std::string(rest.substr(0, rest.find_first_of(" ,)!.'\"")));
    };
    Stray stray;
    if (const auto two = between(message, "at least two devices, ", "!"),
        argument = between(message, "when checking argument for argument ", " in method");
        two && argument) {
        const auto joint = two->find(" and ");
        if (joint == std::string_view::npos) return std::nullopt;
        stray = {std::string(*argument), std::string(two->substr(joint + 5)), std::string(two->substr(0, joint)), {}};
    } else if (const auto one = between(message, "but got ", " is on ");
               one && contains(message, "different from other tensors on ")) {
        stray = {std::string(*one), words_after(" is on "), words_after("different from other tensors on "), {}};
    } else return std::nullopt;
    if (contains(message, " in method ")) stray.method = words_after(" in method ");
    return stray;
}

// Parameters of a module by their names in LibTorch; what a layer multiplies with is the second matrix.
bool is_weight(const Stray& stray) {
    const bool of_linear = stray.argument == "mat2" && stray.method.ends_with("mm") && !stray.method.ends_with("bmm");
    return of_linear || stray.argument == "weight" || stray.argument == "bias" ||
           stray.argument.starts_with("running_");
}

bool is_input(const Stray& stray) {
    return stray.argument == "mat1" || stray.argument == "input" || stray.argument == "index" ||
           stray.argument == "indices";
}

// Where one of the two is on the CPU: whether that is the input, for which the general remedies are, or the weights.
void tell_of_stray(const Stray& stray, Explanation& told) {
    told.arithmetic.push_back(
        fmt::format("the argument '{}' is on {}, the others on {}", stray.argument, stray.on, stray.others));
    const bool on_cpu = stray.on == "cpu";
    if (on_cpu == (stray.others == "cpu") || (!is_weight(stray) && !is_input(stray))) return;
    const bool weights_behind = on_cpu == is_weight(stray);
    told.arithmetic.emplace_back(weights_behind
                                     ? "in a layer of a model: the input is on the GPU, and weights stayed on the CPU"
                                     : "in a layer of a model: the weights are on the GPU, the input is on the CPU");
    if (!weights_behind) return;
    const auto& gpu = on_cpu ? stray.others : stray.on;
    told.remedies = {fmt::format("model.to('{}')   (once it is complete; again after layers were added)",
                                 gpu == "cuda:0" ? "cuda" : gpu),
                     "torch.nn.ModuleList([...])   (for a list of layers, which model.to() does not see)",
                     "self.register_buffer('name', tensor)   (for a tensor that is no parameter: model.to() moves it)"};
}

void read_devices(std::string_view text, std::size_t at, Explanation& told) {
    read_types(text, at, told);
    const auto message = flattened(text.substr(at), 500);
    const auto stray = stray_in(message);
    if (const auto two = between(message, "at least two devices, ", "!")) {
        told.arithmetic.push_back(fmt::format("the operands are on {}", *two));
        if (!contains(*two, "cpu")) {
            told.arithmetic.emplace_back(
                "both are GPUs: device_map='auto' or the program spread the model over several");
            told.remedies = {"CUDA_VISIBLE_DEVICES=0 python ...   (one GPU, if the model fits there)",
                             "from_pretrained(..., device_map={'': 0})   (the same, for transformers and diffusers)",
                             "x = x.to(layer.weight.device)   (in the program's own code, where it joins two layers)"};
        }
    }
    if (stray) tell_of_stray(*stray, told);
    if (!contains_any(text_near(text, at, 1500, 0),
                      {"optimizer.step", "/optim/", "\\optim\\", "optimizer_step", "exp_avg"}))
        return;
    told.arithmetic.emplace_back("it fails in the optimizer: its state, as of a checkpoint, is on another device");
    told.remedies = {
        "model.to('cuda'), then optimizer = Optimizer(model.parameters()), then optimizer.load_state_dict(...)   (in "
        "this order)",
        "torch.load(FILE, map_location='cuda')   (for the checkpoint of the optimizer)",
        "for state in optimizer.state.values(): state.update({k: v.to('cuda') for k, v in state.items() if "
        "torch.is_tensor(v)})   (where a library loads it)"};
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
    const auto name = operation_before(text, at);
    if (contains_any(name, {"nll_loss", "cross_entropy"}) && type && contains_any(*type, {"Int", "Float", "Short"})) {
        told.meaning = "Labels of classes have to be of type int64 (long).";
        told.remedies = {"loss = criterion(output, labels.long())"};
        return;
    }
    if (type && *type == "BFloat16" && told.error != "half precision on the CPU")
        told.remedies = {
            "{torch}   (newer ones have more of them in bfloat16: triu and upsampling since 2.1; in a new "
            "environment)",
            "x.float()   (around this operation, and back to bfloat16 after it)",
            "dtype=torch.float16   (instead of bfloat16)"};
    if (told.error != "half precision on the CPU") return;
    if (origin_of(text).macos) {
        told.meaning = "The tensors are on the CPU, which has no half precision for this, and macOS has no CUDA.";
        told.remedies = {
            "model.float()   (single precision; the program's switch: is_half=False, --no-half, fp16=False)",
            "device = 'mps'   (Apple's GPU, if the program can; with float32 first)"};
        return;
    }
    if (!contains(text, "CUDA is not available")) return;
    told.arithmetic.emplace_back("a warning before it says that CUDA is not available: that is the cause");
    told.remedies = {
        {"python -c 'import torch; print(torch.__version__, torch.version.cuda)'; nvidia-smi", Scope::look},
        "{torch}   (where the first prints +cpu or None: a build with CUDA, in a new environment)",
        "model.float()   (to stay on the CPU; web UI: --no-half)"};
}

// Kernels of the CPU without half precision: the same operation has one on the GPU.
bool is_half_on_the_cpu(std::string_view text, std::size_t at) {
    if (!contains_any(text_near(text, at, 0, 60), {"'Half'", "'BFloat16'", "'Float8"})) return false;
    const auto name = operation_before(text, at);
    if (contains_any(name, {"cuda", "CUDA"})) return false;
    return contains_any(name, {"cpu", "KernelImpl", "kernel_impl", "RMSNorm", "slow_conv", "baddbmm_with_gemm", "_vml",
                               "unfolded2d", "channels_last", "compute_indices", "lerp_kernel"});
}

bool are_devices_different(std::string_view text, std::size_t at) {
    const auto words = text.substr(at);
    if (words.starts_with("xpected type") || words.starts_with("xpected object of type") ||
        words.starts_with("invalid combination"))
        return names_both_devices(line_around(text, at));
    return !words.starts_with("Input type (") || are_on_two_devices(text, at);
}

bool are_types_different(std::string_view text, std::size_t at) {
    if (text.substr(at).starts_with("Found dtype ")) return contains(line_around(text, at), " but expected ");
    return !text.substr(at).starts_with("Input type (") || !types_in(text, at).second.empty();
}

}  // namespace

Functions tensor_functions() {
    return {.readings = {{"read_devices", read_devices}, {"read_types", read_types}, {"read_kernel", read_kernel}},
            .conditions = {{"are_devices_different", are_devices_different},
                           {"are_types_different", are_types_different},
                           {"is_half_on_the_cpu", is_half_on_the_cpu}}};
}

}  // namespace tocuda::doctor
