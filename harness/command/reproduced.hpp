// tocuda, Apache-2.0.
// What was recorded beside what was recorded again: rows by their id and the place of their GPU, claims by scenario and variant. Pure.
#pragma once

#include <vector>

#include "command/run_recording.hpp"
#include "model/reproduction.hpp"
#include "summary/file_rows.hpp"

namespace tocuda {

std::vector<ReproducedRow> reproduced_rows(const std::vector<SectionRows>& before, const SectionRows& after);
std::vector<ReproducedRow> reproduced_claims(const std::vector<Row>& before, const std::vector<Row>& after);

// What differs between the machines, each GPU beside that of its place.
Attribution differences(const RunLine& before, const RunLine& after);

}  // namespace tocuda
