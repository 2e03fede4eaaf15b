// tocuda, Apache-2.0.
// Entries are indices or prefixes of UUIDs. An invalid entry ends the list; a repeated one leaves no device at all.
#include "settings/visible_devices.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace tocuda::simulator {
namespace {

std::optional<int> by_uuid(std::string_view entry, const std::vector<SimulatedGpu>& gpus) {
    std::optional<int> found;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        if (!std::string_view(gpus[i].uuid).starts_with(entry)) continue;
        if (found) return std::nullopt;  // the prefix of two GPUs names neither
        found = static_cast<int>(i);
    }
    return found;
}

std::optional<int> device_of(std::string_view entry, const std::vector<SimulatedGpu>& gpus) {
    if (entry.starts_with("GPU-") || entry.starts_with("MIG-")) return by_uuid(entry, gpus);
    int index = -1;
    const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), index);
    if (error != std::errc{} || end != entry.data() + entry.size()) return std::nullopt;
    if (index < 0 || index >= static_cast<int>(gpus.size())) return std::nullopt;
    return index;
}

std::string_view without_blanks(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

}  // namespace

std::vector<int> visible_devices(std::optional<std::string_view> list, const std::vector<SimulatedGpu>& gpus) {
    std::vector<int> visible;
    if (!list) {
        for (std::size_t i = 0; i < gpus.size(); ++i) visible.push_back(static_cast<int>(i));
        return visible;
    }
    std::string_view rest = *list;
    while (!rest.empty()) {
        const auto entry = rest.substr(0, rest.find(','));
        const auto device = device_of(without_blanks(entry), gpus);
        if (!device) return visible;
        if (std::find(visible.begin(), visible.end(), *device) != visible.end())
            return {};  // repeated: no device at all
        visible.push_back(*device);
        rest.remove_prefix(entry.size() < rest.size() ? entry.size() + 1 : rest.size());
    }
    return visible;
}

std::vector<int> visible_devices_of_environment(const std::vector<SimulatedGpu>& gpus) {
    const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
    auto visible = visible_devices(list ? std::optional<std::string_view>(list) : std::nullopt, gpus);
    // Of MIG instances CUDA shows a process the first only, and no other GPU.
    const auto instance =
        std::ranges::find_if(visible, [&](int i) { return gpus[static_cast<std::size_t>(i)].mig == 1; });
    if (instance != visible.end()) visible = {*instance};
    return visible;
}

}  // namespace tocuda::simulator
