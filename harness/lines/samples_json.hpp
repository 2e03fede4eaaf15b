// tocuda, Apache-2.0.
// Samples and telemetry as JSON: the same fields in a worker's line and in a result file's row. `samples_dom.hpp` reads
// them.
#pragma once

#include "lines/json.hpp"
#include "model/benchmark.hpp"

namespace tocuda::json {

// Their fields go behind those that the object has; `parameters` first among them.
void add_samples(Json& object, const Samples& samples);

}  // namespace tocuda::json
