// tocuda, Apache-2.0.
// A PyTorch that is older or newer than the program was written for.
#include <fmt/core.h>

#include <array>
#include <utility>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

// The first version of PyTorch that has a name.
constexpr auto first_versions = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"torch.cuda.amp", "1.6"},
     {"torch.nn.Hardswish", "1.6"},
     {"torch.nn.SiLU", "1.7"},
     {"torch.linalg", "1.7"},
     {"torch.maximum", "1.7"},
     {"torch.nan_to_num", "1.8"},
     {"torch.inference_mode", "1.9"},
     {"torch.nn.Mish", "1.9"},
     {"torch.amp", "1.10"},
     {"torch.concat", "1.10"},
     {"torch.isin", "1.10"},
     {"torch.frombuffer", "1.10"},
     {"torch.cuda.is_bf16_supported", "1.10"},
     {"torch.asarray", "1.11"},
     {"torch.backends.mps", "1.12"},
     {"torch.set_float32_matmul_precision", "1.12"},
     {"torch.compile", "2.0"},
     {"torch._dynamo", "2.0"},
     {"torch.func", "2.0"},
     {"torch.vmap", "2.0"},
     {"torch.set_default_device", "2.0"},
     {"torch.nn.functional.scaled_dot_product_attention", "2.0"},
     {"torch.compiler", "2.1"},
     {"torch.float8_e4m3fn", "2.1"},
     {"torch.float8_e5m2", "2.1"},
     {"torch.utils._pytree.register_pytree_node", "2.2"},
     {"torch.uint16", "2.3"},
     {"torch.uint32", "2.3"},
     {"torch.uint64", "2.3"},
     {"torch.xpu", "2.3"},
     {"torch.get_default_device", "2.3"},
     {"torch.amp.GradScaler", "2.3"},
     {"torch.amp.custom_fwd", "2.4"},
     {"torch.amp.custom_bwd", "2.4"},
     {"torch.nn.RMSNorm", "2.4"},
     {"torch.nn.functional.rms_norm", "2.4"},
     {"torch.library.custom_op", "2.4"},
     {"torch.library.register_fake", "2.4"},
     {"torch.nn.attention.flex_attention", "2.5"},
     {"torch.accelerator", "2.6"},
     {"torch.float8_e8m0fnu", "2.7"},
     {"torch.float4_e2m1fn_x2", "2.8"}});

struct Removed {
    std::string_view name, since, instead;
};

constexpr auto removed = std::to_array<Removed>({{"torch.rfft", "1.8", "torch.fft.rfft"},
                                                 {"torch.irfft", "1.8", "torch.fft.irfft"},
                                                 {"torch._six", "2.0", "collections.abc, math.inf, str"},
                                                 {"torch.symeig", "2.0", "torch.linalg.eigh"},
                                                 {"torch.eig", "2.0", "torch.linalg.eig"},
                                                 {"torch.lstsq", "2.0", "torch.linalg.lstsq"},
                                                 {"torch.solve", "2.0", "torch.linalg.solve"}});

// "module 'torch' has no attribute 'compile'", "No module named 'torch.compiler'", "cannot import name 'GradScaler'
// from 'torch.amp'": the name that is missing; empty if it is none of PyTorch's.
std::string missing_name(std::string_view text, std::size_t at) {
    const auto line = line_around(text, at);
    if (const auto module = between(line, "No module named '", "'"); module && module->starts_with("torch."))
        return std::string(*module);
    const auto name = between(line, "cannot import name '", "'");
    if (const auto module = between(line, "' from 'torch.", "'"); name && module)
        return fmt::format("torch.{}.{}", *module, *name);
    const auto module = between(line, "module 'torch", "'");
    const auto attribute = between(line, "has no attribute '", "'");
    if (!module || !attribute || (!module->empty() && module->front() != '.')) return "";
    return fmt::format("torch{}.{}", *module, *attribute);
}

bool is_name_of_torch(std::string_view text, std::size_t at) {
    const auto name = missing_name(text, at);
    return !name.empty() && name.size() < 100 && !name.starts_with("torch._C") && !name.starts_with("torch.version");
}

// That of an apex from the time of PyTorch 1.x.
constexpr auto old_apex = environment(
    "git clone https://github.com/NVIDIA/apex && cd apex && git checkout f3a960f8 && pip install --no-build-isolation "
    ". "
    "  (an apex from before PyTorch 1.6; for later 1.x its branch 22.04-dev; undo: pip uninstall apex)");

