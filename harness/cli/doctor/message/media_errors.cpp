// tocuda, Apache-2.0.
// Video, pictures and simulated worlds: FFmpeg and DALI, Blender, OptiX, Vulkan, Isaac Sim; and OpenCL with hashcat.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto encoded_on_cpu = "ffmpeg ... -c:v libx264 ...   (the encoder on the CPU)";

// "Required: 12.2 Found: 12.1", "The minimum required Nvidia driver for nvenc is 570.0 or newer"
void read_driver_of_nvenc(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 300, 400);
    const auto needed = between(message, "Required: ", " Found: ");
    const auto found = between(message, " Found: ", "\n");
    if (needed && found && found->size() < 10)
        told.arithmetic.push_back(fmt::format("this FFmpeg speaks NVENC {}, and the driver has {}", *needed, *found));
    if (const auto driver = between(message, "driver for nvenc is ", " or newer"); driver && driver->size() < 12)
        told.arithmetic.push_back(fmt::format("it needs driver {} or newer", *driver));
}

// "OpenEncodeSessionEx failed: unsupported device (2): (no details)"
void read_session(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = line_around(text, at);
    if (contains_any(text, {"Driver does not support the required nvenc API version"})) return;
    if (contains(line, "incompatible client key"))
        told.meaning =
            "The driver refuses the encoder to this program: its library libnvidia-encode is patched or of "
            "another version than the driver.";
    if (contains_any(line, {"out of memory", "OUT_OF_MEMORY", "nEncodeSessionEx: 10", "error 10", "(10)"})) {
        told.meaning =
            "NVENC had no room for another session: the memory of the GPU is full, or as many videos are "
            "encoded as GeForce GPUs allow at once (8, in older drivers 3 to 5).";
        told.remedies = {{"nvidia-smi; nvidia-smi encodersessions   (memory, and who encodes)", Scope::look},
                         "encode fewer videos at a time   (end your own FFmpeg processes that were left)",
                         encoded_on_cpu,
                         {"update the driver   (newer ones allow more sessions, and the open kernel module of 520 and "
                          "older had no encoder on GeForce; undo: the old one)",
                          Scope::machine}};
    }
}

}  // namespace

Functions media_functions() {
    return {.readings = {{"read_driver_of_nvenc", read_driver_of_nvenc}, {"read_session", read_session}}};
}

}  // namespace tocuda::doctor
