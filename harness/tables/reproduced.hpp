// tocuda, Apache-2.0.
// Compares a recording with its repetition: rows by id and position of their GPU, claims by scenario and variant. Pure.
#pragma once

#include <vector>

#include "model/machine.hpp"
#include "model/reproduction.hpp"
#include "model/row.hpp"
#include "summary/file_rows.hpp"

namespace tocuda {

std::vector<ReproducedRow> reproduced_rows(const std::vector<SectionRows>& before, const SectionRows& after);
std::vector<ReproducedRow> reproduced_claims(const std::vector<Row>& before, const std::vector<Row>& after);

// Returns what differs between the machines, comparing GPUs of the same position.
Attribution differences(const RunLine& before, const RunLine& after);

}  // namespace tocuda
