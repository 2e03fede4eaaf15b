// tocuda, Apache-2.0.
// The rows of a result file, over all of its sections: what was measured of one parameter set on one GPU by equal
// software is one row, whichever section it stands in. Pure.
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
    std::vector<std::size_t> sections{};         // that hold a process of it, in their order
    std::vector<std::vector<double>> medians{};  // of the processes that count, by session
};

// In the order in which they first appear.
std::vector<FileRow> file_rows(std::span<const SectionRows> sections);

// Whether LibTorch stood between the benchmark and the GPU: then its version is part of what was measured.
bool through_libtorch(const RowSummary& row);
bool through_libtorch(const MeasurementRow& row);

// How many sessions these sections belong to.
int sessions_of(std::span<const SectionRows> sections, const std::vector<std::size_t>& positions);

}  // namespace tocuda
