// tocuda, Apache-2.0.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "doctor/message/dump.hpp"
#include "doctor/message/dump_lines.hpp"
#include "doctor/message/environment.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/message/wheels.hpp"
#include "doctor/python/architectures.hpp"

namespace tocuda::doctor {
namespace {

class EnvironmentJudge {
public:
    explicit EnvironmentJudge(const Environment& environment)
        : env(environment), torch(env.torch_version()), capabilities(env.capabilities()) {
        if (env.has_driver()) driver_cuda = cuda_of_driver(*env.driver);
    }

    Findings all() {
        if (!what_was_read().empty()) add(ok("read", what_was_read()));
        if (env.torch == "N/A") return not_installed();
        if (env.is_macos()) return of_macos();
        if (env.hip_build() || env.xpu_build()) return of_other_vendor();
        if (env.has_no_cuda()) return of_cpu_build();
        judge_build();
        judge_driver();
        judge_cuda_version();
        judge_architectures();
        judge_libraries();
        judge_availability();
        name_what_is_missing();
        return std::move(found);
    }

    std::string what_was_read() const {
        std::vector<std::string> parts;
        if (!env.gpu_names.empty()) parts.push_back(counted_names(env.gpu_names));
        if (env.has_driver()) parts.push_back("driver " + *env.driver);
        if (!torch.empty()) parts.push_back("torch " + torch);
        if (env.is_wsl()) parts.emplace_back("WSL 2");
        if (env.is_jetson()) parts.emplace_back("Jetson");
        if (env.is_available() || env.is_unavailable())
            parts.push_back(fmt::format("is_available() {}", env.is_available() ? "True" : "False"));
        return fmt::format("{}", fmt::join(parts, ", "));
    }

private:
    const Environment& env;
    const std::string torch;
    const std::vector<int> capabilities;
    std::optional<int> driver_cuda{};
    Findings found{};

    void add(Finding one) { found.push_back(std::move(one)); }
    // Whether a build has code for the GPU does not change is_available().
    bool is_explained() const {
        return std::ranges::any_of(
            found, [](const Finding& one) { return one.state == State::fault && one.check != "torch architectures"; });
    }

    std::string named_torch() const { return torch.empty() ? "torch" : "torch " + torch; }

    // A build that this driver runs on this GPU, in a new environment.
    std::string install() const {
        if (env.is_jetson()) return jetson_wheels;
        const auto choice = wheel_for(driver_cuda, capabilities);
        if (choice.build.empty())
            return fmt::format(
                "build PyTorch with TORCH_CUDA_ARCH_LIST={}   (no published build has code for this GPU)",
                capability_text(*std::ranges::min_element(capabilities)));
        const auto python = version_of(env.python.value_or(""));
        const bool too_old = python != std::pair{0, 0} && python < std::pair{3, 10};
        const auto command =
            too_old ? "uv venv --python 3.12 fresh && uv pip install --python fresh torch --index-url "
                      "https://download.pytorch.org/whl/" +
                          choice.build
                    : install_torch({.windows = env.is_windows(), .uv = false, .conda = env.conda}, choice.build);
        if (!driver_cuda && choice.driver_needed == 0)
            return command + fmt::format("   (for driver {} or newer)", choice.build == "cu118" ? 450 : 525);
        if (choice.driver_needed == 0) return command;
        const bool may_be_the_last = driver_cuda && *driver_cuda < 9010 && capabilities.empty();
        return fmt::format("install NVIDIA's driver {} or newer{}, then: {}", choice.driver_needed,
                           may_be_the_last ? " (if there is none for this GPU, it is too old for PyTorch)" : "",
                           command);
    }

    Findings not_installed() {
        const auto python = version_of(env.python.value_or(""));
        const auto which = python == std::pair{0, 0} ? "" : fmt::format(" ({}.{})", python.first, python.second);
        if (env.imports_torch)
            add(fault("torch",
                      fmt::format("the Python that ran collect_env{} has a torch that cannot be imported", which),
                      "python -c \"import torch\"   (its error says why)"));
        else add(fault("torch", fmt::format("the Python that ran collect_env{} has no torch", which), install()));
        return std::move(found);
    }

    Findings of_macos() {
        add(fault("torch build", "this is macOS, for which there is no CUDA",
                  "x.to('mps')   (on Apple silicon, if torch.backends.mps.is_available())"));
        return std::move(found);
    }

    Findings of_other_vendor() {
        const auto made_for =
            env.hip_build() ? fmt::format("AMD GPUs (ROCm {})", *env.hip_build()) : std::string("Intel GPUs (XPU)");
        const auto evidence = fmt::format("{} is built for {}", named_torch(), made_for);
        if (env.has_driver() || !capabilities.empty()) add(fault("torch build", evidence, install()));
        else if (env.is_available()) add(ok("torch build", evidence + " and finds one; tocuda only knows NVIDIA GPUs"));
        else add(unknown("torch build", evidence + "; tocuda only knows NVIDIA GPUs"));
        return std::move(found);
    }

