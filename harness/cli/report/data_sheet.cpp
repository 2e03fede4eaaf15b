// tocuda, Apache-2.0.
// The data sheet of a machine: what was measured of it, beside what is published of its GPU.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "model/parameter_values.hpp"
#include "model/plan.hpp"
#include "model/words.hpp"
#include "printing/bench_table.hpp"
#include "report/parts.hpp"
#include "report/rows.hpp"
#include "terminal/quantities.hpp"

namespace tocuda::page {
namespace {

// Runs that measured fewer lines than this are about something else than the machine.
constexpr std::size_t fewest_lines = 12;

struct Line {
    SheetLine shown{};
    std::string benchmark{};
};

std::vector<Line> sheet_lines(const Roles& roles) {
    std::vector<Line> lines;
    for (const auto& [benchmark, role] : roles)
        for (const auto& line : role.sheet) lines.push_back({line, benchmark});
    std::ranges::stable_sort(lines, {}, [](const Line& line) { return line.shown.order; });
    return lines;
}

bool has(const Parameters& parameters, std::string_view wanted) {
    for (std::size_t at = 0; at < wanted.size();) {
        const auto end = std::min(wanted.find(' ', at), wanted.size());
        const auto word = wanted.substr(at, end - at);
        const auto equals = word.find('=');
        const auto found = parameters.find(std::string(word.substr(0, equals)));
        if (found == parameters.end() || plain(found->second) != word.substr(equals + 1)) return false;
        at = end + 1;
    }
    return true;
}

// A row and how many there are of other GPUs, which are not slower.
struct Slowest {
    const RowSummary* row = nullptr;
    int of = 0;
};

// Of several rows those with the most bytes. If these differ only in their GPUs, the slowest; otherwise the one whose
// parameters are the first in order.
Slowest row_for(const Line& line, const std::vector<RowSummary>& rows) {
    const auto rank = [](const RowSummary& row) {
        auto others = row.parameters;
        others.erase("from");
        others.erase("to");
        return std::pair(-size_of(row).value_or(0), plain(others));
    };
    const auto slowness = [](const RowSummary& row) { return std::tuple(-*row.median_seconds, row.gpu, row.id); };
    Slowest found;
    for (const auto& row : rows) {
        if (row.benchmark != line.benchmark || !has_value(row) || !has(row.parameters, line.shown.having)) continue;
        if (row.parameters.contains(at_once_parameter)) continue;  // others shared what it is a figure of
        const bool is_same = found.row && rank(row) == rank(*found.row);
        if (!found.row || rank(row) < rank(*found.row)) found = {&row, 1};
        else if (is_same) found = {slowness(row) < slowness(*found.row) ? &row : found.row, found.of + 1};
    }
    return found;
}

std::string gpus_of(const RowSummary& row, const RunLine& run) {
    const auto from = whole_if_any(row.parameters, "from");
    const auto to = whole_if_any(row.parameters, "to");
    return from && to ? fmt::format("{} to {}", *from, *to) : gpu_place(run, row.gpu);
}

// What a profile says, and where others published it; empty if it says nothing, or what tocuda measured itself.
struct Figure {
    double value = 0;
    std::string source{};
};

std::optional<Figure> figure_of(const GpuProfile* profile, const std::string& name) {
    if (!profile || name.empty()) return std::nullopt;
    const auto& known = profile->figures;
    if (std::ranges::find(known, name) == known.end()) return std::nullopt;
    Figure figure;
    for (const auto& field : gpu_figures)
        if (field.name == name) figure.value = static_cast<double>(profile->gpu.*field.member);
    for (const auto& source : profile->sources)
        if (std::ranges::find(source.figures, name) != source.figures.end()) figure.source = source.document;
    if (is_own_recording(figure.source)) return std::nullopt;
    return figure;
}

// The profile of the GPU with this UUID; nullptr if there is none.
const GpuProfile* profile_of(const Report& report, const RecordedRun& run, const std::string& uuid) {
    for (const auto& gpu : run.about.gpus) {
        if (gpu.uuid != uuid || !gpu.name) continue;
        const auto found = report.published.find(*gpu.name);
        return found == report.published.end() ? nullptr : &found->second;
    }
    return nullptr;
}

class Sheet {
public:
    // `newest_first`: runs with one driver.
    Sheet(const Report& all, const std::vector<const RecordedRun*>& newest_first) : report(all) {
        for (const auto& line : sheet_lines(report.roles))
            for (const auto* run : newest_first)
                if (line.shown.ratio ? add_taxes(line, *run) : add_row(line, *run)) break;
    }

    std::size_t count() const { return table.rows.size(); }

