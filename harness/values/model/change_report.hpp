// tocuda, Apache-2.0.
// The result of `compare` as plain values: the sides, the rows and their answers, changed claims, and what the changes
// can be attributed to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/benchmark.hpp"
#include "model/comparison.hpp"
#include "model/machine.hpp"
#include "model/measurement.hpp"

namespace tocuda {

// A recorded field that differs between the sides. An absent value was not recorded on that side.
struct FieldChange {
    std::string field{};  // "driver.kernel_module", "gpus[0].power_limit_w"
    std::optional<std::string> before{};
    std::optional<std::string> after{};

    bool operator==(const FieldChange&) const = default;
};

// A field with several values on one side.
struct MixedField {
    std::string field{};
    std::string side{};  // "old", "new"
    std::vector<std::string> values{};
};

struct Attribution {
    std::optional<std::string> only{};   // the only changed part: driver, libtorch, cuda, suite, machine, gpu, protocol
    std::vector<FieldChange> changed{};  // each side has one value, and they differ
    std::vector<MixedField> mixed{};
    std::vector<FieldChange> unknown{};  // recorded on one side only
    bool is_cause = false;  // whether `only` is shown to be why rows changed: nothing else that came with time can be
    std::string text{};
    std::string also{};  // names of identities that changed, too, whose values nobody reads: "GPU, commit of tocuda"
};

struct VerdictChange {
    std::string claim{};
    std::string scenario{};
    std::string variant{};
    Device device = Device::none;
    std::string before{};  // names of verdicts
    std::string after{};

    bool operator==(const VerdictChange&) const = default;
};

// A changed error message. Empty: there was no error.
struct TextChange {
    std::string scenario{};
    std::string variant{};
    Device device = Device::none;
    std::string key{};
    std::string before{};
    std::string after{};

    bool operator==(const TextChange&) const = default;
};

struct ClaimChanges {
    std::vector<VerdictChange> verdicts{};
    std::vector<TextChange> texts{};
    int compared = 0;  // claims of variants that both sides have a verdict on
    int one_side = 0;  // claims that only one side has or could test
    int varying = 0;   // claims that one side answers in more than one way
};

// Rows without a counterpart, and the reason.
struct Unpaired {
    std::string why{};
    int count = 0;
    std::vector<std::string> first{};  // some of their names
};

struct ComparedRun {
    RunLine run{};
    std::string digest{};  // of its section
};

struct ComparedSide {
    int files = 0;
    int starts = 0;
    bool is_recorded = false;         // what is normal, which nobody here measures again
    int repeated = 0;                 // runs whose times equal those of an earlier one to the byte: not counted
    std::vector<ComparedRun> runs{};  // in order of time
};

// A GPU that was in one host before and is in another now.
struct MovedGpu {
    std::string gpu{};  // UUID
    std::string before{};
    std::string after{};

    bool operator==(const MovedGpu&) const = default;
};

// A host that stands apart from the others in some rows.
struct ApartHost {
    std::string host{};
    double change = 0;         // the median over those rows
    int rows = 0;              // how many they are
    bool is_sure = false;      // named for sure (`unlike`), not only far off
    bool kept_driver = false;  // while others changed theirs

    bool operator==(const ApartHost&) const = default;
};

// A row, its answer, and the details that tables show next to it.
struct AnsweredRow {
    ComparedRow row{};
    RowChange change{};
    std::optional<double> seconds_before{};
    std::optional<double> seconds_after{};
    std::optional<PrintedRate> rate{};     // of an imported row: these times are shown as it
    std::optional<double> clock_change{};  // of the SM clock under load: -0.031 is 3.1 % slower
    Flags flags{};                         // of the processes that count, on either side
    std::optional<Range> of_gpus{};        // the changes of single GPUs, of a row of several

    bool operator==(const AnsweredRow&) const = default;
};

// A wrong result or a process that failed, on the new side only; throttled processes (`invalid`) are no finding.
inline bool fails_now(const AnsweredRow& one) {
    return one.row.invalid.starts_with("new: ") && !one.row.invalid.starts_with("new: invalid");
}

// A row of two models of GPUs: medians of the processes that count, of the newest run that has the row, which are shown
// and not judged.
struct BesideRow {
    std::string benchmark{};
    Parameters parameters{};
    double seconds_before = 0;
    double seconds_after = 0;