    Findings of_cpu_build() {
        const auto evidence = named_torch() + " is built for the CPU only";
        if (env.sees_nothing())
            add(fault("torch build", evidence + ", and no NVIDIA driver or GPU is seen",
                      "nvidia-smi, and only if it shows a GPU: " + install()));
        else add(fault("torch build", evidence, install()));
        return std::move(found);
    }

    void judge_build() {
        if (torch.empty()) return add(unknown("torch build", "torch's version is not in the paste"));
        if (const auto cuda = env.cuda_build())
            return add(ok("torch build", fmt::format("torch {}, built for CUDA {}", torch, *cuda)));
        add(unknown("torch build", fmt::format("what torch {} is built for is not in the paste", torch)));
    }

    // nvidia-smi, which collect_env asks, does not exist on a Jetson.
    void judge_driver() {
        if (!env.sees_nothing() || env.is_jetson() || env.is_available()) return;
        const std::string evidence = "no NVIDIA driver and no GPU found";
        const bool may_be_jetson = !env.is_unavailable() && !env.platform;
        if (may_be_jetson) return add(unknown("driver", evidence));
        add(fault("driver", evidence,
                  env.is_wsl() ? "nvidia-smi   (in PowerShell: the driver is that of Windows; then: wsl --update)"
                               : "nvidia-smi   (on that machine; in a container: docker run --gpus all ...)"));
    }

    void judge_cuda_version() {
        const auto cuda = env.cuda_build();
        if (!cuda || !driver_cuda || env.is_jetson()) return;
        constexpr int first_compatible = 11;  // from there on each driver serves all versions of a major
        const auto built = version_of(*cuda);
        const auto driver = std::pair{*driver_cuda / 1000, *driver_cuda % 1000 / 10};
        const auto evidence = fmt::format("torch is built for CUDA {}, the driver supports up to {}.{}", *cuda,
                                          driver.first, driver.second);
        if (built <= driver) return add(ok("torch CUDA version", evidence));
        const bool too_old = built.first > driver.first || built.first < first_compatible;
        if (too_old && env.is_available())
            return add(ok("torch CUDA version", evidence + "; it starts all the same, so cuda-compat is in use"));
        if (too_old) {
            auto other_build = install();
            const auto needed = oldest_for_gpus(built);
            if (!contains(other_build, "   ("))
                other_build += fmt::format("   (builds for CUDA {}.x run with driver {}{})", driver.first, *env.driver,
                                           needed == 0 ? ""
                                                       : fmt::format("; the other way: driver {} or newer, with which "
                                                                     "this torch runs",
                                                                     needed));
            return add(fault("torch CUDA version", evidence, newer_driver_for(built).value_or(other_build)));
        }
        const auto works = evidence + ": it works, except code JIT-compiled from PTX";
        add(env.is_available() ? ok("torch CUDA version", works) : warning("torch CUDA version", works, ""));
    }

    // The oldest branch of the driver that serves both; 0: unknown.
    int oldest_for_gpus(std::pair<int, int> built) const {
        constexpr int blackwell = 100, first_for_blackwell = 570;
        const auto oldest = oldest_driver_for(built.first * 1000 + built.second * 10);
        const bool newest = std::ranges::any_of(capabilities, [](int one) { return one >= blackwell; });
        return oldest > 0 && newest ? std::max(oldest, first_for_blackwell) : oldest;
    }

    // Where no published build runs with this driver, the installed one does with a newer driver, if it has code.
    std::optional<std::string> newer_driver_for(std::pair<int, int> built) const {
        const auto oldest = oldest_for_gpus(built);
        if (oldest == 0 || wheel_for(driver_cuda, capabilities).driver_needed == 0) return std::nullopt;
        if (capabilities.empty() || !has_code_for_each(built)) return std::nullopt;
        return fmt::format("install NVIDIA's driver {} or newer   (this torch runs with it)", oldest);
    }

    // Builds for CUDA 9 and 10 have code from Maxwell or Kepler to Volta, which Turing runs too.
    bool has_code_for_each(std::pair<int, int> built) const {
        constexpr int maxwell = 50, turing = 75, ampere = 80;
        const auto code = architectures_of_wheel(torch, env.is_windows());
        return std::ranges::all_of(capabilities, [&](int capability) {
            if (code.empty() && built < std::pair{11, 0}) return capability >= maxwell && capability <= turing;
            if (code.empty()) return capability >= maxwell && capability <= ampere;
            return std::ranges::any_of(code, [&](const auto& each) { return runs_on(each, capability); });
        });
    }