    Html written(Figures& figures, const std::string& title, const std::string& driver) const {
        std::vector<std::string> words{
            "Measured with " + driver + ": medians over processes, with their 95 % intervals" +
            (runs.size() > 1 ? ", each of the newest run that has it. " : ". ") +
            "A rate counts each byte once, or reading and writing where it says so. Of several GPUs, or pairs of them, "
            "the slowest is shown. A share is of the peak of the link or the memory as the driver reports it, or else "
            "of what is published; there is none where the cache holds part of the data."};
        for (const auto& [source, values] : sources)
            words.push_back(fmt::format("Published {}: {}.", fmt::join(values, ", "), source));
        return figures.open_table(title, words, table, joined(runs));
    }

private:
    void add(const RecordedRun& run, std::vector<std::string> cells) {
        if (std::ranges::find(runs, run_words(run)) == runs.end()) runs.push_back(run_words(run));
        table.rows.push_back(std::move(cells));
    }

    bool add_row(const Line& line, const RecordedRun& run) {
        const auto slowest = row_for(line, run.measured.rows);
        if (!slowest.row) return false;
        const auto& row = *slowest.row;
        const bool rate = !line.shown.time;
        const Quantity quantity{rate, line.shown.touched ? Counted::touched : Counted::one_way};
        const auto text = [&](double value) { return value_text(quantity.unit(), value); };
        const auto interval = quantity.interval_of(row);
        std::string published, share;
        if (const auto figure = figure_of(profile_of(report, run, row.gpu), line.shown.figure)) {
            const double value = rate ? figure->value : figure->value * 1e-9;
            published = text(value);
            if (rate && !row.percent_of_peak && !is_partly_cached(row.peak))
                share = fmt::format("{:.1f} % of {}", 100 * quantity.of(row) / value, gigabytes_text(value));
            sources[figure->source].insert(published);
        }
        if (rate && row.percent_of_peak)
            share = fmt::format("{:.1f} % of {}", *row.percent_of_peak, gigabytes_text(row.peak.bytes_per_second));
        const auto which =
            slowest.of == 1 ? "" : fmt::format(", slowest of {}: {}", slowest.of, gpus_of(row, run.about));
        add(run,
            {line.shown.section, line.shown.words + which, text(quantity.of(row)), interval_text(row, interval, rate),
             published, share, row.benchmark + " " + named_values(row.parameters)});
        return true;
    }

    // Of the smallest and the largest size; of several GPUs, where LibTorch costs most.
    bool add_taxes(const Line& line, const RecordedRun& run) {
        auto taxes = run.measured.taxes;
        std::erase_if(taxes, [&](const FrameworkTax& tax) { return tax.benchmark != line.benchmark; });
        if (taxes.empty()) return false;
        std::ranges::sort(taxes, {}, [](const auto& tax) { return std::pair(tax.bytes_one_way, -tax.ratio); });
        const auto largest = std::ranges::find(taxes, taxes.back().bytes_one_way, &FrameworkTax::bytes_one_way);
        add_tax(line, taxes.front(), run);
        if (largest != taxes.begin()) add_tax(line, *largest, run);
        return true;
    }

    void add_tax(const Line& line, const FrameworkTax& tax, const RecordedRun& run) {
        const auto range = tax.ratio_interval
                               ? fmt::format("{:.3f} to {:.3f}", tax.ratio_interval->low, tax.ratio_interval->high)
                               : "";
        add(run, {line.shown.section, line.shown.words, fmt::format("{:.3f}", tax.ratio), range, "", "",
                  tax.benchmark + " " + named_values(tax.parameters)});
    }

    static std::string interval_text(const RowSummary& row, const std::optional<Range>& interval, bool rate) {
        if (is_exact(row)) return "exact";
        if (!interval) return "";
        const auto text = rate ? gigabytes_text : seconds_text;
        return text(interval->low) + " to " + text(interval->high);
    }

    const Report& report;
    std::vector<std::string> runs{};                         // that the lines are from
    std::map<std::string, std::set<std::string>> sources{};  // the figures of each
    Table table{
        "What was measured of this machine, and what is published of its GPU",
        {{"of", false}, {"what", false}, {"measured"}, {"95 %"}, {"published"}, {"share"}, {"measured by", false}},
        {},
        true};
};

// Lines of several drivers would not describe one machine.
std::vector<std::pair<std::string, std::vector<const RecordedRun*>>> by_driver(
    const std::vector<const RecordedRun*>& newest_first) {
    std::vector<std::pair<std::string, std::vector<const RecordedRun*>>> drivers;
    for (const auto* run : newest_first) {
        const auto words = driver_words(run->about.driver);
        auto same = std::ranges::find(drivers, words, [](const auto& one) { return one.first; });
        if (same == drivers.end()) same = drivers.insert(same, {words, {}});
        same->second.push_back(run);
    }
    return drivers;
}

}  // namespace

Html data_sheet_part(const Report& report, Figures& figures, const Redaction& redaction) {
    Html html(redaction);
    if (report.fleet) return html;  // it describes many machines
    const auto models = models_of(report);
    for (const auto& [model, runs] : models)
        for (const auto& [driver, with_it] : by_driver(runs)) {
            const Sheet sheet(report, with_it);
            if (sheet.count() < fewest_lines) continue;
            const bool named = models.size() > 1 || model.starts_with("SIMULATED");
            const auto title = named ? model + ": measured and published" : "Measured and published";
            html.add("{}", sheet.written(figures, title, driver));
            break;
        }
    return html;
}

}  // namespace tocuda::page
