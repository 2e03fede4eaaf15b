// tocuda, Apache-2.0.
// ROW of a command line: which row of a file is meant. Pure.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "command/verb.hpp"
#include "summary/file_rows.hpp"

namespace tocuda {

// A row's id, a prefix of it, or its name and as many of key=value as tell it from the others; where several GPUs, drivers or runs hold it, gpu=,
// driver= and run= (a prefix) choose. Its position, or in one line what is wrong and what may have been meant.
std::variant<std::size_t, std::string> chosen_row(const Words& words, const std::vector<FileRow>& rows, const std::vector<SectionRows>& sections);

// "copy/host_to_device/pinned bytes=67108864"
std::string name_of(const RowSummary& row);

}  // namespace tocuda
