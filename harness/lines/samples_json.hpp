// tocuda, Apache-2.0.
// Writes samples and telemetry, with the same fields in worker lines and in rows of result files. `samples_dom.hpp`
// reads them.
#pragma once

#include "lines/json.hpp"
#include "model/benchmark.hpp"

namespace tocuda::json {

// Appends the fields of the samples to the object, starting with `parameters`.
void add_samples(Json& object, const Samples& samples);

}  // namespace tocuda::json
