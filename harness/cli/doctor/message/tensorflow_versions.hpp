// tocuda, Apache-2.0.
// The CUDA and cuDNN that each version of TensorFlow was built for, and the version that a text names.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "doctor/message/dump_lines.hpp"

namespace tocuda::doctor {

using Version = std::pair<int, int>;

// Of a published package: the CUDA and cuDNN that it looks for, from this version of TensorFlow on.
struct Built {
    Version from;
    std::string_view cuda, cudnn;
};
inline constexpr auto tensorflow_builds = std::to_array<Built>({{{2, 18}, "12.5", "9.3"},
                                                                {{2, 16}, "12.3", "8.9"},
                                                                {{2, 15}, "12.2", "8.9"},
                                                                {{2, 14}, "11.8", "8.7"},
                                                                {{2, 12}, "11.8", "8.6"},
                                                                {{2, 5}, "11.2", "8.1"},
                                                                {{2, 4}, "11.0", "8.0"},
                                                                {{2, 1}, "10.1", "7.6"},
                                                                {{1, 13}, "10.0", "7.4"},
                                                                {{1, 5}, "9.0", "7"}});
inline constexpr Version first_with_packages{2, 14};    // pip install 'tensorflow[and-cuda]'
inline constexpr Version first_without_windows{2, 11};  // from here on Windows has no GPU

// "tensorflow==2.3.0", "TensorFlow version\n2.18.0", "TF 2.1", "v2.11.0-rc2-15-g62908192 2.11.0"
inline std::optional<Version> tensorflow_version_in(std::string_view text) {
    for (const std::string_view label : {"ensorflow", "ensorFlow", "tf", "TF"})
        for (auto at = text.find(label); at != std::string_view::npos; at = text.find(label, at + 1)) {
            auto rest = text.substr(at + label.size(), 40);
            for (const std::string_view word : {"-gpu", "-cpu", "-intel", " version", " Version"})
                if (rest.starts_with(word)) rest.remove_prefix(word.size());
            rest.remove_prefix(std::min(rest.find_first_not_of(" =:v`*#\r\n\t"), rest.size()));
            const auto number = leading_version(rest);
            if (!is_version(number)) continue;
            if (const auto found = version_of(number); found >= Version{1, 5} && found < Version{2, 40}) return found;
        }
    return std::nullopt;
}

inline const Built* build_of(std::optional<Version> version) {
    const auto* const found =
        std::ranges::find_if(tensorflow_builds, [&](const Built& one) { return version >= one.from; });
    return !version || found == tensorflow_builds.end() ? nullptr : found;
}

// "cudart64_101.dll" is of CUDA 10.1.
inline std::optional<Version> newest_tensorflow_with(std::string_view library) {
    constexpr std::array<std::pair<std::string_view, Version>, 4> newest{
        {{"cudart64_90.", {1, 12}}, {"cudart64_100.", {2, 0}}, {"cudart64_101.", {2, 3}}, {"cudart64_110.", {2, 10}}}};
    for (const auto& [begin, version] : newest)
        if (library.starts_with(begin)) return version;
    return std::nullopt;
}

}  // namespace tocuda::doctor