void read_missing_name(std::string_view text, std::size_t at, Explanation& told) {
    const auto name = missing_name(text, at);
    for (const auto& [gone, since, instead] : removed) {
        if (name != gone && !name.starts_with(std::string(gone) + ".")) continue;
        told.error = "PyTorch newer than the program";
        told.meaning = fmt::format("PyTorch removed {} in {}: the program was written for an older one.", gone, since);
        told.certain = true;
        told.remedies = {"update the program   (newer versions do without it)",
                         fmt::format("use {} in its place   (in the program's own code)", instead),
                         {"pip install 'torch<" + std::string(since) +
                              "'   (in a new environment with an old Python; has no code for newer GPUs)",
                          Scope::command}};
        return;
    }
    const std::string_view without_last = std::string_view(name).substr(0, name.rfind('.'));
    for (const auto& [known, since] : first_versions)
        if (name == known || without_last == known) {
            told.arithmetic.push_back(fmt::format("{} came with PyTorch {}", known, since));
            told.certain = true;
            break;
        }
    if (contains(text_near(text, at, 600, 0), "apex"))
        told.remedies = {{"python -c 'import torch; print(torch.__version__, torch.__file__)'", Scope::look},
                         {old_apex.what.data(), old_apex.scope},
                         "{torch}   (a PyTorch that this apex was written for; in a new environment)"};
}

}  // namespace

std::vector<KnownError> version_errors() {
    constexpr auto which = look("python -c 'import torch; print(torch.__version__, torch.__file__)'");
    return {
        {.name = "PyTorch older than the program",
         .needles = {"module 'torch' has no attribute '", "module 'torch.", "No module named 'torch.",
                     "' from 'torch."},
         .meaning = "The program asks PyTorch for a name that the installed one does not have: it is most often older "
                    "than the program, or a package in it, was written for.",
         .remedies = {which, "{torch}   (a newer PyTorch, in a new environment)",
                      environment("pip install 'PACKAGE<VERSION'   (instead: the version of the package from the time "
                                  "of this PyTorch; undo: the version that was there)")},
         .read = read_missing_name,
         .applies = is_name_of_torch,
         .certain = false},
        {.name = "checkpoint with more than weights",
         .needles = {"Weights only load failed", "WeightsUnpickler error"},
         .meaning = "Since 2.6 torch.load() reads weights only, unless told otherwise, and this file also has objects "
                    "of Python in it, which could run any code. The GPU is not at fault.",
         .remedies = {"torch.load(FILE, weights_only=False)   (only for a file that you trust)",
                      "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1 python ...   (the same where the call is in a library)",
                      "torch.serialization.add_safe_globals([CLASS])   (before it: allows just the class that the "
                      "message names)",
                      environment("pip install --upgrade PACKAGE   (the one that loads it, as ultralytics or "
                                  "lightning: newer ones do so; undo: the version that was there)")}},
        {.name = "weights of a newer package",
         .needles = {"Can't get attribute '"},
         .meaning = "The file of weights was saved with a class that the installed package does not have: it is older "
                    "than the one that saved it, or the class is the author's own.",
         .remedies = {environment(
                          "pip install --upgrade PACKAGE   (the one that the message names, as ultralytics; undo: "
                          "the version that was there)"),
                      "import the class before torch.load()   (of a program of one's own, under the same name)"},
         .near = {"torch", "ultralytics"},
         .in_line = {"on <module '"}},
        {.name = "old PyTorch on a newer GPU",
         .needles = {"exit code 3221225620", "exit status 3221225620", "0xC0000094"},
         .meaning =
             "On Windows a division by zero in compiled code (0xC0000094) ended the process: a PyTorch from before "
             "2.7 does it on RTX 50.",
         .remedies = {look("python -c 'import torch; print(torch.__version__, torch.cuda.get_device_capability(), "
                           "torch.cuda.get_arch_list())'   (is sm_120 in the list?)"),
                      "{torch cu128}   (2.7 or newer, with torchaudio and torchvision, for RTX 50; GPT-SoVITS and RVC: "
                      "their package for 50x0)",
                      "python -X faulthandler ...   (on another GPU: prints where it was)"},
         .near = {"torch", "cuda", "CUDA"},
         .certain = false},
        {.name = "ComfyUI without its own kernels",
         .needles = {"Backend 'cuda' is not available: disabled"},
         .meaning = "ComfyUI turns the CUDA kernels of comfy-kitchen off where PyTorch was built for a CUDA before "
                    "13.0, and a node asks for them by name.",
         .remedies = {look("python -c 'import torch; print(torch.version.cuda)'; nvidia-smi | grep 'CUDA Version'   "
                           "(13.0 needs driver 580)"),
                      "{torch cu130}   (from Turing, RTX 20, on; in a new environment; with torchvision and torchaudio "
                      "of the same index)",
                      "use the node's other backend, or a model that is not quantized this way"}},
        {.name = "ComfyUI without its own kernels",
         .needles = {"need pytorch with cu130 or higher to use optimized CUDA"},
         .meaning = "ComfyUI only warns: it works, and quantized models (fp8, nvfp4, int8) are slower than they could "
                    "be.",
         .remedies = {"{torch cu130}   (from Turing, RTX 20, on, with driver 580; in a new environment)",
                      "paste the lines after it, if it failed"},
         .rank = Rank::notice},
    };
}

}  // namespace tocuda::doctor
