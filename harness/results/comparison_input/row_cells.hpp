// tocuda, Apache-2.0.
// Groups the processes of both sides and of the history by row: those of one row were measured in the same way on GPUs
// that count as the same. Pure, and independent of the order of files.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comparison_input/gathering.hpp"
#include "comparison_input/gpu_pairs.hpp"
#include "model/comparison.hpp"

namespace tocuda {

// One process's row with its position in time.
struct PlacedTime {
    std::uint32_t start = 0;    // numbered in order of time
    std::uint32_t section = 0;  // likewise
    const ProcessTime* time = nullptr;
};

// The processes of one row on one side by start: those that count, and why the others do not.
struct CountedStarts {
    std::vector<Start> starts{};
    std::string invalid{};              // why nothing of this row counts; empty otherwise
    bool skipped = false;               // never measured: a need was not met
    std::optional<double> seconds{};    // the median over starts of each one's median over processes
    std::optional<double> clock_mhz{};  // likewise, of the SM clock under load
    Flags flags{};
};

enum class Side { before, after, history };
inline std::string word_of(Side side) { return side == Side::before ? "old" : "new"; }  // one of the two compared

// The key that rows are paired by. A GPU is represented by the number of its pair or, without a counterpart, by itself.
struct RowKey {
    std::string benchmark{};
    std::string parameters{};
    std::string id{};
    int protocol = 0;
    Device device = Device::none;
    Clock clock = Clock::device;
    std::string gpu{};
    std::string peer{};
    std::string machine{};  // of a row without a GPU, if each side has several machines

    auto operator<=>(const RowKey&) const = default;
};

struct RowCell {
    std::array<std::vector<PlacedTime>, 3> times{};  // by side, in the order of starts, sections and processes

    const std::vector<PlacedTime>& of(Side side) const { return times[static_cast<std::size_t>(side)]; }
};

using RowCells = std::map<RowKey, RowCell>;

// The independent starts of one side: for each section the number of its start, in order of time.
struct SideStarts {
    std::vector<std::uint32_t> of_section{};
    std::vector<std::string> names{};
    std::vector<std::uint32_t> loads{};  // of each start: numbers of boots with their driver loads
};

// A start is a session or, by driver load, all sessions of one boot and driver load.
SideStarts starts_of(std::span<const GatheredSection> sections, bool by_driver_load);

// `times` are in order of start. A throttled process does not count, and nothing counts unless more processes count
// than do not.
CountedStarts count_starts(std::span<const PlacedTime> times, const RowNames& names, const SideStarts& starts);

struct CellSource {
    Side side = Side::before;
    std::span<const GatheredSection> sections{};
    const SideStarts* starts = nullptr;
};

// Tells the machine of a row without a GPU; empty if all are one.
using MachineOf = std::function<std::string(Side side, std::uint32_t section)>;

// In the history, a GPU without a pair keeps its own name.
RowCells row_cells(const RowNames& names, std::span<const CellSource> sources, const GpuPairs& gpus,
                   const MachineOf& machine_of);

}  // namespace tocuda