    bool operator==(const BesideRow&) const = default;
};
inline double times_as_fast(const BesideRow& row) { return row.seconds_before / row.seconds_after; }

// Where each side has one model, and not the same.
struct TwoModels {
    std::string before{};
    std::string after{};
    std::vector<BesideRow> rows{};
};

struct ChangeReport {
    ComparedSide before{};
    ComparedSide after{};
    std::vector<std::string> gpus{};  // for display: "NVIDIA H200 (GPU-70c0da00...)"
    bool by_rounds = false;       // two builds took turns: a start is a round, in which each build had a fresh process
    bool by_driver_load = false;  // a start is a boot and driver load, because the sides' drivers differ
    std::vector<std::string> same_starts{};  // starts that are on both sides
    std::vector<std::string> same_files{};   // files that are on both sides
    std::vector<AnsweredRow> rows{};
    std::vector<Unpaired> unpaired{};
    std::optional<TwoModels> models{};
    ClaimChanges claims{};
    Attribution attribution{};
    std::vector<std::string> warnings{};
    int machines = 0;                         // on the side that has fewer
    std::vector<std::string> hosts_before{};  // measured on the old side only, where a side has several hosts
    std::vector<std::string> hosts_after{};   // on the new side only
    std::vector<std::string> gpus_before{};   // measured on the old side only, on a host that both have
    std::vector<std::string> gpus_after{};
    std::vector<MovedGpu> moved{};
    std::vector<ApartHost> apart{};               // those that are sure first, then by the number of rows
    std::vector<std::string> had_both_drivers{};  // hosts whose starts of the old driver on the new side do not count
    int left_out = 0;           // hosts that kept a driver which others changed, and on which something else changed
    bool rolled_back = false;   // the old driver was measured again after the new one, on each machine
    bool is_backwards = false;  // all runs of the new side are older than all of the old one
    int altered = 0;            // sections that were skipped because their digest is wrong
    int cut_off = 0;            // sections of both sides without an end line
    bool simulated = false;     // anything on either side was simulated
    int without_noise = 0;      // simulated rows whose times repeat to the byte, which no number of starts decides
};

// The result of `compare --fleet`: GPUs that stand out among comparable ones, and what is recorded differently about
// them.
// GPUs whose times are interchangeable: only the individual GPU and its location differ. The texts are
// those of the `run` line.
struct Cohort {
    std::string model{};
    std::string driver{};
    std::string vbios{};
    std::string power_limit_w{};

    auto operator<=>(const Cohort&) const = default;
};

struct FleetCohort {
    Cohort of{};
    int gpus = 0;
};

struct FleetRow {
    std::string node{};  // "node17 cuda:0"
    std::string gpu{};   // UUIDs
    std::string peer{};
    std::string model{};
    std::string benchmark{};
    Parameters parameters{};
    std::string id{};
    bool below = true;      // slower than its peers; false: faster
    double difference = 0;  // of speed, relative to the peers' median: below zero is slower
    std::optional<double> z{};
    int peers = 0;
    std::string because{};  // "4.1 % below its 63 peers, 12.3 times their spread"
    std::string differs{};  // "link width 8 instead of 16"; empty: no recorded difference

    bool operator==(const FleetRow&) const = default;
};

struct FleetReport {
    int files = 0;
    int sections = 0;
    int gpus = 0;
    int rows = 0;     // judged rows, each of one GPU
    int alone = 0;    // rows with too few peers to be judged
    int invalid = 0;  // rows without usable measurements
    bool simulated = false;
    std::vector<FleetCohort> cohorts{};
    std::vector<FleetRow> found{};  // slowest first
    std::vector<std::string> warnings{};
};

// The result of `compare --history`: each driver against the previous one.
struct DriverStep {
    std::string before{};  // "570.86.15 (CUDA 12.8)"
    std::string after{};
    ChangeReport report{};
};

struct HistoryReport {
    int files = 0;
    int sections = 0;
    bool simulated = false;
    std::vector<DriverStep> drivers{};
    std::vector<std::string> warnings{};
};

}  // namespace tocuda
