// tocuda, Apache-2.0.
#include "doctor/message/environment.hpp"

#include <algorithm>
#include <array>

#include "doctor/message/dump_lines.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/wheels.hpp"
#include "doctor/python/architectures.hpp"

namespace tocuda::doctor {
namespace {

struct EnvironmentKey {
    std::string_view name;
    std::optional<std::string> Environment::* value;
    bool of_collect_env;  // no other text has it
};

constexpr auto environment_keys =
    std::to_array<EnvironmentKey>({{"PyTorch version", &Environment::torch, false},
                                   {"CUDA used to build PyTorch", &Environment::cuda, true},
                                   {"ROCM used to build PyTorch", &Environment::hip, true},
                                   {"XPU used to build PyTorch", &Environment::xpu, true},
                                   {"OS", &Environment::system, false},
                                   {"Python platform", &Environment::platform, true},
                                   {"Python version", &Environment::python, false},
                                   {"Is CUDA available", &Environment::available, true},
                                   {"GPU models and configuration", &Environment::gpus, true},
                                   {"Nvidia driver version", &Environment::driver, true}});

bool one_of(const std::optional<std::string>& value, std::initializer_list<std::string_view> words) {
    return value && std::ranges::find(words, std::string_view(*value)) != words.end();
}

std::size_t keys_read(const Environment& one, bool of_collect_env) {
    return static_cast<std::size_t>(std::ranges::count_if(environment_keys, [&](const EnvironmentKey& key) {
        return (one.*key.value).has_value() && (!of_collect_env || key.of_collect_env);
    }));
}

// "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-...)", alone or behind its key
void read_gpu(std::string_view line, Environment& one) {
    if (const auto at = line.find("GPU 0"); at != std::string_view::npos && contains(line, "GPU models"))
        line.remove_prefix(at);
    if (!line.starts_with("GPU ")) return;
    const auto end = line.find_first_not_of("0123456789", 4);
    if (end == 4 || end == std::string_view::npos) return;
    const auto name = value_of_key(line, line.substr(0, end));
    if (name && !name->empty()) one.gpu_names.emplace_back(stripped(name->substr(0, name->find("(UUID"))));
}

void read_package(std::string_view line, Environment& one) {
    for (const std::string_view begin : {"[pip3] torch==", "[pip] torch=="})
        if (const auto at = line.find(begin); at != std::string_view::npos && one.package.empty())
            one.package =
                line.substr(at + begin.size(), line.find_first_of(" ;", at + begin.size()) - at - begin.size());
    if (const auto at = line.find("-cu1"); at != std::string_view::npos && contains(line, "] nvidia-"))
        one.library_majors.insert(std::string(line.substr(at + 3, 2)));
    if (contains(line, "[conda] torch ") || contains(line, "[conda] pytorch ")) one.conda = true;
}

void read_warning(std::string_view line, Environment& one) {
    if (const auto at = line.find("supports CUDA capabilities "); at != std::string_view::npos) {
        one.architectures.clear();
        for (auto from = line.find("sm_", at); from != std::string_view::npos; from = line.find("sm_", from + 3))
            one.architectures.emplace_back(line.substr(from, line.find_first_of(" .,\n", from) - from));
    }
    constexpr std::string_view initialization = "CUDA initialization: ";
    if (const auto at = line.find(initialization); at != std::string_view::npos)
        one.initialization = line.substr(at + initialization.size());
}

void read_line(std::string_view line, std::vector<Environment>& all) {
    constexpr std::size_t some = 4;  // a person's own words above it may name one or two
    if (contains(line, "Collecting environment information") && keys_read(all.back(), false) >= some)
        all.emplace_back();
    for (const auto& key : environment_keys) {
        const auto value = value_of_key(line, key.name);
        if (!value) continue;
        auto* read = &(all.back().*key.value);
        if (read->has_value() && **read != *value && keys_read(all.back(), false) >= some) {
            all.emplace_back();
            read = &(all.back().*key.value);
        }
        *read = *value;
    }
    auto& one = all.back();
    if (contains(line, "torch\\__init__.py") || contains(line, "torch/__init__.py")) one.imports_torch = true;
    read_gpu(line, one);
    read_package(line, one);
    read_warning(line, one);
}

}  // namespace

bool Environment::is_available() const { return one_of(available, {"True", "Yes"}); }
bool Environment::is_unavailable() const { return one_of(available, {"False", "No"}); }
bool Environment::is_windows() const {
    return contains(system.value_or(""), "Windows") || platform.value_or("").starts_with("Windows");
}
bool Environment::is_macos() const {
    return contains(system.value_or(""), "Mac OS") || contains(system.value_or(""), "macOS") ||
           platform.value_or("").starts_with("macOS") || platform.value_or("").starts_with("Darwin");
}
bool Environment::is_wsl() const {
    return contains(platform.value_or(""), "microsoft-standard") || contains(platform.value_or(""), "WSL2");
}
bool Environment::is_jetson() const {
    return contains(platform.value_or(""), "-tegra") ||
           std::ranges::any_of(gpu_names, [](const auto& name) { return contains(name, "(nvgpu)"); });
}

std::string Environment::torch_version() const {
    const auto word = [](std::string_view text) { return std::string(text.substr(0, text.find_first_of(" \t`"))); };
    if (torch && is_version(*torch)) return word(*torch);
    return is_version(package) ? word(package) : "";
}

std::optional<std::string> Environment::cuda_build() const {
    return cuda && is_version(*cuda) && !torch_version().ends_with("+cpu") ? cuda : std::nullopt;
}

// An own build without either says "0.0.0".
std::optional<std::string> Environment::hip_build() const {
    return hip && is_version(*hip) && version_of(*hip).first > 0 ? hip : std::nullopt;
}

bool Environment::xpu_build() const {
    if (torch_version().ends_with("+xpu")) return true;
    return xpu && !xpu->empty() && xpu->front() >= '0' && xpu->front() <= '9';
}

bool Environment::has_no_cuda() const {
    if (hip_build() || xpu_build() || cuda_build()) return false;
    if (one_of(driver, {"No CUDA"}) || one_of(gpus, {"No CUDA"})) return true;
    if (torch_version().empty()) return false;
    return torch_version().ends_with("+cpu") || one_of(cuda, {"None", "N/A", "Could not collect", "No CUDA"});
}

bool Environment::sees_nothing() const {
    return one_of(driver, {"Could not collect", "No CUDA"}) && one_of(gpus, {"Could not collect", "No CUDA"}) &&
           gpu_names.empty();
}

bool Environment::has_driver() const { return driver && is_version(*driver); }

std::vector<int> Environment::capabilities() const {
    std::vector<int> known;
    for (const auto& name : gpu_names)
        if (const auto one = capability_of_name(name)) known.push_back(*one);
    return known;
}

std::vector<Environment> read_environments(const Lines& lines) {
    std::vector<Environment> all(1);
    for (const auto line : lines) read_line(line, all);
    std::erase_if(all, [](const Environment& one) { return keys_read(one, true) < 2; });
    for (auto& one : all) one.conda = one.conda || contains(one.python.value_or(""), "conda");
    return all;
}

}  // namespace tocuda::doctor
