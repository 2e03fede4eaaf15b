// tocuda, Apache-2.0.
// What a reader sees first: the machine in a line, the claims in a sentence, five numbers, and warnings.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <tuple>

#include "comparison_input/run_fields.hpp"
#include "model/plan.hpp"
#include "model/words.hpp"
#include "printing/bench_families.hpp"
#include "printing/bench_table.hpp"
#include "report/parts.hpp"
#include "report/rows.hpp"
#include "terminal/quantities.hpp"

namespace tocuda::page {
namespace {

constexpr double small_tax = 4096;
constexpr double large_tax = 268435456;

struct Measured {
    const RowSummary* row = nullptr;
    std::string where{};  // ", node17 cuda:0" in a fleet
};

// The runs whose numbers stand on a card.
struct Shown {
    const Report& report;
    const std::vector<const RecordedRun*>& runs;  // newest first
};

std::string place_of(const Report& report, const RecordedRun& run, const RowSummary& row) {
    const auto at_once = whole_if_any(row.parameters, at_once_parameter);
    const auto beside = at_once ? fmt::format(", one of {} processes at once", *at_once) : "";
    return beside + (report.fleet ? ", " + gpu_place(run.about, row.gpu) : "");
}

// The newest run's row with a value and the most bytes, but no more than `most`; of these one whose peak is known. One
// that was measured alone, if there is any.
Measured largest(const Shown& of, std::string_view question,
                 std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
    const auto benchmark = answering(of.report.roles, question);
    for (const auto* run : of.runs) {
        const RowSummary* best = nullptr;
        const auto rank = [](const RowSummary& row) {
            return std::tuple(!row.parameters.contains(at_once_parameter), row.bytes_one_way,
                              row.percent_of_peak.has_value());
        };
        for (const auto& row : run->measured.rows)
            if (row.benchmark == benchmark && has_value(row) && row.bytes_one_way <= most &&
                (!best || rank(row) > rank(*best)))
                best = &row;
        if (best) return {best, place_of(of.report, *run, *best)};
    }
    return {};
}

std::string interval_words(const RowSummary& row, const Quantity& quantity) {
    const auto interval = quantity.interval_of(row);
    if (!interval) return "";
    return fmt::format(", 95 %: {} to {}", gigabytes_text(interval->low), gigabytes_text(interval->high));
}

// "99.8 % of 63.02 GB/s (PCIe 5.0 x16), "
std::string share_words(const RowSummary& row) {
    if (!row.percent_of_peak) return "";
    const auto& source = row.peak.source;
    return fmt::format("{:.1f} % of {} GB/s{}, ", *row.percent_of_peak, gigabytes_text(row.peak.bytes_per_second),
                       source.empty() ? "" : " (" + source.substr(0, source.find(',')) + ")");
}

Headline rate_of(const std::string& what, const Shown& of, std::string_view question) {
    const auto [row, where] = largest(of, question);
    if (!row) return {what, "", "tocuda bench " + answering(of.report.roles, question)};
    const Quantity quantity{};
    return {what, value_text(Unit::rate, quantity.of(*row)),
            share_words(*row) + size_text(row->parameters) + interval_words(*row, quantity) + where};
}

// Side by side and without a ratio, because two clocks are not compared; at the largest size that both have.
Headline pageable(const Shown& of) {
    const std::string what = "pageable against pinned";
    auto [slow, slow_where] = largest(of, headline::pageable);
    auto [fast, fast_where] = largest(of, headline::to_gpu);
    if (slow && fast && slow->bytes_one_way != fast->bytes_one_way) {
        const auto most = std::min(slow->bytes_one_way, fast->bytes_one_way);
        const auto [smaller, smaller_where] = largest(of, headline::pageable, most);
        const auto [other, other_where] = largest(of, headline::to_gpu, most);
        if (smaller && other) {
            std::tie(slow, slow_where) = std::tie(smaller, smaller_where);
            std::tie(fast, fast_where) = std::tie(other, other_where);
        }
    }
    if (!slow || !fast) return {what, "", "tocuda bench " + folder_of(answering(of.report.roles, headline::pageable))};
    const Quantity quantity{};
    const auto slow_size = size_text(slow->parameters), fast_size = size_text(fast->parameters);
    const bool alike = slow_size == fast_size;
    return {
        what,
        fmt::format("{} against {}", gigabytes_text(quantity.of(*slow)), value_text(Unit::rate, quantity.of(*fast))),
        fmt::format("host to device{}; pageable{} by the {} clock{}, pinned{} by the {} clock{}",
                    alike ? ", " + slow_size : "", alike ? "" : " " + slow_size, word(slow->clock),
                    slow_where == fast_where ? "" : slow_where, alike ? "" : " " + fast_size, word(fast->clock),
                    fast_where)};
}

// The faster of the rows that do it, at the largest size.
Headline copy_share(const Shown& of) {
    const std::string what = "copy within the GPU";
    const Quantity touched{true, Counted::touched};
    const auto rank = [&](const Measured& one) {
        return one.row ? std::pair(one.row->bytes_one_way, touched.of(*one.row)) : std::pair(std::int64_t{-1}, 0.0);
    };
    const auto chosen = largest(of, headline::copy);
    const auto other = largest(of, headline::other_copy);
    const auto& [row, where] = rank(other) > rank(chosen) ? other : chosen;
    if (!row) return {what, "", "tocuda bench " + answering(of.report.roles, headline::copy)};
    const auto rate = value_text(Unit::rate, touched.of(*row));
    if (row->percent_of_peak)
        return {what, rate,
                fmt::format("read and written by {}; {}{}{}{}", row->benchmark, share_words(*row),
                            size_text(row->parameters), interval_words(*row, touched), where)};
    const auto* why =
        row->peak.bytes_per_second > 0 ? "no share of the peak: the cache holds it" : "the peak is unknown";
    return {what, rate,
            fmt::format("read and written by {}, {}{}; {}", row->benchmark, size_text(row->parameters), where, why)};
}

// The tax at the size, or at the nearest that was measured; of the operation of the data sheet, if there is one.
const FrameworkTax* tax_near(const Shown& of, double bytes) {
    const auto operation = answering(of.report.roles, headline::libtorch);
    for (const auto* run : of.runs) {
        const FrameworkTax* best = nullptr;
        const auto rank = [&](const FrameworkTax& tax) {
            const auto miss = std::abs(std::log(static_cast<double>(tax.bytes_one_way) / bytes));
            return std::tuple(tax.benchmark != operation, tax.benchmark, miss);
        };
        for (const auto& tax : run->measured.taxes)
            if (tax.bytes_one_way > 0 && (!best || rank(tax) < rank(*best))) best = &tax;
        if (best) return best;
    }
    return nullptr;
}

Headline tax_words(const Shown& of) {
    const std::string what = "LibTorch against the runtime";
    const auto* small = tax_near(of, small_tax);
    const auto* large = tax_near(of, large_tax);
    if (!small || !large) return {what, "", "tocuda bench " + answering(of.report.roles, headline::libtorch)};
    const auto at = [](const FrameworkTax& tax) {
        const auto interval =
            tax.ratio_interval ? fmt::format(" ({:.3f} to {:.3f})", tax.ratio_interval->low, tax.ratio_interval->high)
                               : "";
        return fmt::format("{:.3f} at {}{}", tax.ratio, exact_amount(tax.bytes_one_way), interval);
    };
    const auto missing = static_cast<double>(large->bytes_one_way) == large_tax ? "" : "; 256 MiB was not measured";
    const auto unit = "the runtime's own time, " + small->benchmark + ": ";
    if (small == large) return {what, fmt::format("{:.2f} times", small->ratio), unit + at(*small) + missing};
    return {what, fmt::format("{:.2f} and {:.2f} times", small->ratio, large->ratio),
            unit + at(*small) + ", " + at(*large) + missing};
}

// What "12 x NVIDIA H200" has, in brackets.
std::string gpu_words(const RunLine& run) {
    if (run.gpus.empty()) return "";
    const auto& gpu = run.gpus.front();
    std::string more;
    if (gpu.memory_bytes) more = rounded_amount(static_cast<double>(*gpu.memory_bytes));
    if (gpu.power_limit_w) more += (more.empty() ? "" : ", ") + fmt::format("{:.0f} W", *gpu.power_limit_w);
    if (const auto generation = highest_generation(gpu.pcie))
        more += (more.empty() ? "" : ", ") + fmt::format("PCIe {}", *generation) +
                (gpu.pcie.width_max ? fmt::format(" x{}", *gpu.pcie.width_max) : "");
    return more.empty() ? "" : " (" + more + ")";
}

std::string gpus_of(const RunLine& run, std::size_t count) {
    if (run.gpus.empty()) return "no GPU";
    const auto name = run.gpus.front().name.value_or("unnamed GPU");
    const bool says_so = run.device != Device::simulated || lower(name).starts_with("simulated");
    return (count > 1 ? fmt::format("{} x ", count) : "") + (says_so ? "" : "SIMULATED ") + name;
}

// Without its GPUs.
std::string system_words(const RunLine& run) {
    std::string text;
    if (run.driver.kernel_module)
        text += (run.device == Device::simulated ? ", simulated driver " : ", driver ") + driver_text(run.driver);
    if (run.libtorch.version) text += ", LibTorch " + *run.libtorch.version;
    if (run.machine.cpu) text += ", " + *run.machine.cpu;
    if (run.machine.os) text += ", " + *run.machine.os;
    return text;
}

}  // namespace

std::string machine_words(const RunLine& run, bool redacted) {
    auto text = gpus_of(run, run.gpus.size()) + gpu_words(run) + system_words(run);
    if (run.machine.host && !redacted) text += ", host " + *run.machine.host;
    if (run.imported) text += ", measured by " + run.imported->words();
    return text;
}

std::vector<ModelRuns> models_of(const Report& report) {
    std::vector<ModelRuns> models;
    std::vector<const RecordedRun*> all;
    for (auto run = report.runs.rbegin(); run != report.runs.rend(); ++run) {
        all.push_back(&*run);
        if (report.fleet || run->about.gpus.empty()) continue;
        const auto model = gpus_of(run->about, 1);
        auto same = std::ranges::find(models, model, &ModelRuns::model);
        if (same == models.end()) same = models.insert(same, {model, {}});
        same->runs.push_back(&*run);
    }
    if (models.size() < 2) return {{models.empty() ? "no GPU" : models.front().model, std::move(all)}};
    std::ranges::reverse(models);
    for (const auto& step : report.changes)
        if (step.report.models)
            std::stable_partition(models.begin(), models.end(), [&](const ModelRuns& one) {
                return one.model.ends_with(step.report.models->before);
            });
    return models;
}

std::string gpus_words(const Report& report) {
    if (!report.fleet) return joined(models_of(report), " and ", [](const ModelRuns& one) { return one.model; });
    if (report.fleet->cohorts.size() > 1) return counted(report.fleet->gpus, "GPU");
    return gpus_of(report.runs.back().about, static_cast<std::size_t>(report.fleet->gpus));
}

std::vector<std::string> machine_words(const Report& report) {
    std::vector<std::string> machines;
    if (report.runs.empty()) return machines;
    if (!report.fleet) {
        for (const auto& one : models_of(report))
            machines.push_back(machine_words(one.runs.front()->about, report.redacted));
        return machines;
    }
    const auto& run = report.runs.back().about;
    std::set<std::string> hosts;
    for (const auto& one : report.runs)
        hosts.insert(one.about.fleet ? one.about.fleet->node : one.about.machine.host.value_or(""));
    const auto what =
        report.fleet->cohorts.size() > 1 ? ", of several kinds: see Fleet" : gpu_words(run) + system_words(run);
    return {gpus_words(report) + what + ", " + counted(std::ssize(hosts), "host")};
}

std::vector<Headline> headlines(const Report& report) {
    const auto models = models_of(report);
    std::vector<std::vector<Headline>> columns;
    for (const auto& [model, runs] : models) {
        const Shown of{report, runs};
        columns.push_back({rate_of("host to device, pinned", of, headline::to_gpu),
                           rate_of("device to host, pinned", of, headline::to_host), pageable(of), copy_share(of),
                           tax_words(of)});
        if (models.size() > 1 || simulated_words(report).starts_with("in part"))
            for (auto& one : columns.back()) one.model = model;
    }
    std::vector<Headline> all;
    for (std::size_t what = 0; what < columns.front().size(); ++what)
        for (auto& column : columns) all.push_back(std::move(column[what]));
    return all;
}

std::string claims_words(const Report& report) {
    const auto scenarios = newest_scenarios(report);
    if (scenarios.rows.empty()) return "";
    const auto totals = tally(scenarios.rows);
    const auto unexpected = std::count_if(totals.claims.begin(), totals.claims.end(),
                                          [](const ClaimSummary& claim) { return claim.unexpected > 0; });
    const bool incomplete =
        std::ranges::any_of(report.runs, [](const RecordedRun& run) { return run.status != "complete"; });
    if (unexpected == 0 && incomplete) return "Incomplete: every claim reached as expected";
    if (unexpected == 0) return "Every claim as expected";
    return fmt::format("{} unexpected", counted(unexpected, "claim"));
}

std::vector<std::string> warnings_of(const Report& report) {
    std::vector<std::string> warnings;
    const auto dirty = std::ranges::count_if(
        report.runs, [](const RecordedRun& run) { return run.about.suite.dirty && !run.about.imported; });
    if (dirty > 0) warnings.push_back(counted(dirty, "run") + " made by a tocuda with uncommitted changes");
    for (const auto& run : report.runs) {
        const auto name = "run " + short_run(run.about.run) + (is_simulated(run) ? ", SIMULATED: " : ": ");
        if (run.status != "complete") warnings.push_back(name + "incomplete: stopped before the end");
        for (const auto& line : filled_lines(bench_findings(run.measured.rows, page_paper())))
            warnings.push_back(name + (line.starts_with("! ") ? line.substr(2) : line));
        for (const auto& row : run.measured.rows)
            if (is_finding(row.status) && row.left_out.empty())
                warnings.push_back(fmt::format("{}{} {}: {} {}", name, row.benchmark, named_values(row.parameters),
                                               word(row.status), row.because));
    }
    warnings.insert(warnings.end(), report.warnings.begin(), report.warnings.end());
    return warnings;
}

// The stand-ins of a real run are marked row by row.
bool is_simulated(const RecordedRun& run) {
    return run.about.device == Device::simulated ||
           (run.about.device != Device::real &&
            std::any_of(run.scenarios.begin(), run.scenarios.end(),
                        [](const Row& row) { return row.evidence.device == Device::simulated; })) ||
           std::any_of(run.measured.rows.begin(), run.measured.rows.end(),
                       [](const RowSummary& row) { return row.device == Device::simulated; });
}

std::string simulated_words(const Report& report) {
    const auto simulated = std::ranges::count_if(report.runs, is_simulated);
    return simulated == 0 ? "" : simulated < std::ssize(report.runs) ? "in part SIMULATED" : "SIMULATED";
}

std::string run_words(const RecordedRun& run) { return run.about.run + (is_simulated(run) ? ", SIMULATED" : ""); }

std::vector<std::string> filled_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        if (!line.empty()) lines.push_back(line);
    return lines;
}

Paper page_paper() {
    constexpr std::size_t endless = 100000;
    return Paper(Surface{.columns = endless, .utf8 = false});
}

}  // namespace tocuda::page
