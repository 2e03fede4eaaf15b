// tocuda, Apache-2.0.
#include "doctor/message/origin.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/wheels.hpp"

namespace tocuda::doctor {
namespace {

// Where a log says what it runs on: its begin, and the traceback at its end.
constexpr std::size_t end_of_log = std::size_t{1} << 20;

bool is_letter(char each) { return std::isalpha(static_cast<unsigned char>(each)) != 0; }

// "C:\Users", and not the end of a line that a program or a log writes as "error:\n"
bool has_windows_path(std::string_view text) {
    for (auto at = text.find(":\\"); at != std::string_view::npos; at = text.find(":\\", at + 1)) {
        const bool drive = at > 0 && is_letter(text[at - 1]) && (at < 2 || !is_letter(text[at - 2]));
        const auto rest = text.substr(at + 2, 2);
        const bool escape = rest.starts_with('n') && (rest.size() < 2 || !is_letter(rest[1]));
        if (drive && !escape) return true;
    }
    return contains_any(text, {"site-packages\\torch", "win_amd64", ".dll"});
}

// What does not only say that conda was looked for: "[conda] Could not collect".
bool names_conda(std::string_view text) {
    for (auto at = text.find("conda"); at != std::string_view::npos; at = text.find("conda", at + 1))
        if (!text.substr(at).starts_with("conda] Could not collect")) return true;
    return false;
}

// What people write of their machine.
bool is_said_to_be_windows(std::string_view text) {
    return contains_any(text, {"Windows 10", "Windows 11", "windows 10", "windows 11", "win10", "win11", "Win 10",
                               "Win 11", "Win10", "Win11", "indows machine", "indows PC", "indows laptop",
                               "Windows version", "Windows PowerShell", "OS: Windows", "os: Windows"}) &&
           !contains_any(text, {"/home/", "/usr/", "/opt/", "/root/"});
}

bool names_card_of_nvidia(std::string_view text) {
    return contains_any(text, {"GeForce", "RTX", "GTX", "Tesla", "Quadro", "| NVIDIA-SMI", "NVIDIA A", "NVIDIA H",
                               "CUDA capability"}) ||
           contains_any_word(text, {"MX1", "MX2", "MX3", "MX4", "940MX", "A100", "H100", "RTX", "V100", "T4 "});
}

bool names_card_of_amd(std::string_view text) {
    return contains_any(text, {"Radeon", "AMD GPU", "+rocm", "HIPRTC", "with ROCM", "with ROCm", "ROCm 5.", "ROCm 6.",
                               "ROCm 7."}) ||
           contains_any_word(text, {"RX 4", "RX 5", "RX 6", "RX 7", "RX 9", "RX5", "RX6", "RX7", "RX9", "AMD 6", "gfx9",
                                    "gfx10", "gfx11", "gfx12"});
}

bool names_card_of_intel(std::string_view text) {
    return contains_any(text, {"UHD Graphics", "HD Graphics", "Iris Xe", "Iris(R)", "Xe Graphics", "Intel Arc",
                               "Intel(R) Arc", "Intel\u00ae Xe"});
}

// Of Linux: what has no counterpart that could be typed instead.
constexpr auto of_linux = std::to_array<std::string_view>(
    {"sudo ",   "ulimit", "free -h", "df -h", "ldconfig", "ls -l",  "cat /", "dmesg",   "env -u", "grep ",
     "docker ", "echo $", "mount ",  "dkms",  "mokutil",  "unset ", "LD_",   "rm -r ~", "sed -i", "scl "});

constexpr auto of_wsl = std::to_array<std::string_view>({"WSL2",
                                                         "WSL 2",
                                                         "wsl2",
                                                         "WSL version",
                                                         "WSL1",
                                                         "WSL 1",
                                                         "microsoft-standard",
                                                         "/usr/lib/wsl",
                                                         "Subsystem for Linux",
                                                         "-Microsoft",
                                                         "on win10",
                                                         "on Windows 10",
                                                         "/mnt/c/",
                                                         "/mnt/d/",
                                                         "/mnt/e/",
                                                         "/mnt/f/",
                                                         "/mnt/g/",
                                                         "@DESKTOP-",
                                                         "@LAPTOP-",
                                                         "Ubuntu app",
                                                         " WSL:",
                                                         "in WSL",
                                                         "on WSL",
                                                         "under WSL",
                                                         "WSL is detected",
                                                         "wsl.exe"});

// Their second words are how a program gets a GPU there.
constexpr auto places = std::to_array<Setting>(
    {{"podman", {"podman"}, "podman run --device nvidia.com/gpu=all ...   (after: nvidia-ctk cdi list)"},
     {"Kubernetes",
      {"kubelet", "kubectl", "ubernetes", "k8s"},
      "resources: {limits: {nvidia.com/gpu: 1}}   (in the container of the pod)"},
     {"Slurm", {"#SBATCH", "srun ", "SLURM_", "slurmstepd"}, "sbatch --gres=gpu:1 ...   (Slurm: ask for a GPU)"},
     {"Colab",
      {"Google Colab", "google.colab", "\"/content/", "Colab"},
      "Runtime, Change runtime type: a GPU   (Colab)"},
     {"RunPod", {"RunPod", "runpod", "Runpod", "vast.ai"}, "start a pod with a GPU   (another one, if this has none)"},
     {"Kaggle", {"/kaggle/", "on Kaggle", "KAGGLE_"}, "Settings, Accelerator: a GPU   (Kaggle)"},
     {"Apptainer",
      {"ingularity", "pptainer", "SINGULARITY_", "nvliblist.conf"},
      "apptainer exec --nv IMAGE ...   (on the host: nvidia-smi)"},
     {"LXD",
      {"LXD", "lxd ", "Incus", "incus "},
      "lxc config device add NAME gpu gpu && lxc config set NAME nvidia.runtime true   (on the host, then restart the "
      "container; with Incus: incus config ...)"},
     {"LXC",
      {"LXC", " lxc ", "Proxmox", "proxmox"},
      "in the LXC container, with /dev/nvidia*: sh NVIDIA-Linux-x86_64-VERSION.run --no-kernel-module   (the host's "
      "version)"}});

// "/Users/me/..." where a path begins: not that of a disk of Windows, nor /mnt/c/Users of WSL.
bool has_path_of_macos(std::string_view text) {
    for (auto at = text.find("/Users/"); at != std::string_view::npos; at = text.find("/Users/", at + 1))
        if (at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 && text[at - 1] != ':'))
            return true;
    return contains(text, "/Library/Frameworks/Python.framework");
}

bool is_of_macos(std::string_view text) {
    if (contains_any(text, {"/home/", "/root/", "NVIDIA-SMI", "Windows"})) return false;
    return has_path_of_macos(text) ||
           contains_any(text, {"MacBook", "Macbook", "macbook", "MacOS", "Mac M", "M1 Mac", "M2 Mac", "OS: macOS",
                               "macOS Monterey", "macOS Ventura", "macOS Sonoma", "macOS Sequoia", "Apple M1",
                               "Apple M2", "Apple M3", "Apple M4", "Apple Silicon", "Apple silicon"});
}

// "C:\ComfyUI\venv\Lib\site-packages\torch" belongs to C:\ComfyUI\venv\Scripts\python.
std::string own_python_in(std::string_view text) {
    if (!contains_any(text, {"ComfyUI", "stable-diffusion-webui", " forge ", "webui_forge", "Fooocus", "kohya_ss",
                             "text-generation-webui", "StabilityMatrix", "Stability Matrix", "InvokeAI", "framepack",
                             "FramePack", "skip-torch-cuda-test", "webui-user"}))
        return "";
    struct Layout {
        std::string_view sign, python;
    };
    constexpr auto layouts = std::to_array<Layout>({{"\\python_embeded\\", "python"},
                                                    {"\\python\\lib\\site-packages", "python"},
                                                    {"\\venv\\Lib\\site-packages", "Scripts\\python"},
                                                    {"\\.venv\\Lib\\site-packages", "Scripts\\python"},
                                                    {"/venv/lib/python3", "bin/python"},
                                                    {"/.venv/lib/python3", "bin/python"}});
    for (const auto& [sign, python] : layouts) {
        const auto at = text.find(sign);
        if (at == std::string_view::npos) continue;
        const auto folder = text.substr(0, text.find_first_of("/\\", at + 1) + 1);
        auto path = folder.substr(folder.find_last_of("\"'\n\t>") + 1);  // npos + 1 is 0
        if (const auto disk = path.rfind(":\\"); disk != std::string_view::npos && disk > 0)
            path.remove_prefix(disk - 1);
        else if (const auto blank = path.rfind(' '); blank != std::string_view::npos) path.remove_prefix(blank + 1);
        const std::string_view quote = contains(path, " ") ? "\"" : "";
        return fmt::format("{0}{1}{2}{0}", quote, path, python);
    }
    return contains_any(text, {"conda", "/home/", "/usr/"}) ? "" : "PYTHON";
}

// "CUDA_VISIBLE_DEVICES=1,2", "os.environ['CUDA_VISIBLE_DEVICES'] = ''"
std::optional<std::string_view> visible_devices_in(std::string_view text) {
    constexpr std::string_view name = "CUDA_VISIBLE_DEVICES";
    for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const auto rest = text.substr(at + name.size(), 100);
        const auto sign = rest.find_first_not_of("'\"] ");
        if (sign == std::string_view::npos || rest[sign] != '=') continue;
        const auto begin = std::min(rest.find_first_not_of("= '\"", sign), rest.size());
        const auto value = rest.substr(begin, rest.find_first_not_of("0123456789,-", begin) - begin);
        if (!value.empty() || contains_any(rest.substr(0, begin), {"''", "\"\""})) return value;
    }
    return std::nullopt;
}

