// tocuda, Apache-2.0.
// Groups the measurements of a result file into rows across its sections: measurements of one parameter set on one GPU
// with the same software are one row, whichever section they are in. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/machine.hpp"
#include "model/measurement.hpp"
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

}  // namespace tocuda
