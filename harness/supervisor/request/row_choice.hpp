// tocuda, Apache-2.0.
// Resolves the ROW of a command line to a row of a file. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/problem.hpp"
#include "summary/file_rows.hpp"
#include "terminal/arguments.hpp"

namespace tocuda {

// ROW is a row's id, a prefix of it, or its name with enough KEY=VALUE to distinguish it; if several GPUs, drivers or
// runs have the row, gpu=, driver= and run= (each a prefix) select one. A simulated row counts only if all are. Returns
// its position, or one line that says what is wrong and what may have been meant.
Expected<std::size_t> chosen_row(const Words& words, const std::vector<FileRow>& rows,
                                 const std::vector<SectionRows>& sections);

// All rows that ROW may mean, without simulated ones if any is not.
Expected<std::vector<std::size_t>> rows_meant(const Words& words, const std::vector<FileRow>& rows,
                                              const std::vector<SectionRows>& sections);

// Of a folder: "; in this folder: FOLDER/NAME, FOLDER/OTHER". Empty if none of these names is in it.
std::string inside_folder(const std::string& word, const std::set<std::string>& names);

// "FOLDER/NAME bytes=67108864"
std::string name_of(const RowSummary& row);

}  // namespace tocuda
