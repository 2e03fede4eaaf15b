// tocuda, Apache-2.0.
// What was computed and what not.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace tocuda::computing {

// A call was computed, or was not for this reason.
void report(const c10::OperatorHandle& op, const char* why_not);

}  // namespace tocuda::computing
