// tocuda, Apache-2.0.
// Extensions of PyTorch: what pip takes for each, and where its wheels are.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

// What pip takes for a package, by the names that texts have for it.
struct Extension {
    std::array<std::string_view, 4> names;
    std::string_view typed;
};

constexpr auto extensions = std::to_array<Extension>(
    {{{"flash-attn", "flash_attn"}, "flash-attn"},
     {{"causal-conv1d", "causal_conv1d"}, "causal-conv1d"},
     {{"mamba-ssm", "mamba_ssm", "selective_scan_cuda"}, "mamba-ssm"},
     {{"xformers"}, "xformers"},
     {{"tinycudann", "tiny-cuda-nn"}, "git+https://github.com/NVlabs/tiny-cuda-nn/#subdirectory=bindings/torch"},
     {{"diff-gaussian-rasterization", "diff_gaussian_rasterization"}, "./submodules/diff-gaussian-rasterization"},
     {{"simple-knn", "simple_knn"}, "./submodules/simple-knn"},
     {{"pytorch3d"}, "git+https://github.com/facebookresearch/pytorch3d.git@stable"},
     {{"detectron2"}, "git+https://github.com/facebookresearch/detectron2.git"},
     {{"nvdiffrast"}, "git+https://github.com/NVlabs/nvdiffrast.git"},
     {{"MinkowskiEngine"}, "git+https://github.com/NVIDIA/MinkowskiEngine"},
     {{"torch-scatter", "torch_scatter"}, "torch-scatter"},
     {{"torch-sparse", "torch_sparse"}, "torch-sparse"},
     {{"torch-cluster", "torch_cluster"}, "torch-cluster"},
     {{"mmcv-full"}, "mmcv-full"},
     {{"gsplat"}, "gsplat"},
     {{"auto-gptq", "auto_gptq"}, "auto-gptq"},
     {{"llama-cpp-python", "llama_cpp_python"}, "llama-cpp-python"},
     {{"transformer-engine", "transformer_engine"}, "transformer-engine[pytorch]"},
     {{"deepspeed"}, "deepspeed"}});

bool is_part_of_a_name(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; }

bool names_extension(std::string_view text, const Extension& one) {
    return std::ranges::any_of(one.names, [&](std::string_view name) {
        for (auto at = name.empty() ? std::string_view::npos : text.find(name); at != std::string_view::npos;
             at = text.find(name, at + 1)) {
            const auto end = at + name.size();
            if ((at == 0 || !is_part_of_a_name(text[at - 1])) && (end == text.size() || !is_part_of_a_name(text[end])))
                return true;
        }
        return false;
    });
}

}  // namespace

std::string extension_in(std::string_view text) {
    for (const std::string_view label : {"Failed building wheel for ", "Failed to build ", "Building wheel for ",
                                         "Running setup.py install for ", "building '"}) {
        const auto at = text.find(label);
        if (at == std::string_view::npos) continue;
        const auto word = text.substr(at + label.size(), 60);
        const auto name = word.substr(0, word.find_first_of(" .'\r\n("));
        const auto* const found =
            std::ranges::find_if(extensions, [&](const auto& one) { return names_extension(name, one); });
        return found == extensions.end() ? "" : std::string(found->typed);
    }
    const Extension* only = nullptr;
    for (const auto& one : extensions)
        if (names_extension(text, one)) {
            if (only) return "";
            only = &one;
        }
    return only ? std::string(only->typed) : "";
}

namespace {

// "2.5.1+cu124" of the torch that a text shows: as Python prints it, and in the names of wheels and pages.
std::string_view torch_with_build_in(std::string_view text) {
    for (const std::string_view label :
         {"torch.__version__\n'", "torch.__version__\n", "torch version: ", "torch: ", "torch==", "torch-", "torch "})
        for (auto at = text.find(label); at != std::string_view::npos; at = text.find(label, at + 1)) {
            auto version = text.substr(at + label.size(), 20);
            if (version.starts_with('\'')) version.remove_prefix(1);
            version = version.substr(0, version.find_first_not_of("0123456789.+cu"));
            version = version.substr(0, version.find_last_not_of(".c") + 1);
            if (contains(version, "+cu") && version.front() >= '1' && version.front() <= '2') return version;
        }
    return "";
}

// Those whose setup takes a finished wheel, unless a variable says that it is to build.
void tell_of_forced_build(std::string_view line, Explanation& told) {
    struct Forced {
        std::string_view sign, variable, package;
    };
    for (const auto& [sign, variable, package] :
         {Forced{"causal_conv1d_cuda", "CAUSAL_CONV1D_FORCE_BUILD", "causal-conv1d"},
          Forced{"selective_scan_cuda", "MAMBA_FORCE_BUILD", "mamba-ssm"}}) {
        if (!contains(line, sign)) continue;
        told.remedies = {
            {"python -c 'import torch; print(torch.__version__, torch.version.cuda, torch._C._GLIBCXX_USE_CXX11_ABI)'  "
             " (the "
             "wheel names all three)",
             Scope::look},
            {fmt::format(
                 "{}=TRUE pip install --force-reinstall --no-cache-dir --no-build-isolation --no-deps {}   (builds it "
                 "here: its setup takes a finished wheel otherwise; undo: the version that was there)",
                 variable, package),
             Scope::environment},
            fmt::format("install the wheel of {} that names these   (of its releases on GitHub, in a new environment)",
                        package)};
    }
}

}  // namespace

void tell_of_wheels(std::string_view text, std::string_view line, Explanation& told) {
    if (contains(text, "conda-forge") && contains_any(text, {"cuda118_py", "cuda120_py", "cuda126_py", "cuda112_py",
                                                             "cuda128_py", "cuda129_py", "cuda_"}))
        told.arithmetic.emplace_back(
            "this PyTorch is that of conda-forge, and wheels of pip are built for pip's PyTorch: take the extension "
            "from "
            "conda-forge, too, or both from pip");
    for (const std::string_view name :
         {"torch_scatter", "torch_sparse", "torch_cluster", "torch_spline_conv", "pyg_lib"}) {
        if (!contains(line, name)) continue;
        auto version = torch_with_build_in(text);
        if (version.empty()) version = "X.Y.Z+cuNNN";
        told.remedies = {
            {"python -c 'import torch; print(torch.__version__)'   (the page of the next has to be that of this "
             "version)",
             Scope::look},
            {fmt::format("pip install --force-reinstall --no-deps --no-cache-dir {0} -f "
                         "https://data.pyg.org/whl/torch-{1}.html "
                         "  (the wheel for this torch; likewise its sisters; undo: the version that pip list showed)",
                         name, version),
             Scope::environment},
            {fmt::format(
                 "pip install --force-reinstall --no-deps --no-cache-dir --no-build-isolation --no-binary {0} {0}   "
                 "(builds it here, for a torch of conda-forge or of NVIDIA's containers; undo: the version that was "
                 "there)",
                 name),
             Scope::environment}};
        return;
    }
    tell_of_forced_build(line, told);
}

}  // namespace tocuda::doctor
