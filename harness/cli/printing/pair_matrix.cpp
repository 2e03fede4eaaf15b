// tocuda, Apache-2.0.
#include "printing/pair_matrix.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <set>

#include "model/parameter_values.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

bool has_value(const RowSummary& row) { return row.status == Status::ok && row.median_seconds; }

std::string cell_of(const RowSummary& row) {
    if (!has_value(row)) return std::string(word(row.status));
    return row.bytes_per_second_one_way ? gigabytes_text(*row.bytes_per_second_one_way)
                                        : seconds_text(*row.median_seconds);
}

std::string heading(const RowSummary& row) {
    auto others = row.parameters;
    others.erase("from");
    others.erase("to");
    return row.benchmark + " " + named_values(others) + (row.bytes_one_way > 0 ? ", GB/s" : ", time");
}

std::set<std::int64_t> numbers_of(const PairMatrix& matrix) {
    std::set<std::int64_t> numbers;
    for (const auto& [pair, row] : matrix.cells) numbers.insert({pair.first, pair.second});
    return numbers;
}

// Of two rows of a matrix, the slower one has the larger number.
double slowness(const RowSummary& row) {
    return row.bytes_per_second_one_way ? -*row.bytes_per_second_one_way : *row.median_seconds;
}

std::string with_unit(const RowSummary& row) { return cell_of(row) + (row.bytes_per_second_one_way ? " GB/s" : ""); }

std::string name_of(const std::pair<std::int64_t, std::int64_t>& pair) {
    return fmt::format("{} to {}", pair.first, pair.second);
}

std::string line_of(const std::string& head, const std::vector<std::string>& cells) {
    constexpr int columns = 9;
    auto text = fmt::format("\n  {:>{}}", head, columns);
    for (const auto& cell : cells) text += fmt::format(" {:>{}}", cell, columns);
    return text;
}

}  // namespace

std::vector<std::string> PairMatrix::numbers() const {
    std::vector<std::string> texts;
    for (const auto number : numbers_of(*this)) texts.push_back(std::to_string(number));
    return texts;
}

std::vector<std::vector<std::string>> PairMatrix::lines() const {
    const auto numbers = numbers_of(*this);
    std::vector<std::vector<std::string>> lines;
    for (const auto from : numbers) {
        auto& line = lines.emplace_back();
        for (const auto to : numbers) {
            const auto cell = cells.find({from, to});
            line.push_back(cell == cells.end() ? "-" : cell_of(*cell->second));
        }
    }
    return lines;
}

std::string PairMatrix::extremes() const {
    const RowSummary* slowest = nullptr;
    const RowSummary* fastest = nullptr;
    std::string slowest_pair;
    for (const auto& [pair, row] : cells) {
        if (!has_value(*row)) continue;
        if (!fastest || slowness(*row) < slowness(*fastest)) fastest = row;
        if (slowest && slowness(*row) <= slowness(*slowest)) continue;
        slowest = row;
        slowest_pair = name_of(pair);
    }
    if (!slowest) return "";
    if (with_unit(*slowest) == with_unit(*fastest)) return fmt::format("All alike: {}.", with_unit(*fastest));
    return fmt::format("Slowest: {}, {}; the fastest has {}.", slowest_pair, with_unit(*slowest), with_unit(*fastest));
}

std::string PairMatrix::broken() const {
    std::vector<std::string> pairs;
    for (const auto& [pair, row] : cells)
        if (!has_value(*row)) pairs.push_back(fmt::format("{} ({})", name_of(pair), word(row->status)));
    return pairs.empty() ? "" : fmt::format("No valid value: {}.", fmt::join(pairs, ", "));
}

std::vector<PairMatrix> pair_matrices(const std::vector<const RowSummary*>& rows) {
    std::map<std::string, PairMatrix> matrices;
    for (const auto* row : rows) {
        const auto from = whole_if_any(row->parameters, "from");
        const auto to = whole_if_any(row->parameters, "to");
        if (!from || !to || row->status == Status::skipped) continue;
        auto& matrix = matrices[heading(*row)];
        matrix.name = heading(*row);
        matrix.cells[{*from, *to}] = row;
    }
    std::vector<PairMatrix> all;
    for (auto& [name, matrix] : matrices) all.push_back(std::move(matrix));
    return all;
}

std::string pair_matrices_text(const std::vector<RowSummary>& rows, const Paper& paper) {
    std::vector<const RowSummary*> all;
    for (const auto& row : rows) all.push_back(&row);
    std::string text;
    for (const auto& matrix : pair_matrices(all)) {
        if (matrix.cells.size() < 3) continue;
        const auto numbers = matrix.numbers();
        const auto lines = matrix.lines();
        text += "\n" + paper.strong(matrix.name) + line_of("from \\ to", numbers);
        for (std::size_t at = 0; at < lines.size(); ++at) text += line_of(numbers[at], lines[at]);
        for (const auto& words : {matrix.extremes(), matrix.broken()})
            if (!words.empty()) text += "\n  " + words;
        text += "\n";
    }
    return text;
}

}  // namespace tocuda
