// tocuda, Apache-2.0.
// Compares a printed table with the one in goldens/. To accept the tables as they are now, run the test with
// TOCUDA_WRITE_GOLDENS=1, and read the difference before it is committed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>

#include "terminal/paper.hpp"

namespace tocuda {

inline std::string without_colour(const std::string& text) {
    std::string plain;
    bool escape = false;
    for (const char c : text) {
        if (c == '\x1b') escape = true;
        if (!escape) plain += c;
        if (c == 'm') escape = false;
    }
    return plain;
}

inline std::string golden_in(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline std::size_t widest_line(const std::string& text) {
    std::size_t widest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) widest = std::max(widest, columns_of(line));
    return widest;
}

// On paper of 80, 100 and 140 columns, plain and in colour.
inline void expect_goldens(const std::string& name, const std::function<std::string(const Paper&)>& printed) {
    for (const std::size_t columns : {80U, 100U, 140U})
        for (const bool coloured : {false, true}) {
            const auto text = printed(Paper(Surface{.columns = columns, .coloured = coloured}));
            const auto file = std::filesystem::path(TOCUDA_GOLDENS) /
                              (name + "_" + std::to_string(columns) + (coloured ? "_colour" : "") + ".txt");
            if (std::getenv("TOCUDA_WRITE_GOLDENS")) std::ofstream(file) << text;
            EXPECT_EQ(text, golden_in(file)) << file;
            EXPECT_LE(widest_line(without_colour(text)), columns) << text;
            EXPECT_EQ(without_colour(text), printed(Paper(Surface{.columns = columns}))) << "colour moves nothing";
        }
}

}  // namespace tocuda
