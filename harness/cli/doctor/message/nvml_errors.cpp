// tocuda, Apache-2.0.
// What NVML and nvidia-smi refuse, and the services that start the driver.
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

void read_unsupported(std::string_view text, std::size_t, Explanation& told) {
    const auto origin = origin_of(text);
    if (origin.jetson) {
        told.meaning =
            "On a Jetson NVML has few figures, as its GPU shares the CPU's memory and clocks. CUDA works all the same; "
            "the program should go on without them.";
        told.remedies = {"sudo tegrastats   (a Jetson's own figures)",
                         "update the program   (newer ones go on without NVML)"};
    } else if (contains_any(text, {"GB10", "DGX Spark", "dgx-spark", "Thor", "GH200", "GB200"})) {
        told.certain = true;
        told.meaning =
            "This GPU shares the CPU's memory, so NVML has no size of a memory of its own; CUDA works all the same.";
        told.remedies = {"update the program   (newer ones ask CUDA or the system for the memory)",
                         {"free -h   (the memory that both share)", Scope::look}};
    }
}

bool is_of_persistence(std::string_view text, std::size_t at) {
    return contains_any(line_around(text, at), {"ailed", "ailure", "exit code", "FAILURE", "Failed", "Unable"});
}

}  // namespace

Functions nvml_functions() {
    return {.readings = {{"read_unsupported", read_unsupported}},
            .conditions = {{"is_of_persistence", is_of_persistence}}};
}

}  // namespace tocuda::doctor
