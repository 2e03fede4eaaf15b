// tocuda, Apache-2.0.
// The report of one or more result files: a page (HTML) to attach to a ticket, or a digest (Markdown) to paste into it.
// Pure: shows what the other rooms computed, and computes no statistics.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "json_lines/documents.hpp"
#include "model/change_report.hpp"
#include "model/profile.hpp"
#include "model/published.hpp"
#include "model/replayed.hpp"
#include "model/role.hpp"
#include "printing/verdict_table.hpp"

namespace tocuda::page {

// A document of `replay --json`.
struct MemoryReplay {
    std::string file{};
    Replayed replayed{};
};

// Runs, or replays of memory, or both.
struct Report {
    std::vector<RecordedRun> runs{};  // oldest first
    Statements statements{};
    std::vector<DriverStep> changes{};  // two files, or each driver against the previous one
    std::string not_compared{};         // why two sides could not be, in a sentence; empty: they were, or are none
    std::optional<FleetReport> fleet{};
    Roles roles = described_roles();
    std::map<std::string, GpuProfile> published{};  // of the GPUs of the runs, by their names
    std::vector<std::vector<HeldRow>> held{};       // a newest real run of each model, against what others published
    std::vector<MemoryReplay> memory{};
    std::vector<std::string> warnings{};
    bool redacted = false;  // leaves out host, UUIDs, paths, boot and session ids
};

// One file without references to others.
std::string html_of(const Report& report);

// At most 25 lines, with the run ids.
std::string digest_of(const Report& report);

}  // namespace tocuda::page
