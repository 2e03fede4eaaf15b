// tocuda, Apache-2.0.
// Runs scenarios into a result file: a new one, the one that is resumed, or a repetition of a recorded plan.
#pragma once

#include <vector>

#include "execution/result_recording.hpp"
#include "model/row.hpp"

namespace tocuda {

struct RunRecording : Recorded {
    std::vector<Row> rows{};
};

// `again` is the plan to repeat; null: the patterns of the request, or the plan of the file that is resumed.
OrExit<RunRecording> record_run(const RunRequest& request, const Catalogue& catalogue, const Plan* again = nullptr);

// Where a resumed run takes place: as planned, unless the request says where.
Where resumed_where(const Where& asked, const Where& planned);

}  // namespace tocuda
