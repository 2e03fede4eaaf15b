// tocuda, Apache-2.0.
// Shared parts of the documents about recorded runs. Only files of this room include it.
#pragma once

#include <vector>

#include "json_lines/documents.hpp"
#include "json_lines/json.hpp"

namespace tocuda::json {

Json about(const RunLine& run);  // the run line without `kind` and plan
Json of_build(const Build& build);
Json of_bench(const RecordedRun& run);
Json of_shown(const ShownBenchmark& benchmark);
void put_measured(Json& document, const std::vector<RecordedRun>& runs);  // rows, fits, taxes

}  // namespace tocuda::json
