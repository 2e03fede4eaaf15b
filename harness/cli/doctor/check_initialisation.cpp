// tocuda, Apache-2.0.
// cuInit: what each of its answers means on this machine.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "doctor/checks.hpp"
#include "doctor/message/message.hpp"
#include "doctor/remedies.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto init_check = "cuInit";

std::string answered(const Seen& seen) {
    const auto& text = seen.probe.init_text;
    return fmt::format("cuInit answers {}{}", *seen.probe.init, text.empty() ? "" : " (" + text + ")");
}

bool is_compatibility(const std::string& path) { return path.find("compat") != std::string::npos; }

Finding not_ready(const Seen& seen) {
    if (auto found = fabric_not_ready(seen)) return *std::move(found);
    if (seen.probe.confidential.value_or(false) && !seen.probe.confidential_ready.value_or(true))
        return fault(init_check, answered(seen) + ": confidential computing is on, and the GPUs do not accept work yet",
                     as_root(seen, "nvidia-smi conf-compute -srs 1"));
    return fault(init_check, answered(seen) + ": the system is not ready, as without the fabric manager",
                 as_root(seen, "systemctl start nvidia-fabricmanager") + "   (of the driver's own version)");
}

Finding mismatch(const Seen& seen) {
    const auto& library = seen.probe.library.value_or("");
    const auto module = seen.kernel.version.value_or("(unknown)");
    if (is_compatibility(library))
        return fault(
            init_check,
            fmt::format("{}: {} of cuda-compat is older than the kernel module {}", answered(seen), library, module),
            remove_compatibility(seen) +
                "   (or take its folder out of LD_LIBRARY_PATH; no "
                "reboot helps)");
    return fault(init_check,
                 fmt::format("{}: {} does not belong to the loaded kernel module {}", answered(seen), library, module),
                 reload_driver(seen));
}

// What the module said when it did not start the GPU.
Finding no_device(const Seen& seen) {
    if (const auto why = explain(seen.log.of_driver); why && !why->remedies.empty())
        return fault(init_check,
                     fmt::format("{}: the driver finds no GPU; {}: \"{}\" ({})", answered(seen), seen.log.file,
                                 why->quoted, why->error),
                     why->remedies.front().what);
    return fault(init_check, answered(seen) + ": the driver finds no GPU",
                 look_at_log(seen, "the module says there why it refused the GPU"));
}

Finding refused_by_fabric(const Seen& seen) {
    const auto why = no_imex_channel(seen);
    return fault(init_check, answered(seen) + ": " + (why ? why->evidence : "IMEX, which serves the fabric, refuses"),
                 why ? why->remedy : as_root(seen, "systemctl restart nvidia-imex"));
}

struct Meaning {
    int code;
    const char* evidence;
    const char* remedy;  // empty: the kernel's log
};
constexpr std::array meanings{
    Meaning{3, "the driver is shutting down, or could not be initialised",
            "modprobe -r nvidia_uvm && modprobe nvidia_uvm   (while no program uses a GPU; if it stays: options "
            "nvidia_uvm uvm_disable_hmm=1 in /etc/modprobe.d and a reboot, open-gpu-kernel-modules#901)"},
    Meaning{46, "every GPU is busy: exclusive mode, and another process has it", "nvidia-smi -c DEFAULT"},
    Meaning{304, "the operating system refused a call of the driver", ""},
    Meaning{805, "the MPS server cannot be reached",
            "nvidia-cuda-mps-control -d   (or: unset CUDA_MPS_PIPE_DIRECTORY)"},
    Meaning{999, "the module nvidia_uvm is in a bad state, as after suspend and resume",
            "modprobe -r nvidia_uvm && modprobe nvidia_uvm   (while no program uses a GPU)"},
};

Finding for_answer(const Seen& seen) {
    const int code = *seen.probe.init;
    if (seen.around.wsl)
        return fault(init_check, answered(seen),
                     "wsl --shutdown   (in PowerShell; if it stays, NVIDIA's current driver for Windows; never a Linux "
                     "driver)");
    if (code == 100) return no_device(seen);
    if (code == 101 || code == 800) return refused_by_fabric(seen);
    if (code == 802) return not_ready(seen);
    if (code == 803) return mismatch(seen);
    if (code == 804)
        return fault(init_check,
                     answered(seen) + ": cuda-compat does not support this GPU: it is for data centre GPUs only",
                     remove_compatibility(seen));
    const auto known = std::ranges::find(meanings, code, &Meaning::code);
    if (known == meanings.end()) return fault(init_check, answered(seen), look_at_log(seen));
    return fault(init_check, answered(seen) + ": " + known->evidence,
                 *known->remedy == 0 ? look_at_log(seen) : as_root(seen, known->remedy));
}

}  // namespace

Findings check_initialisation(const Seen& seen) {
    const auto& probe = seen.probe;
    if (!probe.library) return {};
    if (!probe.finished && !probe.devices)
        return {fault(init_check,
                      fmt::format("the process that asked the driver, while {}: {}", probe.doing.value_or("starting"),
                                  seen.probe_ended),
                      look_at_log(seen, "then reset the GPU, or reboot"))};
    if (!probe.init)
        return {fault(init_check, why_missing(seen, "gpus"),
                      seen.around.container == Container::none ? install_driver(seen) : start_with_gpus(seen))};
    if (*probe.init == 100 && (hidden_by_variable(seen) || mig_without_instances(seen))) return {};  // said there
    if (*probe.init != 0) return {for_answer(seen)};
    if (probe.devices == 0 && !hidden_by_variable(seen) && !mig_without_instances(seen)) return {no_device(seen)};
    if (probe.devices) return {ok(init_check, "cuInit succeeds")};
    return {fault(init_check, why_missing(seen, "gpus"), look_at_log(seen))};
}

}  // namespace tocuda::doctor
