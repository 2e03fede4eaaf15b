// tocuda, Apache-2.0.
// Samples and telemetry from a parsed line: the same fields in a worker's line and in a result file's row.
#pragma once

#include "lines/dom.hpp"
#include "model/benchmark.hpp"

namespace tocuda::dom {

Samples to_samples(const Fields& fields);

}  // namespace tocuda::dom
