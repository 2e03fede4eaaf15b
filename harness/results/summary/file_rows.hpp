// tocuda, Apache-2.0.
// Groups the measurements of a result file into rows across its sections: measurements of one parameter set on one GPU
// with the same software are one row, whichever section they are in. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/machine.hpp"
#include "model/measurement.hpp"
#include "model/row.hpp"
#include "model/summary.hpp"

namespace tocuda {

struct SectionRows {
    RunLine run{};
    std::vector<MeasurementRow> rows{};
};

struct FileRow {
    RowSummary summary{};
    std::vector<std::size_t> sections{};         // with a process of this row, in file order
    std::vector<std::vector<double>> medians{};  // of the valid processes, by session
};

// Rows are in the order of their first appearance.
std::vector<FileRow> file_rows(std::span<const SectionRows> sections);

// Whether the benchmark used the GPU through LibTorch; then the LibTorch version is part of the row's identity.
bool through_libtorch(const RowSummary& row);
bool through_libtorch(const MeasurementRow& row);

// Returns the number of sessions of these sections.
int sessions_of(std::span<const SectionRows> sections, const std::vector<std::size_t>& positions);

// Decides whether a row may be cited. `cite` refuses rows by it, and `verify` reports whether a file has any citable
// row. Pure.
inline constexpr int cited_processes_min = 6;  // fewer give no interval at 95 %

// Returns every reason why this row of this section must not be cited; empty if it may be. `problems`: what verifying
// the section's bytes found.
std::vector<std::string> why_not_citable(const RunLine& run, const RowSummary& row,
                                         const std::vector<std::string>& problems);
// The same for a row of a scenario.
std::vector<std::string> why_not_citable(const RunLine& run, const Row& row, const std::vector<std::string>& problems);

// Real LibTorch and the real CUDA runtime met a fake driver: what they say then, they say on any machine.
bool only_the_driver_is_fake(const Evidence& evidence);

}  // namespace tocuda
