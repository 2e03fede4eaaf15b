// tocuda, Apache-2.0.
// A benchmark, and the samples that one of its parameter sets gave, as plain values.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/allowed.hpp"
#include "model/evidence.hpp"
#include "model/role.hpp"
#include "model/row_flag.hpp"
#include "model/scenario.hpp"

namespace tocuda {

// device: the time between two events on a stream. host: the time from the call until the stream is synchronised. The
// two are never compared with each other.
enum class Clock { device, host };
inline constexpr std::array<std::string_view, 2> clock_words{"device", "host"};
constexpr std::string_view word(Clock clock) { return clock_words[static_cast<std::size_t>(clock)]; }

using Parameters = std::map<std::string, Value>;  // one set: a value for each name

// Returns the whole number of this name; nullopt if there is none.
inline std::optional<std::int64_t> whole_if_any(const Parameters& set, const std::string& name) {
    const auto found = set.find(name);
    const auto* number = found == set.end() ? nullptr : std::get_if<std::int64_t>(&found->second.held);
    return number ? std::optional(*number) : std::nullopt;
}

// Benchmarks that are measured one after another, before those of groups with a higher order, in case time runs out.
struct Group {
    static constexpr int other_ways = 900;     // of doing what a benchmark of another group does
    static constexpr int after_others = 1000;  // where nothing says how soon people want the answer
    static constexpr int last = 2000;          // what may leave the GPU unusable

    std::string name{};
    int order = after_others;

    bool operator==(const Group&) const = default;
};

// Who fills, moves and compares the bytes of a parameter set, which takes time beside the timed operations: the CPU
// does, or it fills them and the GPU compares what has arrived, or the GPU does both, or a disk reads or writes them,
// or few of them are touched at all.
enum class Handling { by_host, to_gpu, on_gpu, in_file, few };
inline constexpr std::array<std::string_view, 5> handling_words{"by_host", "to_gpu", "on_gpu", "in_file", "few"};
constexpr std::string_view word(Handling handling) { return handling_words[static_cast<std::size_t>(handling)]; }

// What a benchmark is known to cost beside what all cost: contexts, LibTorch where the worker has it, warming up, and
// the timed operations.
struct Cost {
    Handling bytes = Handling::by_host;  // the slowest way, unless a benchmark says otherwise
    bool all_gpus = false;               // a process uses all GPUs that it sees, not just as many as it needs
    double seconds_of_each_gpu = 0;      // of a process, for each GPU that it uses
    int programs = 0;                    // that an operation starts, each with a context of its own

    bool operator==(const Cost&) const = default;
};

struct Benchmark {
    std::string name{};
    std::string summary{};
    std::string how{};  // it is timed, and how its results are read; empty: as its clock says
    Clock clock = Clock::device;
    std::map<std::string, Values> parameters{};  // the values measured by default, by name
    std::map<std::string, Values> quick{};       // what a quick measurement changes; a name with no values skips it
    std::map<std::string, Values> full{};        // what a full measurement changes
    std::map<std::string, Allowed> allowed{};    // what a parameter may be, if more than the sweeps name
    std::string alternates{};                    // a parameter whose values take turns within one process; empty: none
    int processes = 0;                           // in which each set is measured at most; 0: as the protocol says
    Needs needs{};
    Group group{};  // an empty name: that of its family, or its first folder
    Cost cost{};
    Role role{};

    bool operator==(const Benchmark&) const = default;
};

inline Group group_of(const Benchmark& benchmark) {
    const auto& group = benchmark.group;
    return group.name.empty() ? Group{benchmark.name.substr(0, benchmark.name.find('/')), group.order} : group;
}

enum class Status {
    ok,
    wrong,   // the result differs from the reference
    failed,  // a call failed
    timeout,
    crashed,
    skipped,  // a need is not met
    invalid,  // the samples are unusable
};
inline constexpr std::array<std::string_view, 7> status_words{"ok",      "wrong",   "failed", "timeout",
                                                              "crashed", "skipped", "invalid"};
constexpr std::string_view word(Status status) { return status_words[static_cast<std::size_t>(status)]; }

// How much is measured. A process is the replicate; these limits apply to each parameter set that it measures.
struct Protocol {
    std::string name = "default";  // quick, default, full
    int version = 2;               // part of a row's id; 1 overstated copies in both directions
    int launches_min = 5;
    int launches_max = 50;
    double launch_budget_s = 0.05;
    int processes_min = 6;
    bool gate = true;  // false: for a worker that is started by hand under a tool that lets one kernel run at a time

