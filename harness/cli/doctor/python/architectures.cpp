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

struct NamedGpus {
    std::string_view name;  // the begin of it, as NVIDIA writes it
    int capability;
};

// In this order, because "A10" is also the begin of "A100".
constexpr auto named_gpus = std::to_array<NamedGpus>(
    {{"GB300", 103},     {"B300", 103},    {"GB200", 100},      {"B200", 100},      {"GB10", 121},    {"AGX Thor", 110},
     {"Blackwell", 120}, {"RTX PRO", 120}, {"Ada Gen", 89},     {"Quadro RTX", 75}, {"RTX 50", 120},  {"GH200", 90},
     {"H200", 90},       {"H100", 90},     {"H800", 90},        {"H20", 90},        {"L40", 89},      {"L20", 89},
     {"L4", 89},         {"RTX 40", 89},   {"Orin", 87},        {"Xavier", 72},     {"A100", 80},     {"A800", 80},
     {"A30", 80},        {"RTX 30", 86},   {"RTX A", 86},       {"A10", 86},        {"A40", 86},      {"A16", 86},
     {"A2", 86},         {"RTX 20", 75},   {"GTX 16", 75},      {"TITAN RTX", 75},  {"Tesla T4", 75}, {"NVIDIA T4", 75},
     {"MX450", 75},      {"TITAN V", 70},  {"V100", 70},        {"P100", 60},       {"P40", 61},      {"Tesla P4", 61},
     {"GTX 10", 61},     {"GT 1030", 61},  {"GTX TITAN X", 52}, {"GTX TITAN", 35},  {"TITAN X", 61},  {"M40", 52},
     {"M60", 52},        {"GTX 9", 52},    {"K80", 37},         {"K40", 35},        {"K20", 35},      {"GTX 75", 50},
     {"GTX 78", 35},     {"GTX 7", 30},    {"GTX 6", 30},       {"5090", 120},      {"4090", 89},     {"3090", 86},
     {"3080", 86},       {"2080", 75},     {"1080", 61}});

bool is_letter_or_digit(char each) {
    return (each >= '0' && each <= '9') || (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z');
}

// People leave out the rest of "RTX 3090".
bool is_number(std::string_view name) { return name.front() >= '1' && name.front() <= '9'; }

// "A10" in "NVIDIA A10G", but not in "0xA10" or "A1000".
bool names_gpu(std::string_view text, std::string_view name) {
    for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const auto end = at + name.size();
        const bool ends = end == text.size() || text[end] < '0' || text[end] > '9' || name.find(' ') != text.npos;
        const bool begins = at == 0 || !is_letter_or_digit(text[at - 1]) || is_number(name);
        if (begins && ends && (at == 0 || text[at - 1] < '0' || text[at - 1] > '9')) return true;
    }
    return false;
}

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

std::optional<int> capability_of_name(std::string_view text) {
    for (const auto& [name, capability] : named_gpus)
        if (names_gpu(text, name)) return capability;
    return std::nullopt;
}

std::string capability_text(int compute_capability) {
    return std::to_string(compute_capability / 10) + "." + std::to_string(compute_capability % 10);
}

}  // namespace tocuda::doctor
