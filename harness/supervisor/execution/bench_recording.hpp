// tocuda, Apache-2.0.
// Measures into a result file: a new one, the one that is resumed, or a repetition of a recorded plan.
#pragma once

#include <string>
#include <vector>

#include "execution/result_recording.hpp"
#include "model/measurement.hpp"
#include "model/summary.hpp"

namespace tocuda {

struct BenchRecording : Recorded {
    std::vector<MeasurementRow> measured{};
    std::vector<RowSummary> rows{};  // over all processes, with why each row stopped
    std::string cut_short{};         // one sentence about what the time budget cut short; empty if nothing
};

// `again` is the plan to repeat; null: the selection of the request, or the plan of the file that is resumed.
OrExit<BenchRecording> record_bench(const BenchRequest& request, const Catalogue& catalogue,
                                    const Plan* again = nullptr);

}  // namespace tocuda
