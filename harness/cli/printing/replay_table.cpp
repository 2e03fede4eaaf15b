// tocuda, Apache-2.0.
#include "printing/replay_table.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

std::string label(const ReplayRow& row, const Replayed& replayed) {
    if (row.torch == replayed.torch) return setting_name(row.settings);
    return fmt::format("torch {} instead of {}", row.torch, replayed.torch);
}

std::string same_words(const Replayed& replayed) {
    const auto& same = replayed.same;
    const auto with = fmt::format("torch {}, {}", replayed.torch, setting_name(replayed.source.settings));
    auto words = fmt::format("{} of {}, reserved peak {}: ", same.matching,
                             counted(same.segment_events, "segment event"), amount_to_mib(same.reserved_peak_bytes));
    const bool is_part = replayed.source.truncated == true || replayed.source.stopped == true;
    if (same.reproduced)
        return words + fmt::format("reproduced{} ({})", is_part ? " as far as it was recorded" : "", with);
    words += fmt::format("NOT reproduced ({}); nothing below is exact.", with);
    if (const auto& difference = same.first_difference) {
        const auto or_nothing = [](const std::string& text) { return text.empty() ? "nothing" : text; };
        words += fmt::format(" The first difference is segment event {}: recorded {}, here {}", difference->number,
                             or_nothing(difference->recorded), or_nothing(difference->replayed));
    }
    return words;
}

// "Held at most: 1302 MiB in blocks (train.py:71), of which 512 MiB model.py:33, 310 MiB optim.py:12"
std::string peak_words(const Replayed& replayed) {
    const auto& peak = replayed.peak;
    const auto parts = live_parts(peak, allocated_peak(replayed));
    auto words = fmt::format("Held at most: {} in blocks", amount_to_mib(allocated_peak(replayed)));
    if (!peak.line.empty()) words += fmt::format(" ({})", peak.line);
    return parts.empty() ? words : words + fmt::format(", of which {}", fmt::join(parts, ", "));
}

std::string smallest_text(const ReplayRow& row) {
    if (!row.smallest_bytes) return "";
    return (row.smallest_basis == "exact" ? "" : row.smallest_basis + " ") + amount_to_mib(*row.smallest_bytes);
}

std::string fate(const ReplayRow& row) {
    const std::string guessed = row.basis == "guessed" ? "guessed: " : "";
    if (row.oom) return guessed + fmt::format("fails: event {}", row.oom->event);
    if (!row.survived) return "as far as recorded";
    return guessed + (row.retries == 0 ? "survives" : "survives, flushing " + counted(row.retries, "time"));
}

using Cells = std::vector<std::string>;

std::vector<Cells> cells_of(const Replayed& replayed, const std::vector<ReplayCapacity>& capacities) {
    std::vector<Cells> table{{"setting", "reserved peak"}};
    const bool has_smallest =
        std::ranges::any_of(replayed.rows, [](const ReplayRow& row) { return row.smallest_bytes.has_value(); });
    if (has_smallest) table[0].emplace_back("smallest");
    for (const auto& capacity : capacities) table[0].push_back("at " + capacity.name);
    for (const auto& row : replayed.rows) {
        if (row.capacity_bytes) {
            table.back().push_back(fate(row));
            continue;
        }
        const std::string guessed = row.basis == "guessed" ? "guessed " : "";
        table.push_back({label(row, replayed), guessed + amount_to_mib(row.reserved_peak_bytes)});
        if (has_smallest) table.back().push_back(smallest_text(row));
    }
    return table;
}

std::string aligned(const std::vector<Cells>& table) {
    std::vector<std::size_t> widths;
    for (const auto& cells : table)
        for (std::size_t i = 0; i < cells.size(); ++i) {
            widths.resize(std::max(widths.size(), i + 1));
            widths[i] = std::max(widths[i], columns_of(cells[i]));
        }
    std::string text;
    for (const auto& cells : table) {
        std::string line = pad(cells[0], widths[0]);
        for (std::size_t i = 1; i < cells.size(); ++i)
            line += "   " + std::string(widths[i] - columns_of(cells[i]), ' ') + cells[i];
        text += line + "\n";
    }
    return text;
}

