// tocuda, Apache-2.0.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/message/wheels.hpp"
#include "doctor/python/architectures.hpp"
#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

void read_no_driver(std::string_view text, std::size_t, Explanation& told) {
    if (contains_any(text, {"--gpus 0 ", "--gpus=0 "})) {
        told.certain = true;
        told.arithmetic.emplace_back("--gpus takes a number of GPUs, and 0 is none: device=0 names the first");
        told.remedies = {"docker run --gpus all ...   (or --gpus '\"device=0\"')"};
    } else if (origin_of(text).windows) {
        told.meaning = "nvcuda.dll, which comes with NVIDIA's driver for Windows, is not there.";
        told.remedies = {
            {"Device Manager, Display adapters   (is there an NVIDIA GPU at all?)", Scope::look},
            {"install NVIDIA's driver for Windows: https://www.nvidia.com/drivers   (undo: Apps, uninstall)",
             Scope::machine},
            "device = 'cuda' if torch.cuda.is_available() else 'cpu'   (in the program, where there is none)"};
    } else if (origin_of(text).place) {
        told.remedies = {"docker run --gpus all ...",
                         {"tocuda doctor   (there: says whether driver, module or container is missing)", Scope::look}};
    } else if (contains(text, "--gpus") || !contains(text, "docker run")) {
        tell_of_wsl(text, told);
    } else {
        told.arithmetic.emplace_back("its docker run has no --gpus");
    }
}

// ggml names the call that failed: the runtime had found the GPU before.
void tell_of_copied_driver(Explanation& told) {
    told.meaning =
        "The driver's functions in this process are not initialized although CUDA's runtime found the GPU: the "
        "wheel carries a libcuda of its own, which the repair of wheels copied into it.";
    told.remedies = {
        {"find / -path '*.libs/libcuda*' 2>/dev/null   (a copy inside a package: remove that package)", Scope::look},
        {"NO_REPAIR=1 GGML_CUDA=1 pip install --no-cache-dir --force-reinstall .   (pywhispercpp, in its sources: "
         "leaves the driver's library out; undo: its wheel)",
         Scope::environment}};
}

// On Windows nothing is forked, and on a Jetson the driver is a part of the system.
bool tell_of_system(const Origin& origin, Explanation& told) {
    if (origin.jetson) {
        told.meaning =
            "CUDA returned 3 (initialization error): the program does not reach the Jetson's driver, which is a part "
            "of JetPack. Most often its container was started without the NVIDIA runtime, or is for another release.";
        told.remedies = {
            {"cat /etc/nv_tegra_release; docker info | grep -i runtimes   (the release; a runtime nvidia?)",
             Scope::look},
            "docker run --runtime nvidia IMAGE ...   (an image whose tag names that release, as r35.4.1)",
            {"sudo usermod -aG video $USER   (without a container; then log in again; undo: sudo gpasswd -d $USER "
             "video)",
             Scope::machine}};
    } else if (origin.windows && !origin.wsl) {
        told.meaning =
            "CUDA returned 3 (initialization error): the driver did not start for this program, most often because it "
            "is older than the CUDA that the program was built with.";
        told.remedies = {
            {"nvidia-smi   (CUDA Version: older than that of the program?)", Scope::look},
            {"update the driver   (NVIDIA's page; then restart Windows; undo: the version before)", Scope::machine},
            "use the program's build for an older CUDA   (where the GPU gets no newer driver)"};
    }
    return !told.remedies.empty();
}

// What forks is Python, and most often a DataLoader, joblib or multiprocessing in it.
void tell_of_start(const Origin& origin, Explanation& told) {
    constexpr int first_with_hmm = 12020;
    const bool forks = origin.uses_torch() || origin.runs("XGBoost") || origin.runs("LightGBM") ||
                       origin.runs("CuPy") || origin.runs("Numba") || origin.runs("RAPIDS");
    told.remedies = {
        {"nvidia-smi; ls -l /dev/nvidia*   (does the driver work, and is its CUDA Version not older than "
         "that of the program?)",
         Scope::look}};
    if (origin.runs("the program"))
        told.meaning = "CUDA returned 3 (initialization error): the driver did not start for this program.";
    else
        told.remedies.insert(told.remedies.begin() + (forks ? 0 : 1),
                             "multiprocessing.set_start_method('spawn')   (if a process was forked; joblib: "
                             "backend='loky')");
    if (origin.driver_cuda && *origin.driver_cuda >= first_with_hmm && !origin.wsl)
        told.remedies.push_back(
            {"echo options nvidia_uvm uvm_disable_hmm=1 | sudo tee /etc/modprobe.d/uvm.conf   (if nvidia-smi works and "
             "nothing else does: open-gpu-kernel-modules#901; then reboot; undo: remove that file)",
             Scope::machine});
    else told.remedies.push_back({"tocuda doctor   (on that machine)", Scope::look});
}

