// tocuda, Apache-2.0.
// For tests of `cite` and of tickets: a file with two sizes of a copy and one row through LibTorch.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "command/driven_program_test.hpp"
#include "json_lines/lines.hpp"
#include "model/row.hpp"
#include "record/digest.hpp"
#include "record/result_file.hpp"

namespace tocuda {

class Cite : public testing::Test {
protected:
    Cite() {
        run.run = "11112222-3333-4444-8555-666677778888";
        run.time = "2026-11-21T10:00:00Z";
        run.verb = "bench";
        run.device = Device::real;
        run.session = "22223333-4444-4555-8666-777788889999";
        run.protocol = Protocol{};
        run.suite = {.version = "0.1.0", .commit = "0123456789abcdef0123456789abcdef01234567", .dirty = false};
        run.driver.kernel_module = "580.95.05";
        run.libtorch.version = "2.15.0";
        run.gpus = {{.index = 0, .uuid = "GPU-1", .name = "NVIDIA H200"}};
    }

    static std::vector<std::string> simulated_by(Device device) {
        if (device != Device::simulated) return {};
        return {"runtime 1xH200"};
    }
    MeasurementRow row(const std::string& benchmark, const Parameters& parameters, int round, int process) const {
        return {.benchmark = benchmark,
                .id = row_id(benchmark, parameters, Protocol{}.version),
                .device = run.device,
                .stand_in = simulated_by(run.device),
                .round = round + 1,
                .process = process,
                .samples = {.parameters = parameters,
                            .check = "made up",
                            .batch = 1,
                            .bytes_one_way = 1'000'000,
                            .bytes_touched = 2'000'000,
                            .seconds = {0.001 * (1 + 0.001 * round)},
                            .gpu = "GPU-1",
                            .libcuda = run.driver.libcuda ? "libcuda.so." + *run.driver.libcuda : ""}};
    }
    void add_rounds(ResultFile& out, int from, int to) const {
        for (int round = from; round < to; ++round) {
            for (const int bytes : {512, 4096})
                out.append(to_line(row("copy/host_to_device/pinned", {{"bytes", bytes}}, round, 2 * round)));
            out.append(to_line(row("framework/to", {{"bytes", 4096}, {"through", "libtorch"}}, round, 2 * round + 1)));
        }
        out.end("complete");
    }
    // A file with two sizes of a copy and one row through LibTorch, each measured in `processes` processes.
    std::string file(int processes = 6) {
        auto out = ResultFile::create(place.results, run);
        add_rounds(out, 0, processes);
        return out.path();
    }
    driven::Finished cite(driven::Words words) {
        words.insert(words.begin(), "cite");
        return place.run(words);
    }
    void expect_refused(const std::string& file, const std::string& why) {
        const auto finished = cite({file, "framework/to"});
        EXPECT_EQ(finished.code, 1) << finished.err;
        EXPECT_NE(finished.err.find(why), std::string::npos) << finished.err;
        EXPECT_EQ(finished.out, "");
    }
    void expect_unknown(const driven::Words& row, const std::string& what) {
        driven::Words words{file()};
        words.insert(words.end(), row.begin(), row.end());
        const auto finished = cite(words);
        EXPECT_EQ(finished.code, 2) << finished.err;
        EXPECT_EQ(driven::lines_in(finished.err), 1U) << finished.err;
        EXPECT_NE(finished.err.find(what), std::string::npos) << finished.err;
        EXPECT_EQ(finished.out, "");
    }

    driven::Place place;
    RunLine run;
};

}  // namespace tocuda
