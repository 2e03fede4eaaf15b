// tocuda, Apache-2.0.
// Reads the profiles that the build embeds in the program.
#include "machine/profiles.hpp"

#include <algorithm>
#include <stdexcept>

#include "built_in_profiles.hpp"
#include "lines/profile.hpp"
#include "model/nearest.hpp"

namespace tocuda {
namespace {

GpuProfile read(std::string_view name, std::string_view text) {
    const auto profile = gpu_profile(text, std::string(name) + ".json");
    if (!profile) throw std::logic_error("a built-in profile cannot be read: " + profile.wrong);
    return *profile;
}

}  // namespace

std::vector<std::string> profile_names() {
    std::vector<std::pair<std::int64_t, std::string>> by_memory;
    for (const auto& [name, text] : built_in_profiles::all)
        by_memory.emplace_back(read(name, text).gpu.memory_bytes, std::string(name));
    std::ranges::sort(by_memory);
    std::vector<std::string> names;
    for (auto& [memory, name] : by_memory) names.push_back(std::move(name));
    return names;
}

std::optional<GpuProfile> built_in_profile(std::string_view wanted) {
    for (const auto& [name, text] : built_in_profiles::all)
        if (name.size() == wanted.size() && edits_between(name, wanted) == 0) return read(name, text);
    return std::nullopt;
}

}  // namespace tocuda
