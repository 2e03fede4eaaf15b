// tocuda, Apache-2.0.
// Compares a recording with its repetition, rows by id and position of their GPU, claims by scenario and variant, and
// formats the result. Pure.
#pragma once

#include <string>
#include <vector>

#include "model/machine.hpp"
#include "model/reproduction.hpp"
#include "model/row.hpp"
#include "summary/file_rows.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

std::vector<ReproducedRow> reproduced_rows(const std::vector<SectionRows>& before, const SectionRows& after);
std::vector<ReproducedRow> reproduced_claims(const std::vector<Row>& before, const std::vector<Row>& after);

// Returns what differs between the machines, comparing GPUs of the same position.
Attribution differences(const RunLine& before, const RunLine& after);

// What `reproduce` prints: the recorded values, those found now, and the interval in which these were expected.
std::string reproduction_table(const Reproduction& reproduction, const Paper& paper);

// "12 rows: 11 inside, 1 outside, 0 skipped"
std::string reproduction_totals(const Reproduction& reproduction);

}  // namespace tocuda
