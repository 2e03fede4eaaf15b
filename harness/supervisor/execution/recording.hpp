// tocuda, Apache-2.0.
// `run` and `bench` into a result file: a new one, the one that is resumed, or a repetition of one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "execution/place.hpp"
#include "execution/recorded_run.hpp"
#include "model/measurement.hpp"
#include "model/row.hpp"
#include "model/summary.hpp"
#include "record/result_file.hpp"
#include "request/request.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

// What `run` and `bench` have in common between a plan and a recorded file.
struct Recorded {
    std::optional<int> stopped{};  // the exit code if it did not complete; the reason has been printed
    std::string file{};
    RunLine run{};
};

// Whether stdout gets text: it is not reserved for a document, and this is the rank that speaks.
bool prints(const Request& request);

// Returns why nothing can be recorded, before anything is started.
std::optional<Refusal> why_not_recorded(const Request& request);

// The line of a new section, for `resumed` if that is not null.
RunLine run_line_of(const Request& request, const Place& place, const std::string& verb, const Plan& plan,
                    const FoundRun* resumed);

// Creates the file or, for `--resume`, appends the section. Throws RecordError.
ResultFile open_file(const Request& request, const RunLine& line);

EngineSettings engine_settings(const Request& request, const Place& place, const Plan& plan);

// Runs the source to its end and ends the section. `goes_on` says how an interrupted run is resumed. Returns the exit
// code if it did not complete, after printing why.
std::optional<int> run_into(ResultFile& file, Engine& engine, Source& source, const std::string& goes_on);

// Runs scenarios into a result file: a new one, the one that is resumed, or a repetition of a recorded plan.
struct RunRecording : Recorded {
    std::vector<Row> rows{};
};

// `again` is the plan to repeat; null: the patterns of the request, or the plan of the file that is resumed.
OrExit<RunRecording> record_run(const RunRequest& request, const Catalogue& catalogue, const Plan* again = nullptr);

// Where a resumed run takes place: as planned, unless the request says where.
Where resumed_where(const Where& asked, const Where& planned);

// Measures into a result file: a new one, the one that is resumed, or a repetition of a recorded plan.
struct BenchRecording : Recorded {
    std::vector<MeasurementRow> measured{};
    std::vector<RowSummary> rows{};  // over all processes, with why each row stopped
    std::string cut_short{};         // one sentence about what the time budget cut short; empty if nothing
};

// `again` is the plan to repeat; null: the selection of the request, or the plan of the file that is resumed.
OrExit<BenchRecording> record_bench(const BenchRequest& request, const Catalogue& catalogue,
                                    const Plan* again = nullptr);

}  // namespace tocuda
