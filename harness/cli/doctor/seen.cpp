// tocuda, Apache-2.0.
#include "doctor/seen.hpp"

#include <algorithm>
#include <cctype>

namespace tocuda::doctor {

bool Seen::has_node(std::string_view path) const {
    return std::ranges::find(nodes, path, &DeviceNode::path) != nodes.end();
}

bool Seen::has_gpu_node() const {
    constexpr std::string_view begin = "/dev/nvidia";
    return std::ranges::any_of(nodes, [&](const DeviceNode& node) {
        return node.path.starts_with(begin) && node.path.size() > begin.size() &&
               std::isdigit(static_cast<unsigned char>(node.path[begin.size()])) != 0;
    });
}

bool Seen::simulated() const {
    return probe.simulated.value_or(false) || probe.library.value_or("").find("/simulator/") != std::string::npos;
}

const std::string& Seen::variable(const std::string& name) const {
    static const std::string unset;
    const auto found = variables.find(name);
    return found == variables.end() ? unset : found->second;
}

}  // namespace tocuda::doctor
