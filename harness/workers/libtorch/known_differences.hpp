// tocuda, Apache-2.0.
// Differences between the supported LibTorch versions that several scenarios declare.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/scenario.hpp"

namespace tocuda {

// In 2.11 every error of the runtime ends with the hint that an earlier kernel may be the cause; in 2.15 only those do
// for which that is possible.
inline Difference hint_of_asynchrony(const std::string& name, std::vector<std::string> variants = {}) {
    return {name + ".message",
            {{"2.11", "For debugging consider passing CUDA_LAUNCH_BLOCKING=1"}, {"2.15", ""}},
            "only if an earlier kernel may be the cause",
            std::move(variants)};
}

// The same hint for ways to the GPU without an index, on a GPU that cannot be initialised.
inline std::vector<Difference> hints_of_asynchrony_without_a_gpu(const std::vector<std::string>& variants = {}) {
    return {hint_of_asynchrony("to(cuda)", variants), hint_of_asynchrony("cuda()", variants)};
}

// 2.15 adds the dtype BComplex32.
inline Difference number_of_dtypes(const std::string& key) {
    return {key, {{"2.11", "46"}, {"2.15", "47"}}, "2.15 adds BComplex32"};
}

// The advice of an out-of-memory error when segments are already expandable.
inline Difference advice_of_expandable_segments(const std::string& name) {
    return {name + ".message",
            {{"2.11", "try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"},
             {"2.15", "expandable_segments is enabled"}},
            "2.11 advises it although it is set",
            {"expandable_segments"}};
}

}  // namespace tocuda