std::string replaced(std::string text, std::string_view old, std::string_view by) {
    for (auto at = text.find(old); at != std::string::npos; at = text.find(old, at + by.size()))
        text.replace(at, old.size(), by);
    return text;
}

std::string for_program(const std::string& command, const Origin& origin) {
    if (!origin.program) return command;
    const auto& [name, signs, typed, less_memory, anew, torch] = *origin.program;
    if (command.starts_with("use a smaller batch") && !less_memory.empty()) return std::string(less_memory);
    if (!origin.uses_torch() && command.starts_with("update PyTorch")) return fmt::format("update {}", name);
    if (!origin.uses_torch() && contains_any(command, {"torch", "Torch", "TORCH_"}) &&
        !contains_any(command, {"libtorch", "openmm-torch"}))
        return "";
    const bool of_jax = contains(command, "XLA_PYTHON"), of_tensorflow = contains(command, "TF_");
    const bool meant = (of_jax && origin.runs("JAX")) || (of_tensorflow && origin.runs("TensorFlow"));
    if (!origin.uses_torch() && (of_jax || of_tensorflow) && !meant) return "";
    if (typed.empty()) return command;
    const auto started = replaced(command, " python ...", fmt::format(" {}", typed));
    return started == command ? replaced(command, " torchrun ...", fmt::format(" {}", typed)) : started;
}

