// tocuda, Apache-2.0.
// The Windows Subsystem for Linux, whose driver is that of Windows.
#pragma once

#include <string_view>

#include "model/explanation.hpp"

namespace tocuda::doctor {

// If the text is from WSL, the explanation of an error that has another cause there than on other machines.
void tell_of_wsl(std::string_view text, Explanation& told);

}  // namespace tocuda::doctor
