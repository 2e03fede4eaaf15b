// tocuda, Apache-2.0.
// The machine that an error text is from, as far as the text shows it, and commands that fit it.
#pragma once

#include <string>
#include <string_view>

namespace tocuda::doctor {

struct Origin {
    bool windows = false;
    bool uv = false;     // it names uv
    bool conda = false;  // its paths are those of a conda environment
    bool wsl = false;
};

Origin origin_of(std::string_view text);

// Into a new environment, so that nothing that exists changes. `build` is "cu126" or such; empty: the default one.
std::string install_torch(const Origin& origin, const std::string& build);

// The command as the shell of that machine takes it; empty if it makes no sense there.
std::string fitting(const std::string& command, const Origin& origin);

}  // namespace tocuda::doctor