std::string for_place(const std::string& command, const Origin& origin) {
    if (origin.jetson && command.starts_with("nvidia-smi") && contains_any(command, {"memory", "pid"}))
        return "sudo tegrastats   (a Jetson: CPU and GPU share one memory)";
    if (!origin.place) return command;
    if (command.starts_with("docker run --gpus")) return std::string(origin.place->typed);
    if (origin.is_in("podman")) return contains(command, "restart docker") ? "" : replaced(command, "docker", "podman");
    if (!origin.is_in("Kubernetes") || contains(command, "engine is Docker")) return command;
    if (command.starts_with("docker ")) return "";
    if (const auto also = command.find("; docker info"); also != std::string::npos) return command.substr(0, also);
    return replaced(replaced(command, "=docker", "=containerd"), "restart docker", "restart containerd");
}

// For Windows itself these have no build with CUDA.
std::string in_wsl(const std::string& command) {
    return fmt::format(
        "wsl --install   (in Windows itself {}; in WSL 2: pip install '{}')",
        contains(command, "jax[") ? "JAX has no build with CUDA" : "TensorFlow 2.11 and newer use no GPU",
        contains(command, "jax[") ? "jax[cuda12]" : "tensorflow[and-cuda]");
}

// How many letters of "NAME=VALUE " stand at the begin of a command.
std::size_t length_of_assignment(std::string_view command) {
    const auto name = command.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    if (name == 0 || name == std::string_view::npos || command[name] != '=') return 0;
    const bool quoted = command.substr(name + 1).starts_with('\'');
    const auto end = command.find(' ', quoted ? command.find('\'', name + 2) : name);
    return end == std::string_view::npos ? 0 : end + 1;
}

}  // namespace

