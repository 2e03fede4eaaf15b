// tocuda, Apache-2.0.
// The result of repeating a recorded run.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/change_report.hpp"
#include "model/evidence.hpp"
#include "model/summary.hpp"

namespace tocuda {

enum class Reproduced { inside, outside, skipped };
inline constexpr std::array<std::string_view, 3> reproduced_words{"inside", "outside", "skipped"};
constexpr std::string_view word(Reproduced verdict) { return reproduced_words[static_cast<std::size_t>(verdict)]; }

// A measured row, or a claim of a scenario's variant.
struct ReproducedRow {
    std::string id{};
    std::string name{};     // "FOLDER/NAME bytes=4096", "dtype/double_move default 000-04"
    std::string heading{};  // in a table: the benchmark or scenario; `label` is the rest of the name
    std::string label{};
    Reproduced verdict = Reproduced::skipped;
    Value before{};  // seconds, or the name of a verdict; null if there is none
    Value after{};
    std::optional<Range> interval{};  // of seconds: where a new session was expected
    std::string because{};
};

struct Reproduction {
    std::string file{};      // the file that was reproduced
    std::string recorded{};  // the file that this time was recorded in
    Device device = Device::none;
    std::vector<ReproducedRow> rows{};
    Attribution differs{};
    RunLine about{};  // of the file that was reproduced
};

}  // namespace tocuda
