// tocuda, Apache-2.0.
// What a verb accepts, as plain data, and its part of a completion script or of the manual page.
#pragma once

#include <array>
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

// The exit codes of all verbs but those that run a command or say whether something fits.
struct DescribedExit {
    int code;
    std::string_view means;
    std::string_view more;    // only in the manual page
    std::string_view option;  // the verbs that have it
};
inline constexpr std::array described_exits{
    DescribedExit{0, "as expected", "", ""},
    DescribedExit{1, "a finding",
                  ": an unexpected verdict, a confirmed regression, a file that does not verify or was cut off, a "
                  "citation refused",
                  ""},
    DescribedExit{2, "usage, or a file that cannot be read or written", "", ""},
    DescribedExit{3, "undecided", ", only with --strict", "--strict"},
    DescribedExit{4, "nothing could be run or compared", "", ""},
    DescribedExit{5, "stopped before the end", ", and --resume does the rest; or standard output could not be written",
                  "--resume"},
};

inline constexpr std::string_view verdicts_offered = "true false partly open skipped broken";

struct Description {
    std::string verb{};
    std::string summary{};
    std::string usage{};  // "tocuda list [OPTIONS] PATTERN..."
    std::vector<DescribedOption> options{};
    std::vector<std::string> examples{};
    std::string exits{};  // if it has exit codes of its own
};

// "0 as expected; 1 a finding; ...", of this verb.
std::string exits_of(const Description& verb);

// Form: man, bash, zsh or fish.
std::string part_for(std::string_view form, const Description& verb);

// Escaped for troff, and between single quotes for a shell.
std::string in_troff(std::string_view text);
std::string quoted_for_zsh(std::string_view text);
std::string quoted_for_fish(std::string_view text);

}  // namespace tocuda
