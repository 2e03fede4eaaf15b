// tocuda, Apache-2.0.
// The tools whose JSON `import` reads, and what a file is that is no result file.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace tocuda {

struct OtherTool {
    std::string_view name;
    std::array<std::string_view, 2> keys;  // at the top of its document: it has all of them
};

// The first that fits is meant.
inline constexpr std::array other_tools{
    OtherTool{"nvbandwidth", {"nvbandwidth", "nvbandwidth"}},
    OtherTool{"google-benchmark", {"context", "benchmarks"}},
    OtherTool{"nvbench", {"benchmarks", "meta"}},
    OtherTool{"nccl-tests", {"nccl_version", "nccl_version"}},
    OtherTool{"nccl-tests", {"config", "results"}},
};

// The first of the eight columns of BabelStream's CSV.
inline constexpr std::string_view babelstream_column = "function,";

inline bool is_babelstream(std::string_view text) {
    return text.starts_with(babelstream_column) ||
           text.find("\n" + std::string(babelstream_column)) != std::string_view::npos;
}

// So much of a file tells what it is.
inline constexpr std::size_t telling_bytes = std::size_t{1} << 16U;

// Why a file that begins with this is not a result file, not even a damaged one; empty if it may be one.
std::string why_no_record(std::string_view beginning, const std::string& file);

}  // namespace tocuda