    bool operator==(const Protocol&) const = default;
};

// The name and the member of a field of a line; one list of them serves all that writes, reads or compares.
template <class Part, class Type>
struct Field {
    using Member = Type Part::*;  // nvcc writes a plain declaration with parentheses, of which g++ warns
    const char* name;
    Member member;
};
template <class Part, class Type>
Field(const char*, Type Part::*) -> Field<Part, Type>;

template <class Part, class List, class Each>
void for_each_field(Part& part, const List& list, Each each) {
    std::apply([&](const auto&... field) { (each(field.name, part.*field.member), ...); }, list);
}

inline constexpr std::tuple protocol_fields{Field{"name", &Protocol::name},
                                            Field{"version", &Protocol::version},
                                            Field{"launches_min", &Protocol::launches_min},
                                            Field{"launches_max", &Protocol::launches_max},
                                            Field{"launch_budget_s", &Protocol::launch_budget_s},
                                            Field{"processes_min", &Protocol::processes_min}};

// A value that could not be read is absent.
struct Telemetry {
    std::optional<int> sm_clock_mhz{};
    std::optional<int> memory_clock_mhz{};
    std::optional<int> sm_clock_max_mhz{};
    std::optional<int> memory_clock_max_mhz{};
    std::optional<int> sm_clock_counted_mhz{};  // what a kernel counted of its own cycles, at the last warm-up
    std::optional<int> temperature_c{};
    std::optional<double> power_w{};
    std::optional<std::vector<std::string>>
        reasons{};  // why the clock is not higher: "sw_power_cap", "hw_slowdown", ...
    std::map<std::string, std::int64_t> violation_ns{};  // counters, by the same names
    std::optional<int> link_generation{};
    std::optional<int> link_width{};
    std::optional<int> foreign_processes{};
    // Errors, counted since the driver was loaded.
    std::optional<std::int64_t> pcie_replays{};  // packets that the link had to send again
    std::optional<std::int64_t> ecc_corrected{};
    std::optional<std::int64_t> ecc_uncorrected{};
    std::optional<std::vector<int>> xids{};  // in the kernel's log since the process began

    bool operator==(const Telemetry&) const = default;
};

// Which bytes count against a peak: a link carries each byte once; memory is both read and written.
enum class Counted { one_way, touched };
inline constexpr std::array<std::string_view, 2> counted_words{"one_way", "touched"};
constexpr std::string_view word(Counted counted) { return counted_words[static_cast<std::size_t>(counted)]; }

struct Peak {
    double bytes_per_second = 0;  // 0: not known
    std::string source{};
    std::optional<Counted> counted{};  // absent: as the benchmark says, see `counted_by`
    // For a memory peak: how much memory an operation touches, and how much of it the L2 cache can hold. 0: unknown.
    std::int64_t footprint_bytes = 0;
    std::int64_t l2_bytes = 0;
    std::string doubt{};  // a flag for rows that use this peak; empty if it is not in doubt

    bool operator==(const Peak&) const = default;
};

// The highest rate that can be true. What the cache holds need not come from memory, so a rate may exceed the memory's
// peak; nullopt if the cache holds the whole footprint and no rate is impossible.
constexpr std::optional<double> highest_possible(const Peak& peak) {
    if (peak.footprint_bytes == 0) return peak.bytes_per_second;
    if (peak.footprint_bytes <= peak.l2_bytes) return std::nullopt;
    const auto footprint = static_cast<double>(peak.footprint_bytes);
    return peak.bytes_per_second * footprint / (footprint - static_cast<double>(peak.l2_bytes));
}

// Below four times the cache's size, a share of the memory's peak says little about the memory.
constexpr bool is_partly_cached(const Peak& peak) {
    return peak.footprint_bytes > 0 && peak.footprint_bytes / 4 < peak.l2_bytes;
}

// Without an explicit `counted`: copies between two GPUs are limited by a link, like those of benchmarks that say so,
// everything else by memory.
inline Counted counted_by(const Peak& peak, const Role& role, bool has_peer) {
    return peak.counted.value_or(role.over_link || has_peer ? Counted::one_way : Counted::touched);
}

// How far single operations lie from the middle, where each was timed alone.
struct SingleTimes {
    std::int64_t of = 0;          // as many operations
    double p50 = 0;               // seconds
    std::optional<double> p99{};  // of enough of them
    double largest = 0;

    bool operator==(const SingleTimes&) const = default;
};
inline constexpr std::int64_t p99_least = 1000;  // operations, so that ten lie above it

// How long an operation of several GPUs took on each, by its own clock, from when all of them might begin.
struct RankTimes {
    std::int64_t of = 0;  // GPUs
    double mean = 0;      // seconds
    double slowest = 0;

    bool operator==(const RankTimes&) const = default;
};

struct Samples {
    Parameters parameters{};
    Status status = Status::ok;
    std::string check{};  // what was compared, or what failed
    Clock clock = Clock::device;
    std::int64_t batch = 0;  // operations between two clock readings
    std::int64_t bytes_one_way = 0;
    std::int64_t bytes_touched = 0;
    std::int64_t items = 0;          // what an operation does, where that is counted and no bytes: atomic operations
    std::vector<double> seconds{};   // per operation, in the order measured
    std::optional<double> cycles{};  // of the SM's clock per operation, the median, where the kernel counted them
    std::optional<double> tick_seconds{};  // the step of the timer that the kernel read, where it is known
    std::optional<SingleTimes> tail{};
    std::optional<RankTimes> ranks{};
    std::string gpu{};  // UUIDs
    std::string peer{};
    std::string from{};  // of a benchmark with GPUs as parameters
    std::string to{};
    std::string libcuda{};  // that its process had loaded, where it was asked to say so
    Peak peak{};            // of the resource that limits this operation; unknown if the data fit in a cache
    std::optional<Telemetry> before{};
    std::optional<Telemetry> during{};  // while the GPU executed this operation
    std::optional<Telemetry> after{};
    std::vector<Telemetry> course{};  // of a sustained measurement, whose samples follow each other: one for each
    Flags flags{};

    bool operator==(const Samples&) const = default;
};

// The flag of samples whose load, which must run from before the timed operations until after them, did not.
inline constexpr std::string_view load_ended_early = "load_ended_early";

// The parameter of a sustained measurement that says for how long a set is measured.
inline constexpr std::string_view lasting = "seconds";

inline double seconds_asked_for(const Parameters& set) {
    return static_cast<double>(whole_if_any(set, std::string(lasting)).value_or(0));
}

}  // namespace tocuda
