// tocuda, Apache-2.0.
// Fixture for tests of `tocuda compare`: writes result files of two drivers and compares them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command/driven_program_test.hpp"
#include "comparison_input/made_up_sections_test.hpp"
#include "record/made_up_file_test.hpp"

namespace tocuda {

using made_up::two_digits;

inline RunLine run_of(int session, const std::string& driver) {
    auto run = made_up::run_of(session, driver);
    run.driver_loaded = "2026-11-" + two_digits(session) + "T09:00:00Z";
    run.driver.cuda = "13.0";
    return run;
}

// A millisecond, plus a variation by session of less than a tenth of a percent, which does not drift.
inline double seconds_of(int session, double factor) {
    const int step = 1 + session * (session - 1) / 2;
    return factor * 1e-3 * (1 + 5e-4 * std::sin(7.0 * step));
}

inline std::vector<MeasurementRow> rows_of(int session, double factor = 1) {
    std::vector<MeasurementRow> rows;
    for (const auto* name : {"copy/host_to_device/pinned", "copy/device_to_host/pinned"})
        for (int process = 0; process < 3; ++process)
            rows.push_back({.benchmark = name,
                            .id = std::string(15, '0') + (name[5] == 'h' ? "1" : "2"),
                            .device = Device::real,
                            .process = process,
                            .samples = {.parameters = {{"bytes", 65536}},
                                        .check = "every byte",
                                        .clock = Clock::device,
                                        .batch = 1,
                                        .bytes_one_way = 65536,
                                        .bytes_touched = 131072,
                                        .seconds = {seconds_of(session, name[5] == 'h' ? factor : 1)},
                                        .gpu = "GPU-a"}});
    return rows;
}

class Comparing : public testing::Test {
protected:
    std::filesystem::path write(const std::string& name, const RunLine& run,
                                const std::vector<MeasurementRow>& rows) const {
        const auto file = place.folder / name;
        std::filesystem::create_directories(file.parent_path());
        driven::write(file, made_up::text({.run = run, .measurements = rows}));
        return file;
    }
    // Writes the files of sessions `first` to `last` into a folder.
    void sessions(const std::string& folder, int first, int last, const std::string& driver, double factor = 1) const {
        for (int session = first; session <= last; ++session)
            write(folder + "/" + two_digits(session) + ".jsonl", run_of(session, driver), rows_of(session, factor));
    }
    // Writes eleven sessions per side; on one row the new ones differ by `factor`.
    void two_drivers(double factor) const {
        sessions("old", 1, 11, "570.86.15");
        sessions("new", 12, 22, "580.95.05", factor);
    }
    driven::Finished compare(driven::Words words) const {
        words.insert(words.begin(), "compare");
        return place.run(words);
    }
    nlohmann::json document(driven::Words words, int code) const {
        words.push_back("--json");
        const auto finished = compare(words);
        EXPECT_EQ(finished.code, code) << finished.err;
        return nlohmann::json::parse(finished.out);
    }
    static std::vector<std::string> verdicts(const nlohmann::json& document) {
        std::vector<std::string> words;
        for (const auto& row : document["rows"]) words.push_back(row["verdict"]);
        return words;
    }

    driven::Place place;
};

}  // namespace tocuda
