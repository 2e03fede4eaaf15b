// tocuda, Apache-2.0.
// Jetson: its driver is a part of the system, JetPack, and containers get it from there.
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto image_for_jetpack =
    "docker run --runtime nvidia IMAGE ...   (an image for this JetPack: nvcr.io/nvidia/l4t-..., dustynv/..., of the "
    "release that /etc/nv_tegra_release names)";

bool is_in_container(std::string_view text) {
    return contains_any(text, {"docker", "ontainer", "podman", "viseron", "frigate", "compose"});
}

// An image of another system brings libraries of its own, or gets those of another JetPack.
void read_container_of_jetson(std::string_view text, std::size_t, Explanation& told) {
    if (!is_in_container(text)) return;
    told.meaning =
        "The container does not reach the Jetson's memory driver: it was started without the NVIDIA runtime, or its "
        "image holds libraries for another JetPack than the host's.";
    told.remedies = {
        {"cat /etc/nv_tegra_release; ls -l /dev/nvmap /dev/nvhost*   (on the host, and in the container)", Scope::look},
        image_for_jetpack};
    if (contains(text, "--runtime=nvidia") || contains(text, "--runtime nvidia"))
        told.remedies.emplace_back(
            "apt install nvidia-l4t-...   (never in the container: the runtime passes in the host's; a plain Ubuntu or "
            "ROS image has to be of the host's release)");
}

}  // namespace

Functions jetson_functions() { return {.readings = {{"read_container_of_jetson", read_container_of_jetson}}}; }

}  // namespace tocuda::doctor
