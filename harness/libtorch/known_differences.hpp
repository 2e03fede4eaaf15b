// tocuda, Apache-2.0.
// What is known to differ between the supported versions of LibTorch wherever it is met: said once here, declared where it is seen.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/scenario.hpp"

namespace tocuda {

// The hint that an error may come from an earlier kernel follows every error of the runtime's in 2.11, and only those that may in 2.15.
inline Difference hint_of_asynchrony(const std::string& name, std::vector<std::string> variants = {}) {
    return {name + ".message", {{"2.11", "For debugging consider passing CUDA_LAUNCH_BLOCKING=1"}, {"2.15", ""}},
            "only where an earlier kernel may be the cause", std::move(variants)};
}

// The same on the way without an index to a GPU that cannot be initialised.
inline std::vector<Difference> hints_of_asynchrony_without_a_gpu(const std::vector<std::string>& variants = {}) {
    return {hint_of_asynchrony("to(cuda)", variants), hint_of_asynchrony("cuda()", variants)};
}

// 2.15 has a dtype more: BComplex32.
inline Difference number_of_dtypes(const std::string& key) { return {key, {{"2.11", "46"}, {"2.15", "47"}}, "BComplex32 is new"}; }

// What an out-of-memory error advises where segments are expandable already.
inline Difference advice_of_expandable_segments(const std::string& name) {
    return {name + ".message", {{"2.11", "try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"}, {"2.15", "expandable_segments is enabled"}},
            "advised although it is set", {"expandable_segments"}};
}

}  // namespace tocuda
