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

void read_worker(std::string_view text, std::size_t, Explanation& told) { tell_of_worker(text, told); }

void read_no_cuda(std::string_view text, std::size_t, Explanation& told) {
    read_build(text, 0, told);
    tell_of_web_ui(text, told);
    if (const auto origin = origin_of(text); origin.is_in("Colab") || origin.is_in("Kaggle"))
        told.remedies = {origin.place->typed, {"nvidia-smi   (then it shows the GPU)", Scope::look}};
}

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

bool has_cuda_code(std::string_view text, std::size_t at) {
    const auto words = text.substr(at, 100);
    if (words.starts_with("cannot import"))
        return !contains(words, "'torch'") && names_package_for_gpus(words.substr(0, words.find('(')));
    return !words.starts_with("No module") || has_code_for_gpus(text, at);
}

}  // namespace

Functions usage_functions() {
    return {.readings = {{"read_package", read_package},
                         {"read_build_isolation", read_build_isolation},
                         {"read_ordinal", read_ordinal},
                         {"read_worker", read_worker},
                         {"read_no_cuda", read_no_cuda},
                         {"read_build", read_build}},
            .conditions = {{"has_cuda_code", has_cuda_code}}};
}

}  // namespace tocuda::doctor