Cells notes_of(const Replayed& replayed, const std::vector<ReplayCapacity>& capacities) {
    Cells notes;
    std::string failed;
    std::set<std::string> guesses(replayed.same.guesses.begin(), replayed.same.guesses.end());
    for (const auto& row : replayed.rows) {
        guesses.insert(row.guesses.begin(), row.guesses.end());
        if (row.capacity_bytes && row.oom && row.settings == replayed.source.settings && row.torch == replayed.torch)
            notes.push_back(fmt::format(
                "At {}: out of memory at event {}, which asks for {}{}", amount_to_mib(*row.capacity_bytes),
                row.oom->event, amount_to_mib(row.oom->size), row.oom->line.empty() ? "" : ", " + row.oom->line));
        if (!row.fails_above_bytes.empty())
            failed += fmt::format("{}{} ({})", failed.empty() ? "" : ", ", amount_to_mib(row.fails_above_bytes.back()),
                                  label(row, replayed));
    }
    if (!failed.empty())
        notes.push_back("More memory can fail again. Of the larger ones tried, the largest that failed: " + failed);
    for (const auto& guess : guesses) notes.push_back("Guessed: " + guess);
    for (const auto& capacity : capacities)
        if (capacity.outside_bytes > 0)
            notes.push_back(fmt::format("{}: {} for LibTorch; ESTIMATE: {} lie outside, for the context", capacity.name,
                                        amount_to_mib(capacity.bytes), amount_to_mib(capacity.outside_bytes)));
    if (replayed.source.truncated == true)
        notes.emplace_back("Events are missing: the file is cut, or recorded more than it could keep");
    const bool may_be_stopped = replayed.source.stopped == true && replayed.source.truncated != true;
    if (may_be_stopped && !replayed.source.ends_in_oom)
        notes.emplace_back("The program was stopped, or left by os._exit: what it would have needed next is not known");
    if (replayed.source.ends_in_oom)
        notes.emplace_back("The recording ends in out of memory: what the program would have needed next is not known");
    if (std::ranges::any_of(replayed.rows, [&](const ReplayRow& row) { return row.torch != replayed.torch; }))
        notes.emplace_back("Another version's row is of its allocator only: kernels' temporaries are as recorded");
    return notes;
}

}  // namespace

std::vector<std::string> live_parts(const ReplayPeak& peak, std::int64_t allocated) {
    constexpr std::size_t lines = 5;
    std::vector<std::string> parts;
    auto elsewhere = peak.blocks_bytes - peak.before_bytes - peak.without_line_bytes;
    const auto add = [&](std::int64_t bytes, const std::string& where) {
        if (bytes >= 1 << 20) parts.push_back(fmt::format("{} {}", amount_to_mib(bytes), where));
    };
    for (std::size_t i = 0; i < std::min(lines, peak.live.size()); ++i) {
        add(peak.live[i].bytes, peak.live[i].line);
        elsewhere -= peak.live[i].bytes;
    }
    add(elsewhere, "by other lines");
    add(peak.without_line_bytes, "without a line of the program");
    add(peak.before_bytes, "from before the recording");
    add(allocated - peak.blocks_bytes, "at the ends of blocks, which are not split for less than 1 MiB");
    return parts;
}

std::string setting_name(const std::string& settings) { return settings.empty() ? "default" : settings; }

// Reserved is not need: only the smallest memory that survives counts.
std::string replay_advice(const Replayed& replayed) {
    const ReplayRow* recorded = nullptr;
    const ReplayRow* best = nullptr;
    for (const auto& row : replayed.rows) {
        if (!row.smallest_bytes || row.torch != replayed.torch) continue;
        if (row.settings == replayed.source.settings) recorded = &row;
        if (!best || *row.smallest_bytes < *best->smallest_bytes) best = &row;
    }
    if (!recorded || !best || *best->smallest_bytes >= *recorded->smallest_bytes) return {};
    std::string words =
        fmt::format("Try: PYTORCH_ALLOC_CONF={}: smallest {} -> {}", best->settings.empty() ? "\"\"" : best->settings,
                    amount_to_mib(*recorded->smallest_bytes), amount_to_mib(*best->smallest_bytes));
    if (best->smallest_basis != "exact") words += fmt::format(" ({})", best->smallest_basis);
    words += ".";
    if (best->settings.find("expandable_segments:True") != std::string::npos)
        words += " Not with CUDA IPC (vLLM's all-reduce) or vGPU.";
    return words + " Speed is not simulated.";
}

std::string replay_table(const Replayed& replayed, const std::vector<ReplayCapacity>& capacities, const Paper& paper) {
    auto text = wrap("same: " + same_words(replayed), 0, 6, paper.columns()) + "\n";
    text += aligned(cells_of(replayed, capacities));
    text += wrap(peak_words(replayed), 0, 2, paper.columns()) + "\n";
    for (const auto& note : notes_of(replayed, capacities)) text += wrap(note, 0, 2, paper.columns()) + "\n";
    if (const auto words = replay_advice(replayed); !words.empty()) text += wrap(words, 0, 5, paper.columns()) + "\n";
    return text;
}

std::vector<ReplayCapacity> capacities_of(const Replayed& replayed) {
    std::vector<ReplayCapacity> capacities;
    for (const auto& row : replayed.rows)
        if (row.capacity_bytes &&
            std::ranges::find(capacities, *row.capacity_bytes, &ReplayCapacity::bytes) == capacities.end())
            capacities.push_back({amount_to_mib(*row.capacity_bytes), *row.capacity_bytes, 0});
    return capacities;
}

}  // namespace tocuda
