// tocuda, Apache-2.0.
// The JSON document of `doctor`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/explanation.hpp"
#include "model/finding.hpp"

namespace tocuda {

std::string doctor_document(bool usable, const std::vector<doctor::Finding>& findings,
                            const std::optional<std::string>& cause);

// For `doctor --message`.
std::string explanation_document(const doctor::Explanation& explanation);

}  // namespace tocuda