// Where the driver fails at its start, a process that was forked from one that had used CUDA is the usual reason.
void read_start(std::string_view text, std::size_t at, Explanation& told) {
    tell_of_worker(text, told);
    if (!told.remedies.empty()) return;
    const auto line = line_around(text, at);
    const auto origin = origin_of(text);
    if (tell_of_system(origin, told)) return;
    if (contains(text_near(text, at, 0, 400), "cuDeviceGet(&device")) return tell_of_copied_driver(told);
    if (contains_any(line, {"ggml", "llama", "cuInit"}) || contains(text_near(text, at, 300, 300), "ggml")) {
        told.meaning = "CUDA returned 3 (initialization error): the driver did not start for this program.";
        told.remedies = {{"nvidia-smi   (does the driver work at all?)", Scope::look},
                         {"ls -l /dev/nvidia*; sudo dmesg | grep -iE 'nvrm|xid'", Scope::look},
                         {"tocuda doctor   (on that machine)", Scope::look}};
        return;
    }
    if (contains(text_near(text, at, 0, 400), "_cuda_getDeviceCount()")) {
        told.meaning =
            "CUDA returned 3 (initialization error) when PyTorch counted the GPUs, and a program that goes on does so "
            "on the CPU: the driver did not start for it, or is older than the PyTorch build.";
        told.remedies = {{"nvidia-smi; echo \"[$CUDA_VISIBLE_DEVICES]\"; ls -l /dev/nvidia*", Scope::look},
                         {"sudo nvidia-modprobe -u -c=0   (if /dev/nvidia-uvm is missing: makes it)", Scope::machine},
                         {"tocuda doctor   (on that machine, with that Python)", Scope::look},
                         {"sudo reboot   (after an update of the driver; it ends every program there)", Scope::others}};
        return;
    }
    if (!contains_any(text, {"DataLoader", "multiprocessing", "fork"})) return tell_of_start(origin, told);
    told.arithmetic.emplace_back("the text shows a child process, in which CUDA of the parent cannot be used");
    told.remedies = {"torch.multiprocessing.set_start_method('spawn')   (first in main)",
                     "leave CUDA out of the workers, .cuda() and pin_memory() included   (move batches in the parent)",
                     {"nvidia-smi   (if nothing was forked)", Scope::look}};
}

// The toolkit for containers asks the host's CUDA, in a process that forked nothing.
bool is_said_to_the_program(std::string_view text, std::size_t at) {
    return is_said_by_cuda(text, at) && !contains(line_around(text, at), "nvidia-container-cli");
}

// "cudaGetDeviceCount() call failed with error 804": a number alone may be of anything.
bool is_of_cuda_if_number(std::string_view text, std::size_t at) {
    return !contains_any(text_near(text, at, 0, 14), {"with error", "returned "}) ||
           contains_any(line_around(text, at), {"uda", "CUDA", "cuInit"});
}

void tell_of_reset_on_windows(Explanation& told) {
    told.meaning =
        "CUDA returned 999 (unknown error). On Windows the driver was most often reset under the program: an "
        "overclocked or "
        "hot GPU, memory that ran out, or the driver itself.";
    told.remedies = {
        {"Event Viewer, Windows Logs, System: source nvlddmkm or Display at that time?", Scope::look},
        "start the program again   (in this one every call fails from now on), with a smaller picture or batch",
        {"end programs that overclock or undervolt the GPU   (MSI Afterburner and such)", Scope::machine},
        {"update the driver   (NVIDIA's page, a clean installation; undo: the old one)", Scope::machine}};
}

