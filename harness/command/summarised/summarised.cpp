// tocuda, Apache-2.0.
// For a test: prints the document that `bench` would have printed for each section of a recorded file, a line each.
#include <algorithm>
#include <cstdio>
#include <string>
#include <variant>
#include <vector>

#include "summary/row_summary.hpp"
#include "lines/documents.hpp"
#include "record/sections.hpp"

int main(int count, char** words) {
    if (count != 2) return 2;
    const auto recording = tocuda::read_recording(words[1]);
    if (const auto* unreadable = std::get_if<tocuda::Unreadable>(&recording)) {
        std::fprintf(stderr, "%s\n", unreadable->what.c_str());
        return 2;
    }
    for (const auto& section : std::get<tocuda::Recording>(recording).sections) {
        std::vector<tocuda::MeasurementRow> measured;
        for (const auto& recorded : section.measurements) measured.push_back(recorded.row);
        const auto rows = tocuda::summaries(measured, section.run.gpus);
        auto document = tocuda::bench_document({section.run.run, words[1], section.run.device, rows, tocuda::path_fits(rows)});
        std::replace(document.begin(), document.end(), '\n', ' ');
        std::printf("%s\n", document.c_str());
    }
    return 0;
}
