// tocuda, Apache-2.0.
// Finds impossible values in the lines of a result file.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/machine.hpp"
#include "model/measurement.hpp"
#include "model/problem.hpp"
#include "model/row.hpp"

namespace tocuda {

// Finds impossible values in the measurement rows of one section, each by itself and against earlier rows.

// A real device excludes a simulated GPU or a fake driver.
Expected<void> check_device(Device device, const std::vector<std::string>& stand_in);

class MeasurementCheck {
public:
    explicit MeasurementCheck(RunLine run_line) : run(std::move(run_line)) {}

    // Whether the id is that of the row's content.
    Expected<void> check_id(const MeasurementRow& row) const;
    // Everything else that is wrong.
    std::vector<std::string> wrong_with(const MeasurementRow& row);

private:
    // Must not change within a process.
    struct Process {
        int round;
        std::string benchmark;
        std::string gpu;
    };
    // Must not change between rows with one id on one GPU.
    struct Same {
        Clock clock;
        std::int64_t bytes_one_way;
        std::int64_t bytes_touched;
        std::int64_t items;
        double peak;
    };

    void look_at_place(const MeasurementRow& row);
    void look_at_tail(const SingleTimes& tail, std::ptrdiff_t samples);
    void look_at_samples(const MeasurementRow& row);
    void look_at_process(const MeasurementRow& row);
    void look_at_the_same_id(const MeasurementRow& row);
    const Gpu* gpu_of(const std::string& uuid) const;
    void say(bool so, std::string what);

    RunLine run;
    std::map<int, Process> processes{};
    std::map<std::string, std::map<int, int>> rounds_of{};  // id and GPU -> process -> round
    std::set<std::pair<int, std::string>> measured{};       // (process, id)
    std::map<std::string, Same> ids{};
    std::string libcuda{};  // of the rows so far, if the section has one of its own
    std::vector<std::string> wrong{};
};

// Finds impossible values in run lines and scenario rows.
std::vector<std::string> wrong_with_run(const RunLine& run);

// Whether the run began more than a day after `now`, the time of the verifying machine: one of the two clocks is wrong.
// False for simulated machines, which may have their own clock.
bool is_to_come(const RunLine& run, std::chrono::sys_seconds now);

// What differs between a section and the one that it resumes: `--resume` refuses each of these.
std::vector<std::string> wrong_with_resuming(const RunLine& run, const RunLine& before);

// Whether a file of this name can start with this run. Any name will do that tocuda did not choose.
Expected<void> check_name(const std::string& file_name, const RunLine& run);

std::vector<std::string> wrong_with_scenario(const Row& row);

}  // namespace tocuda