// Frames of a model or a loop: the GPU had worked before.
bool is_amid_a_run(std::string_view text, std::size_t at) {
    const auto around = text_near(text, at, 3000, 400);
    return contains(around, "asynchronously reported") && !contains_any(around, {"_lazy_init", "_cuda_init"}) &&
           contains_any(around, {"forward", "backward", "_call_impl", ".step(", "epoch", "loss", "generate("});
}

void tell_of_fault_amid_a_run(bool wsl, Explanation& told) {
    told.meaning =
        "CUDA returned 999 (unknown error) while the program ran: an earlier kernel failed, memory ran out, or the "
        "driver reset the GPU. The traceback may show an innocent call.";
    told.remedies = {"CUDA_LAUNCH_BLOCKING=1 python ...   (then the traceback shows the call that failed)",
                     {"nvidia-smi --loop=1   (beside it: does the memory fill up before it fails?)", Scope::look},
                     {wsl ? "dmesg | grep -iE 'dxg|oom' | tail   (and in Windows: Event Viewer, System, nvlddmkm?)"
                          : "sudo dmesg | grep -iE 'nvrm|xid' | tail   (does the driver name a fault?)",
                      Scope::look},
                     {"update the driver   (undo: install the old one again)", Scope::machine}};
    if (!wsl) return;
    told.remedies.back() = {"update the Windows driver, and wsl --update   (undo: install the old one again)",
                            Scope::machine};
    told.remedies.push_back(
        {"wsl --shutdown   (in Windows: ends all that runs in WSL, and starts its GPU anew)", Scope::others});
}

// WSL has no /dev/nvidia-uvm.
void tell_of_start_in_wsl(Explanation& told) {
    told.meaning =
        "CUDA returned 999 (unknown error) at its start. In WSL the GPU comes through /dev/dxg from the driver of "
        "Windows: one of them hangs, or a Linux driver in WSL hides its libraries.";
    told.remedies = {
        {"nvidia-smi; ls -l /dev/dxg; ldconfig -p | grep libcuda   (any but that of /usr/lib/wsl/lib?)", Scope::look},
        {"update the Windows driver, and wsl --update   (undo: install the old one again)", Scope::machine},
        {"wsl --shutdown   (in Windows: ends all that runs in WSL, and starts its GPU anew)", Scope::others}};
}

// Where a machine was suspended, the module of unified memory does not survive it.
void read_unknown_error(std::string_view text, std::size_t at, Explanation& told) {
    const auto origin = origin_of(text);
    if (origin.windows && !origin.wsl) return tell_of_reset_on_windows(told);
    if (is_amid_a_run(text, at)) return tell_of_fault_amid_a_run(origin.wsl, told);
    if (origin.wsl) return tell_of_start_in_wsl(told);
    const auto near = lower(text_near(text, at, 3000, 1500));
    if (!contains_any(near, {"suspend", "resum", "wake ", "woke", "hibernat", "sleep mode", "after sleep", "standby"}))
        return;
    told.certain = true;
    told.arithmetic.emplace_back("the text tells of a suspend, which nvidia_uvm does not survive");
    told.remedies = {
        {"fuser -v /dev/nvidia-uvm   (what still has it open? end these first)", Scope::look},
        {"sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm   (it refuses while any program uses a GPU)",
         Scope::others},
        {"echo options nvidia NVreg_PreserveVideoMemoryAllocations=1 NVreg_TemporaryFilePath=/var/tmp | sudo tee "
         "/etc/modprobe.d/nvidia-suspend.conf && sudo systemctl enable nvidia-suspend nvidia-resume   (keeps CUDA over "
         "the next suspends; then reboot; undo: remove that file)",
         Scope::machine}};
}

void read_busy(std::string_view text, std::size_t, Explanation& told) {
    if (!origin_of(text).wsl) return;
    told.meaning =
        "No context can be made (code 46). In WSL no mode of the GPU forbids that: WSL or the Windows driver is too "
        "old or stuck, or the GPU is full.";
    told.remedies = {{"nvidia-smi   (in Windows: its driver, its memory, who uses it)", Scope::look},
                     {"wsl --update   (in Windows; and NVIDIA's current driver for Windows)", Scope::machine},
                     {"wsl --shutdown   (in Windows, then again; ends everything in WSL)", Scope::others}};
}