Origin origin_of(std::string_view text) {
    Origin origin;
    for (const auto part :
         {text.substr(0, end_of_log), text.size() > end_of_log ? text.substr(text.size() - end_of_log) : ""}) {
        origin.windows = origin.windows || has_windows_path(part) ||
                         contains_any(part, {"[WinError", "ImportError: DLL load failed"});
        origin.uv =
            origin.uv || contains(part, "/.venv/lib/python") || contains(part, "uv run") || contains(part, "uv pip");
        origin.conda = origin.conda || names_conda(part);
        origin.wsl = origin.wsl || std::ranges::any_of(of_wsl, [&](auto sign) { return contains(part, sign); });
        origin.jetson =
            origin.jetson ||
            contains_any_word(part, {"Jetson", "jetson", "tegra", "JetPack", "Jetpack", "jetpack", "L4T", "l4t",
                                     "dustynv", "AGX Orin", "Orin N", "(nvgpu)", "NvRm", "nvrm channel",
                                     "CUDA arch 530", "CUDA arch 620", "CUDA arch 720", "CUDA arch 870"});
    }
    const auto begin = text.substr(0, end_of_log);
    origin.windows = origin.windows || (!origin.wsl && is_said_to_be_windows(begin));
    origin.macos = !origin.windows && !origin.wsl && is_of_macos(begin);
    const bool other = !names_card_of_nvidia(begin);
    origin.amd = other && names_card_of_amd(begin);
    origin.intel = other && !origin.amd && names_card_of_intel(begin);
    origin.program = program_of(begin);
    origin.place = setting_in(begin, places);
    origin.visible = visible_devices_in(begin);
    origin.distribution = distribution_of(begin);
    origin.own_python = own_python_in(begin);
    for (const std::string_view label :
         {"Driver Version: ", "Nvidia driver version: ", "Driver Version                            : "})
        if (const auto version = between(begin, label, "."); version && !origin.driver_cuda)
            origin.driver_cuda = cuda_of_driver(fmt::format("{}.0", *version));
    return origin;
}

std::string install_torch(const Origin& origin, const std::string& asked) {
    if (origin.jetson) return jetson_wheels;
    // The default build needs a driver for CUDA 13.
    constexpr int of_default = 13000;
    const bool older = asked.empty() && origin.driver_cuda && *origin.driver_cuda < of_default;
    const auto build = older ? wheel_for(origin.driver_cuda, {}).build : asked;
    if (!origin.own_python.empty())
        return fmt::format(
            "{} -m pip install --upgrade torch torchvision torchaudio --index-url "
            "https://download.pytorch.org/whl/{}",
            origin.own_python, build.empty() ? "cu128" : build);
    if (origin.uv)
        return fmt::format("uv venv fresh && uv pip install --python fresh --torch-backend={} torch",
                           build.empty() ? "auto" : build);
    // For Windows the package index has builds for the CPU only.
    const auto wanted = build.empty() && origin.windows ? "cu128" : build;
    const auto index = wanted.empty() ? "" : " --index-url https://download.pytorch.org/whl/" + wanted;
    if (origin.conda)
        return fmt::format("conda create -n fresh python pip && conda run -n fresh pip install torch{}", index);
    if (origin.windows) return fmt::format("python -m venv fresh && fresh\\Scripts\\pip install torch{}", index);
    return fmt::format("python3 -m venv fresh && fresh/bin/pip install torch{}", index);
}

std::string fitting(const std::string& general, const Origin& origin) {
    auto command = for_distribution(for_program(for_place(general, origin), origin), origin.distribution);
    if (origin.visible && origin.visible->starts_with('1')) command = replaced(command, "DEVICES=1 ", "DEVICES=0 ");
    if (!origin.windows) return command;
    if (!origin.wsl && contains_any(command, {"tensorflow[and-cuda]", "jax[cuda"})) return in_wsl(command);
    if (contains(command, "LD_LIBRARY_PATH") || contains(command, "/usr/")) return "";
    command = replaced(replaced(command, "python3 -m venv", "python -m venv"), "fresh/bin/", "fresh\\Scripts\\");
    if (contains_any(command, {"python -c '", "install '"}))  // cmd.exe knows only the other quotes
        for (auto& each : std::span(command).first(std::min(command.find("   ("), command.size())))
            each = each == '\'' ? '"' : each == '"' ? '\'' : each;
    constexpr std::string_view set = "export ";
    if (command.starts_with(set)) return "set " + command.substr(set.size());
    command = replaced(command, "rm -r ~/.cache/torch_extensions",
                       "rmdir /s /q %LOCALAPPDATA%\\torch_extensions\\torch_extensions\\Cache");
    if (std::ranges::any_of(of_linux, [&](auto begin) { return command.starts_with(begin); })) return "";
    if (contains(command, "$(")) return "";
    if (const auto pipe = command.find(" | grep"); pipe != std::string::npos) return command.substr(0, pipe);
    std::string settings;
    auto rest = std::string_view(command);
    for (auto length = length_of_assignment(rest); length > 0; length = length_of_assignment(rest)) {
        std::string setting(rest.substr(0, length - 1));
        std::erase(setting, '\'');
        settings += fmt::format("set {}&& ", setting);
        rest.remove_prefix(length);
    }
    return settings + std::string(rest);
}

}  // namespace tocuda::doctor
