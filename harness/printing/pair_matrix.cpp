// tocuda, Apache-2.0.
#include "printing/pair_matrix.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "model/parameter_text.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

using Cells = std::map<std::pair<std::int64_t, std::int64_t>, std::string>;

std::string cell_of(const RowSummary& row) {
    if (row.status != Status::ok || !row.median_seconds) return std::string(word(row.status));
    return row.bytes_per_second_one_way ? gigabytes_text(*row.bytes_per_second_one_way)
                                        : seconds_text(*row.median_seconds);
}

std::string heading(const RowSummary& row) {
    auto others = row.parameters;
    others.erase("from");
    others.erase("to");
    return row.benchmark + " " + named_values(others) + (row.bytes_one_way > 0 ? ", GB/s" : ", time");
}

std::string matrix(const Cells& cells) {
    constexpr int columns = 9;
    std::set<std::int64_t> gpus;
    for (const auto& [pair, text] : cells) gpus.insert({pair.first, pair.second});
    auto text = fmt::format("  {:>{}}", "from \\ to", columns);
    for (const auto to : gpus) text += fmt::format(" {:>{}}", to, columns);
    for (const auto from : gpus) {
        text += fmt::format("\n  {:>{}}", from, columns);
        for (const auto to : gpus) {
            const auto cell = cells.find({from, to});
            text += fmt::format(" {:>{}}", cell == cells.end() ? "-" : cell->second, columns);
        }
    }
    return text + "\n";
}

}  // namespace

std::string pair_matrices(const std::vector<RowSummary>& rows, const Paper& paper) {
    std::map<std::string, Cells> matrices;
    for (const auto& row : rows) {
        const auto from = whole_if_any(row.parameters, "from");
        const auto to = whole_if_any(row.parameters, "to");
        if (from && to && row.status != Status::skipped) matrices[heading(row)][{*from, *to}] = cell_of(row);
    }
    std::string text;
    for (const auto& [name, cells] : matrices)
        if (cells.size() > 2) text += "\n" + paper.strong(name) + "\n" + matrix(cells);
    return text;
}

}  // namespace tocuda
