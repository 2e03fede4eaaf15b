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
constexpr auto old_apex =
    "git clone https://github.com/NVIDIA/apex && cd apex && git checkout f3a960f8 && pip install --no-build-isolation "
    ". "
    "  (an apex from before PyTorch 1.6; for later 1.x its branch 22.04-dev; undo: pip uninstall apex)";

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
                         {old_apex, Scope::environment},
                         "{torch}   (a PyTorch that this apex was written for; in a new environment)"};
}

}  // namespace

Functions version_functions() {
    return {.readings = {{"read_missing_name", read_missing_name}},
            .conditions = {{"is_name_of_torch", is_name_of_torch}}};
}

}  // namespace tocuda::doctor
