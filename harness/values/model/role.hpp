// tocuda, Apache-2.0.
// What a benchmark is beside others: its lines of the data sheet, its part of `bench characterise`, its place on a
// page and in pictures. The harness and the scripts know no benchmark by name: they read this.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

// A row of the benchmark as the data sheet shows it.
struct SheetLine {
    int order = 0;          // among the lines of all benchmarks
    std::string section{};  // "link"
    std::string words{};    // "to the GPU, pinned"
    std::string having{};   // parameters that the row must have, as text: "what=submit memory=pinned"
    std::string figure{};   // of a profile, by which it is judged; empty: none is published
    bool touched = false;   // the rate of the bytes read and written, not of the payload
    bool time = false;      // the time of an operation, not a rate
    bool ratio = false;     // how many times what the runtime alone needs

    bool operator==(const SheetLine&) const = default;
};

struct Role {
    std::vector<SheetLine> sheet{};
    // What `bench characterise` measures of it, as `bench` accepts it: "bytes=64MiB pages=touched". A parameter that is
    // not named has its default values, or those of --full if it has none.
    std::vector<std::string> characterise{};
    std::string headline{};               // the question of a page's first screen that it answers, see `headline`
    std::vector<std::string> pictures{};  // of scripts/plot, by their names; none: those of the rest
    std::string heading{};                // of its rows in pictures, where these are not called by their folder
    std::string question{};               // of the picture of its family, if that is not a part of "the rest"
    std::vector<std::string> compared{};  // parameters that pictures compare, and do not only tune; "*": all
    std::string campaign{};               // the step of a campaign that measures it, before everything is measured
    std::vector<std::string> peers{};     // what other programs call the same: "babelstream Triad"
    std::string chooses{};                // the operation and the variant in the table of chosen variants

    bool over_link = false;    // a link limits it, so that bytes count once; otherwise memory is read and written
    bool libtorch = false;     // it measures LibTorch, unless a parameter `through` says otherwise
    bool working_set = false;  // `bytes` is how much is in use, not how much is moved
    bool collective = false;   // the bytes touched are those that a GPU sends over its link: the bus rate
    bool unlike = false;       // no two of its family do the same, so none is faster than another
    bool tunes = false;        // measured where it is named, and never with everything else
    bool touched = false;      // in pictures of the rest, the bytes read and written count
    bool each_row = false;     // in pictures of the rest, rows stand one by one even if there are several sizes
    bool alone = false;        // in pictures of the rest, it is a family of its own
    bool slowest = false;      // in pictures, of several GPUs the slowest is drawn
    bool inspected = false;    // a campaign starts it under sanitizers and profilers

    bool operator==(const Role&) const = default;
};

// The questions of a page's first screen.
namespace headline {
inline constexpr const char* to_gpu = "to_gpu";
inline constexpr const char* to_host = "to_host";
inline constexpr const char* pageable = "pageable";
inline constexpr const char* copy = "copy";
inline constexpr const char* other_copy = "other_copy";  // if it is the faster one
inline constexpr const char* read = "read";              // only in pictures of several runs
inline constexpr const char* libtorch = "libtorch";
}  // namespace headline

using Roles = std::map<std::string, Role, std::less<>>;  // by benchmark

// Those of all benchmarks of this version, also of workers that are not built here: from the descriptions among the
// sources.
const Roles& described_roles();

// An empty one if this version has no such benchmark.
inline const Role& role_of(std::string_view benchmark) {
    static const Role none;
    const auto found = described_roles().find(benchmark);
    return found == described_roles().end() ? none : found->second;
}

// The benchmark that answers a question of a page's first screen; empty if none does.
inline std::string answering(const Roles& roles, std::string_view question) {
    for (const auto& [benchmark, role] : roles)
        if (role.headline == question) return benchmark;
    return "";
}

}  // namespace tocuda