// The text starts the container with its GPUs.
void tell_of_lost_access(Explanation& told) {
    told.arithmetic.emplace_back(
        "the text gives the container its GPUs: it lost access to them since (systemctl daemon-reload on the host "
        "does that), or the device nodes are missing in it");
    told.remedies = {
        {"nvidia-smi; ls -l /dev/nvidia*   (in the container, then on the host: nvidia-uvm there, too?)", Scope::look},
        "start the container again",
        "docker run --gpus all --device /dev/nvidia0 --device /dev/nvidiactl --device /dev/nvidia-uvm --device "
        "/dev/nvidia-uvm-tools ...   (keeps access)",
        {"sudo nvidia-modprobe -u -c=0   (on the host, if /dev/nvidia-uvm is missing: makes it)", Scope::machine}};
}

// "no CUDA GPUs" in a process that Ray, Slurm or the program itself has given none.
void read_no_gpu(std::string_view text, std::size_t, Explanation& told) {
    const auto origin = origin_of(text);
    if (contains_any(text, {"ray::", "Ray initialized", "ray.init", "/ray/"}))
        told.remedies = {
            "@ray.remote(num_gpus=1)   (Ray hides the GPUs from what asks for none; Flower: "
            "client_resources={'num_gpus': 1}; RLlib: num_gpus)",
            {"ray status   (does Ray itself see GPUs?)", Scope::look}};
    else if (origin.is_in("Slurm"))
        told.remedies = {"srun --gres=gpu:1 ...   (the job has asked for no GPU: sbatch --gres=gpu:1)",
                         {"echo \"[$CUDA_VISIBLE_DEVICES]\"; nvidia-smi -L", Scope::look}};
    if (contains_any(text, {"--gpus all", "--gpus=all", "NVIDIA_VISIBLE_DEVICES=all", "runtime=nvidia"}))
        return tell_of_lost_access(told);
    if (!told.remedies.empty()) {
        told.arithmetic.emplace_back("the text shows a scheduler, which gives GPUs only to what asks for them");
        return;
    }
    if (const auto visible = origin.visible)
        told.arithmetic.push_back(
            visible->empty() || *visible == "-1"
                ? "the text sets CUDA_VISIBLE_DEVICES so that it hides all GPUs"
                : fmt::format("CUDA_VISIBLE_DEVICES={} in the text: are there GPUs of these numbers?", *visible));
    tell_of_wsl(text, told);
}

bool sees_no_gpu(std::string_view text, std::size_t at) {
    if (text.substr(at).starts_with(is_available_call)) return is_said_to_be_false(text, at);
    return !text_near(text, at, 3, 0).ends_with("Is ");  // collect_env
}

bool needs_no_reset(std::string_view text, std::size_t) { return !contains(text, "NV_ERR_RESET_REQUIRED"); }

}  // namespace

void read_rented_host(std::string_view text, std::size_t, Explanation& told) {
    if (!origin_of(text).is_in("RunPod")) return;
    told.arithmetic.emplace_back("on a rented machine the driver is the host's, and cannot be changed from the pod");
    told.remedies = {
        "start another pod on a host with a newer driver   (RunPod: Additional filters, CUDA version; "
        "vast.ai: its filter of CUDA versions)",
        {"nvidia-smi | grep 'CUDA Version'   (in the pod: what this host has)", Scope::look},
        "use an image for the CUDA version that this host has"};
}

Functions driver_functions() {
    return {.readings = {{"read_no_driver", read_no_driver},
                         {"read_build", read_build},
                         {"read_no_gpu", read_no_gpu},
                         {"read_start", read_start},
                         {"read_unknown_error", read_unknown_error},
                         {"read_rented_host", read_rented_host},
                         {"read_busy", read_busy},
                         {"tell_of_pinning", tell_of_pinning}},
            .conditions = {{"sees_no_gpu", sees_no_gpu},
                           {"is_said_to_the_program", is_said_to_the_program},
                           {"is_of_cuda_if_number", is_of_cuda_if_number},
                           {"needs_no_reset", needs_no_reset}}};
}

}  // namespace tocuda::doctor
