// tocuda, Apache-2.0.
// Imports texts for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "imported/imported_file.hpp"

namespace tocuda {

inline RunLine importer() { return {.time = "2026-11-26T12:00:00Z", .suite = {"0.1.0", "dd50dfc460e9", false}}; }

inline ImportedFile taken(const std::string& text, const Told& told = {}) {
    auto file = import_text(text, "folder/a.json", told, importer());
    EXPECT_TRUE(file) << (file ? "" : file.error().what);
    return file ? *std::move(file) : ImportedFile{};
}

inline std::string refusal(const std::string& text, const Told& told = {}) {
    const auto file = import_text(text, "a.json", told, importer());
    return file ? "" : file.error().what;
}

inline std::vector<MeasurementRow> rows_of(const ImportedFile& file, const std::string& benchmark) {
    std::vector<MeasurementRow> rows;
    for (const auto& row : file.rows)
        if (row.benchmark == benchmark) rows.push_back(row);
    return rows;
}

// The first.
inline MeasurementRow row_of(const ImportedFile& file, const std::string& benchmark) {
    const auto rows = rows_of(file, benchmark);
    EXPECT_FALSE(rows.empty()) << benchmark;
    return rows.empty() ? MeasurementRow{} : rows.front();
}

inline std::string changed(std::string text, const std::string& from, const std::string& to) {
    const auto place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return place == std::string::npos ? text : text.replace(place, from.size(), to);
}

// What a run line says is unavailable.
inline std::string lacks(const RunLine& run, const std::string& field) {
    for (const auto& one : run.unavailable)
        if (one.field == field) return one.cause;
    return "";
}

}  // namespace tocuda
