// tocuda, Apache-2.0.
// Resolves the ROW of a command line to a row of a file. Pure.
#pragma once

#include <string>
#include <vector>

#include "model/problem.hpp"
#include "summary/file_rows.hpp"
#include "terminal/arguments.hpp"

namespace tocuda {

// ROW is a row's id, a prefix of it, or its name with enough KEY=VALUE to distinguish it; if several GPUs, drivers or
// runs have the row, gpu=, driver= and run= (each a prefix) select one. Returns its position, or one line that says
// what is wrong and what may have been meant.
Expected<std::size_t> chosen_row(const Words& words, const std::vector<FileRow>& rows,
                                 const std::vector<SectionRows>& sections);

// "FOLDER/NAME bytes=67108864"
std::string name_of(const RowSummary& row);

}  // namespace tocuda