    void judge_architectures() {
        if (capabilities.empty() || env.is_jetson()) return;
        const bool listed = !env.architectures.empty();
        const bool arm = contains(env.platform.value_or("") + env.system.value_or(""), "aarch64");
        const auto code = listed ? env.architectures
                          : arm  ? std::vector<std::string>{}
                                 : architectures_of_wheel(torch, env.is_windows());
        if (code.empty()) return;
        const auto whose = listed ? std::string("this build") : fmt::format("the official wheel of torch {}", torch);
        std::vector<std::string> without;
        for (const auto& name : env.gpu_names) {
            const auto capability = capability_of_name(name);
            const auto runs = [&](const auto& each) { return runs_on(each, *capability); };
            if (capability && std::ranges::none_of(code, runs))
                without.push_back(fmt::format("{} ({})", name, capability_text(*capability)));
        }
        if (without.empty()) return add(ok("torch architectures", whose + " has code for each GPU"));
        const auto then = env.is_unavailable() ? "" : ": is_available() is True, tensors move, the first kernel fails";
        const auto evidence =
            fmt::format("{} has {} and nothing for {}{}", whose, fmt::join(code, " "), counted_names(without), then);
        add(without.size() == capabilities.size() ? fault("torch architectures", evidence, install())
                                                  : warning("torch architectures", evidence, install()));
    }

    // nvidia-cublas-cu11 beside nvidia-cublas-cu12: each torch needs the packages of one major.
    void judge_libraries() {
        if (env.library_majors.size() < 2) return;
        add(warning(
            "torch libraries",
            fmt::format("NVIDIA packages for CUDA {} are in one environment", fmt::join(env.library_majors, " and ")),
            "python3 -m venv fresh && fresh/bin/pip install torch   (a new environment; in the old one they overwrite "
            "each other's files)"));
    }

    void judge_availability() {
        if (env.is_available()) return add(ok("torch", "is_available() is True"));
        if (!env.is_unavailable() || is_explained()) return;
        constexpr std::size_t many = 4;
        if (contains(env.initialization, "Error 2: out of memory"))
            return add(
                fault("cuInit",
                      env.is_wsl() && env.gpu_names.size() >= many
                          ? fmt::format("cuInit answers 2, out of memory: WSL 2 cannot start so many GPUs ({}) at once",
                                        env.gpu_names.size())
                          : std::string("cuInit answers 2, out of memory"),
                      "CUDA_VISIBLE_DEVICES=0 python3 -c 'import torch; print(torch.cuda.is_available())'   (with "
                      "fewer GPUs; and more memory for WSL: memory= in .wslconfig)"));
        const auto seen_why = env.initialization.empty() ? "this dump does not show why" : "its own warning says why";
        const bool fits = env.cuda_build() && driver_cuda;
        const auto evidence =
            fits ? fmt::format("is_available() is False although build and driver fit; {}", seen_why)
                 : fmt::format("is_available() is False; {}",
                               env.initialization.empty() ? "what would explain it is not in the paste" : seen_why);
        add(fault("torch", evidence, look_for_reason()));
    }

    std::string look_for_reason() const {
        if (env.is_jetson())
            return std::string(
                       "python3 -c 'import torch; print(torch.__version__, torch.version.cuda)'   (a version without "
                       "nv is no wheel of NVIDIA's; ") +
                   jetson_wheels + ")";
        if (env.is_windows())
            return "python -c \"import torch; torch.cuda.init()\"   (its error says why; and: echo "
                   "%CUDA_VISIBLE_DEVICES%)";
        return "tocuda doctor   (on that machine: it looks at CUDA_VISIBLE_DEVICES, nvidia_uvm and cuInit's answer, "
               "such as 802 or 999)";
    }

    void name_what_is_missing() {
        std::vector<std::string> missing;
        if (!env.driver) missing.emplace_back("the driver");
        if (!env.gpus && env.gpu_names.empty()) missing.emplace_back("the GPUs");
        if (!env.available) missing.emplace_back("is_available()");
        if (missing.empty()) return;
        add(unknown("paste",
                    fmt::format("{} {} not in it", fmt::join(missing, ", "), missing.size() == 1 ? "is" : "are")));
    }
};

}  // namespace

std::string counted_names(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t at = 0; at < names.size(); ++at) {
        if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(at), names[at]) !=
            names.begin() + static_cast<std::ptrdiff_t>(at))
            continue;
        const auto number = std::ranges::count(names, names[at]);
        text += (text.empty() ? "" : ", ") + (number > 1 ? fmt::format("{}x ", number) : "") + names[at];
    }
    return text;
}

std::string gpus_counted(std::size_t number) { return fmt::format("{} GPU{}", number, number == 1 ? "" : "s"); }

std::vector<Dump> environments_in(const Lines& lines) {
    std::vector<Dump> dumps;
    for (const auto& one : read_environments(lines)) {
        EnvironmentJudge judge(one);
        dumps.push_back({.tool = "collect_env",
                         .findings = judge.all(),
                         .not_seen = {"the libraries that the loader takes", "the kernel module", "the bus"},
                         .read = judge.what_was_read(),
                         .driver = one.has_driver() ? *one.driver : ""});
    }
    return dumps;
}

}  // namespace tocuda::doctor
