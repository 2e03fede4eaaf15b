// tocuda, Apache-2.0.
#include <fmt/core.h>

#include "doctor/findings_by_state.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/message.hpp"

namespace tocuda::doctor {
namespace {

// "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.158.01  Release Build": 570.158.01
std::string version_in(std::string_view line) {
    auto rest = flattened(line.substr(std::min(line.find("Module"), line.size())), 200) + " ";
    for (std::size_t at = rest.find(' '); at + 1 < rest.size(); at = rest.find(' ', at + 1))
        if (rest[at + 1] >= '0' && rest[at + 1] <= '9') return rest.substr(at + 1, rest.find(' ', at + 1) - at - 1);
    return "";
}

}  // namespace

std::optional<Pasted> judge_kernel_log(std::string_view text) {
    constexpr std::string_view loading = "NVRM: loading NVIDIA UNIX";
    const bool crashed = contains(text, "[nvidia") && contains_any(text, {"BUG: ", "Oops: ", "general protection"});
    if (!crashed && !contains(text, "NVRM: ") && !contains(text, "nvidia-modeset: ")) return std::nullopt;
    Pasted pasted{.tool = "the kernel's log", .not_seen = "the driver's libraries, CUDA, PyTorch"};
    if (crashed) {
        pasted.findings.push_back(fault("kernel module",
                                        "the kernel crashed inside NVIDIA's driver (BUG or Oops): what it held then is "
                                        "stuck until the machine starts again",
                                        "sudo reboot   (if it happens again, or at each suspend: another driver)"));
        return pasted;
    }
    if (const auto at = text.rfind(loading); at != std::string_view::npos) {
        pasted.findings.push_back(ok("kernel module", fmt::format("NVIDIA's driver {} was loaded, and reports no error",
                                                                  version_in(line_around(text, at)))));
    } else {
        pasted.findings.push_back(unknown(
            "kernel module", "none of these lines is a known error of NVIDIA's driver, nor says that it started"));
    }
    return pasted;
}

}  // namespace tocuda::doctor
