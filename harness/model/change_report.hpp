// tocuda, Apache-2.0.
// The result of `compare` as plain values: the sides, the rows and their answers, changed claims, and what the changes
// can be attributed to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/comparison.hpp"

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

    bool operator==(const MixedField&) const = default;
};

struct Attribution {
    std::optional<std::string> only{};   // the only changed part: driver, libtorch, cuda, suite, machine, gpu, protocol
    std::vector<FieldChange> changed{};  // each side has one value, and they differ
    std::vector<MixedField> mixed{};
    std::vector<FieldChange> unknown{};  // recorded on one side only
    std::string text{};

    bool operator==(const Attribution&) const = default;
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

    bool operator==(const ClaimChanges&) const = default;
};

// Rows without a counterpart, and the reason.
struct Unpaired {
    std::string why{};
    int count = 0;
    std::vector<std::string> first{};  // some of their names

    bool operator==(const Unpaired&) const = default;
};

struct ComparedSide {
    int files = 0;
    int sections = 0;
    int starts = 0;
    std::string first_time{};  // UTC
    std::string last_time{};

    bool operator==(const ComparedSide&) const = default;
};

// A row, its answer, and the details that tables show next to it.
struct AnsweredRow {
    ComparedRow row{};
    RowChange change{};
    std::optional<double> seconds_before{};
    std::optional<double> seconds_after{};
    std::optional<double> clock_change{};  // of the SM clock under load: -0.031 is 3.1 % slower
    std::vector<std::string> flags{};      // of the processes that count, on either side

    bool operator==(const AnsweredRow&) const = default;
};

struct ChangeReport {
    ComparedSide before{};
    ComparedSide after{};
    std::vector<std::string> gpus{};  // for display: "NVIDIA H200 (GPU-70c0da00...)"
    bool by_rounds = false;       // two builds took turns: a start is a round, in which each build had a fresh process
    bool by_driver_load = false;  // a start is a boot and driver load, because the sides' drivers differ
    std::vector<std::string> same_starts{};  // starts that are on both sides
    std::vector<AnsweredRow> rows{};
    std::vector<Unpaired> unpaired{};
    ClaimChanges claims{};
    Attribution attribution{};
    std::vector<std::string> warnings{};
    bool simulated = false;  // anything on either side was simulated
};

}  // namespace tocuda
