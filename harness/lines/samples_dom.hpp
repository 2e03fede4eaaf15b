// tocuda, Apache-2.0.
// Reads samples and telemetry, which have the same fields in worker lines and in rows of result files.
#pragma once

#include "lines/dom.hpp"
#include "model/benchmark.hpp"

namespace tocuda::dom {

Samples to_samples(const Fields& fields);

}  // namespace tocuda::dom
