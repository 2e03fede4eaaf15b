// tocuda, Apache-2.0.
// What the folders of installed packages say about torch and NVIDIA's libraries.
#pragma once

#include <optional>
#include <string>

#include "doctor/python/rooted.hpp"
#include "doctor/python/seen_python.hpp"

namespace tocuda::doctor {

// The torch that `import torch` finds first; nullopt if there is none. Its libraries are not looked at.
std::optional<TorchSeen> see_torch(const Rooted& root, const PythonSeen& python);

// The architectures that torch.cuda.get_arch_list() reports: LibTorch keeps them as a text in libtorch_python.so.
std::vector<std::string> architectures_in(std::string_view bytes);

}  // namespace tocuda::doctor
