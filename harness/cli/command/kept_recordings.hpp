// tocuda, Apache-2.0.
// Finds the recordings that `tocuda compare NEW` compares with, and that `show` shows of what this machine has not
// recorded.
#pragma once

#include "command/compared_files.hpp"
#include "comparison_input/normal.hpp"
#include "model/published.hpp"
#include "printing/last_seen.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

// Looks in results/ of the current directory, of this clone, or of the installed tree; the first that has recordings
// counts. results/local, where runs are recorded, is no part of it, nor are copies of the runs in `read`.
OrExit<Normal> recorded_normal(const ReadFiles& read);

// Returns the newest recorded results of a scenario in the same folders, one for each version of LibTorch.
std::vector<LastSeen> recorded_results(const std::string& scenario);

// What a folder has of a scenario or benchmark or, where it has nothing, the newest of those recorded results, on a
// real GPU if there is one. Of a benchmark real results come before simulated ones of the folder.
LastSeen last_seen_or_kept(const std::string& folder, const std::string& scenario);
LastMeasured last_measured_or_kept(const std::string& folder, const std::string& benchmark);

// What others published of these files' real runs: for each model of GPUs of the newest run of which any is published,
// newest first. Looks in published/ of the same folders, of which the first that has it counts; empty if none has.
Expected<std::vector<std::vector<HeldRow>>> held_rows_of(const std::vector<std::string>& files);

}  // namespace tocuda
