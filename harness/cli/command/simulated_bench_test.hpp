// tocuda, Apache-2.0.
// Fixture for tests of `bench` on simulated GPUs: a folder with the fake worker, and the rows that were recorded.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "command/driven_program_test.hpp"
#include "model/measurement.hpp"

namespace tocuda {

class BenchOnSimulatedGpus : public testing::Test {
protected:
    void SetUp() override {
        const auto simulated = driven::tests_folder().parent_path() / "simulator/simulated/libcudart.so.13";
        if (!std::filesystem::exists(simulated)) GTEST_SKIP() << "this build cannot simulate GPUs";
        place.add_fake_bench();
    }
    std::vector<MeasurementRow> rows() const {
        std::vector<MeasurementRow> all;
        const auto recording = place.recording();
        for (const auto& one : recording.sections.at(0).measurements) all.push_back(one.row);
        return all;
    }

    driven::Place place;
};

}  // namespace tocuda
