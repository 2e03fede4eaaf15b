// tocuda, Apache-2.0.
// What the processes of one row say together, and what the sizes of one path do: what a table, a document and a picture show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/benchmark.hpp"
#include "model/evidence.hpp"

namespace tocuda {

struct Range {
    double low = 0;
    double high = 0;

    bool operator==(const Range&) const = default;
};

// A process whose samples do not count, and why.
struct LeftOut {
    int process = 0;
    Status status = Status::invalid;
    std::string because{};

    bool operator==(const LeftOut&) const = default;
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
    std::string because{};  // where it is not ok

    int processes = 0;  // that count
    std::int64_t samples = 0;
    std::optional<double> median_seconds{};  // the median over processes of each one's median
    std::optional<Range> interval{};         // of that median; none below 6 processes
    std::optional<double> interval_level{};  // its true level: never below what was asked for
    std::optional<double> half_width{};      // half the interval, as a part of the median
    std::optional<double> detectable{};      // the smallest |change| that a comparison with as many would find

    std::int64_t bytes_one_way = 0;
    std::int64_t bytes_touched = 0;
    std::optional<double> bytes_per_second_one_way{};
    std::optional<double> bytes_per_second_touched{};
    std::optional<double> percent_of_peak{};
    Peak peak{};

    std::vector<std::string> flags{};   // each word once
    std::string stopped{};              // why there are no more processes: settled, budget, processes, ended; empty where nobody knows
    std::vector<LeftOut> left_out{};

    bool operator==(const RowSummary&) const = default;
};

// Start-up time and bandwidth of one path: seconds = t0 + bytes / bandwidth, over the sizes of one benchmark. Bytes count one way.
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
    std::optional<double> half_bandwidth_bytes{};  // where half of that bandwidth is reached: t0 * bandwidth
    std::optional<double> residual{};              // root mean square of what is off, as a part of each time
    std::string because{};                         // why there is no fit

    bool operator==(const PathFit&) const = default;
};

}  // namespace tocuda
