// tocuda, Apache-2.0.
// Summaries of the processes of one row, of the sizes of one path, and of the time that LibTorch adds to the runtime,
// as tables, documents and plots show them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/benchmark.hpp"
#include "model/evidence.hpp"
#include "model/measurement.hpp"

namespace tocuda {

struct Range {
    double low = 0;
    double high = 0;

    bool operator==(const Range&) const = default;
};

// A process whose samples do not count, and the reason.
struct LeftOut {
    int process = 0;
    Status status = Status::invalid;
    std::string because{};
    std::optional<double> median_seconds{};  // of the samples that it took all the same

    bool operator==(const LeftOut&) const = default;
};

// The median of one process whose samples count.
struct ProcessMedian {
    int process = 0;
    double seconds = 0;

    bool operator==(const ProcessMedian&) const = default;
};

// A second of a sustained measurement.
struct CourseSecond {
    double seconds = 0;  // of one operation
    std::optional<int> sm_clock_mhz{};
    std::optional<double> power_w{};
    std::optional<int> temperature_c{};

    bool operator==(const CourseSecond&) const = default;
};

struct RowSummary {
    std::string benchmark{};
    Parameters parameters{};
    std::string id{};
    Device device = Device::none;
    std::string gpu{};
    std::string peer{};
    Clock clock = Clock::device;
    Status status = Status::ok;
    std::string because{};              // why it is not ok
    std::string check{};                // what was compared, by a process that counts; empty where none does
    std::optional<Printed> imported{};  // of an imported row

    int processes = 0;                             // processes that count
    std::vector<ProcessMedian> process_medians{};  // of these; also of a row that is wrong, which has no time
    std::int64_t samples = 0;
    std::optional<double> median_seconds{};  // median over processes of each process's median
    std::optional<double> cycles{};          // the same of the cycles, where they were counted
    std::optional<RankTimes> ranks{};        // medians over processes
    std::optional<SingleTimes> tail{};       // of all its operations: p50 and p99 are medians over processes
    std::optional<Range> interval{};         // of that median; nullopt below 6 processes
    std::optional<double> interval_level{};  // the true level: never below the requested one
    std::optional<double> half_width{};      // half the interval, relative to the median
    std::optional<double> detectable{};      // the smallest |change| that a comparison of as many processes would find

    std::int64_t bytes_one_way = 0;
    std::int64_t bytes_touched = 0;
    std::int64_t items = 0;
    std::optional<double> bytes_per_second_one_way{};
    std::optional<double> bytes_per_second_touched{};
    std::optional<double> items_per_second{};
    std::optional<double> percent_of_peak{};
    Peak peak{};

    std::vector<CourseSecond> course{};  // of the first process that counts
    Flags flags{};                       // each flag once
    std::string stopped{};  // why there are no more processes: settled, once, budget, processes, ended; empty: unknown
    std::vector<LeftOut> left_out{};

    // Another tool printed a rate and not of how much: the time is that of an assumed size.
    bool has_rate_only() const { return imported && imported->unit.ends_with("/s") && !parameters.contains("bytes"); }
};

// Start-up time and bandwidth of one path: seconds = t0 + bytes / bandwidth, over the sizes of one benchmark. Bytes
// count one way.
struct PathFit {
    std::string benchmark{};
    Parameters parameters{};  // without `bytes`
    Device device = Device::none;
    std::string gpu{};
    std::string peer{};
    Clock clock = Clock::device;
    int sizes = 0;
    std::optional<double> t0_seconds{};
    std::optional<double> bytes_per_second{};
    std::optional<double> half_bandwidth_bytes{};  // the size that reaches half of that bandwidth: t0 * bandwidth
    std::optional<double> residual{};              // root mean square of the misses relative to each time
    std::string because{};                         // why there is no fit
};

// What LibTorch costs on top of the runtime for the same bytes: two rows that differ in `through` alone, compared
// process by process, because each process measures both by turns. Where none measured both, the rows' medians are
// compared, and there is no interval.
struct FrameworkTax {
    std::string benchmark{};
    Parameters parameters{};  // without `through`
    std::string id{};         // of the row through LibTorch
    Device device = Device::none;
    std::string gpu{};
    std::string peer{};
    Clock clock = Clock::host;
    std::int64_t bytes_one_way = 0;
    int processes = 0;                      // that measured both
    double ratio = 1;                       // time through LibTorch / time through the runtime
    std::optional<Range> ratio_interval{};  // none below 6 processes
    double extra_seconds = 0;               // the difference of the two
    std::optional<Range> extra_interval{};
};

// Everything that a run measured.
struct MeasuredRun {
    std::vector<RowSummary> rows{};
    std::vector<PathFit> fits{};
    std::vector<FrameworkTax> taxes{};
};

}  // namespace tocuda
