// tocuda, Apache-2.0.
// What a verb accepts, as plain data, and its part of a completion script or of the manual page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

struct DescribedOption {
    std::vector<std::string> names{};  // "-o", "--output"; a positional's only name is FILE
    std::string value{};               // DIR, FILE, N; empty: a flag
    std::string help{};

    bool positional() const { return !names.front().starts_with('-'); }
    bool names_file() const { return value == "FILE" || value == "OLD" || value == "NEW"; }
    bool names_folder() const { return value == "DIR" || value == "FOLDER"; }
    bool names_verdict() const { return value == "VERDICT"; }
    bool names_scenario() const { return value == "PATTERN" || value == "NAME"; }
};

inline constexpr std::string_view verdicts_offered = "true false partly open skipped broken";

struct Description {
    std::string verb{};
    std::string summary{};
    std::string usage{};  // "tocuda list [OPTIONS] PATTERN..."
    std::vector<DescribedOption> options{};
    std::vector<std::string> examples{};
};

// Form: man, bash, zsh or fish.
std::string part_for(std::string_view form, const Description& verb);

// Escaped for troff, and between single quotes for a shell.
std::string in_troff(std::string_view text);
std::string quoted_for_zsh(std::string_view text);
std::string quoted_for_fish(std::string_view text);

}  // namespace tocuda
