// tocuda, Apache-2.0.
// A log of the kernel in which nothing is wrong with NVIDIA's driver.
#pragma once

#include <optional>
#include <string_view>

#include "doctor/message/pasted.hpp"

namespace tocuda::doctor {

// nullopt if the text is no such log. To be asked after explain(), which finds what is wrong.
std::optional<Pasted> judge_kernel_log(std::string_view text);

}  // namespace tocuda::doctor
