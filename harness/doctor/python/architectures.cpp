// tocuda, Apache-2.0.
#include "doctor/python/architectures.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace tocuda::doctor {
namespace {

struct PublishedBuild {
    std::string_view machine;
    std::string_view backend;
    std::vector<std::string_view> architectures;
};

// PYTORCH_RELEASES_CODE_CC of torch/cuda/__init__.py in LibTorch 2.15.
const auto published_builds = std::to_array<PublishedBuild>({
    {"x86_64", "cu132", {"sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"}},
    {"x86_64", "cu126", {"sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90"}},
    {"aarch64", "cu132", {"sm_80", "sm_90", "sm_100", "sm_110", "sm_120"}},
});

// GPUs of Jetson modules run only code made for them, though their number suggests otherwise (the same file's
// DEVICE_REQUIREMENT; from CUDA 13.2 on other code of the same generation runs there too).
constexpr auto integrated = std::to_array<int>({53, 62, 72, 87});

}  // namespace

bool runs_on(std::string_view architecture, int gpu) {
    const bool intermediate = architecture.starts_with("compute_");
    if (!intermediate && !architecture.starts_with("sm_")) return false;
    architecture.remove_prefix(intermediate ? 8 : 3);
    int code = 0;
    const auto read = std::from_chars(architecture.data(), architecture.data() + architecture.size(), code);
    if (read.ec != std::errc{}) return false;
    const auto suffix = architecture.substr(static_cast<std::size_t>(read.ptr - architecture.data()));
    if (suffix == "a") return code == gpu;  // for this architecture only
    if (intermediate && suffix.empty()) return code <= gpu;
    if (code != gpu && std::ranges::count(integrated, gpu)) return false;
    return code / 10 == gpu / 10 && code % 10 <= gpu % 10;
}

std::optional<std::string> published_build_for(int gpu, const std::string& machine) {
    for (const auto& build : published_builds)
        if (build.machine == machine &&
            std::ranges::any_of(build.architectures, [&](auto each) { return runs_on(each, gpu); }))
            return std::string(build.backend);
    return std::nullopt;
}

std::string capability_text(int compute_capability) {
    return std::to_string(compute_capability / 10) + "." + std::to_string(compute_capability % 10);
}

}  // namespace tocuda::doctor
