// tocuda, Apache-2.0.
// The document of `compare`.
#pragma once

#include <string>

#include "model/change_report.hpp"

namespace tocuda {

std::string compare_document(const ChangeReport& report);

}  // namespace tocuda
