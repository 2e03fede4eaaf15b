// tocuda, Apache-2.0.
#include "printing/citation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "model/row.hpp"
#include "model/words.hpp"
#include "printing/flag_words.hpp"
#include "printing/stand_in_words.hpp"
#include "request/row_choice.hpp"
#include "terminal/paper.hpp"

namespace tocuda {
namespace {

std::vector<std::string> problems_of(const VerifiedSection& section, const Verification& verification) {
    std::vector<std::string> problems;
    for (const auto& [what, line] : verification.problems) {
        const bool elsewhere = line > 0 && (line < section.line || (section.end_line > 0 && line > section.end_line));
        if (!elsewhere) problems.push_back(line > 0 ? "line " + std::to_string(line) + ": " + what : what);
    }
    return problems;
}

void add_once(std::vector<std::string>& all, std::vector<std::string> more) {
    for (auto& one : more)
        if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
}

// Five digits, because an interval is often narrower than the four of a table.
std::string seconds(double value) {
    constexpr std::array<std::string_view, 4> names{"s", "ms", "us", "ns"};
    std::size_t unit = 0;
    for (; value < 0.999995 && unit + 1 < names.size(); ++unit) value *= 1000;
    return fmt::format("{:#.5g} {}", value, names.at(unit));
}

std::string gigabytes(double per_second) { return fmt::format("{:#.5g}", per_second / 1e9); }

Counted counted_in(const RowSummary& row) { return counted_by(row.peak, role_of(row.benchmark), !row.peer.empty()); }

// What its rate counts: a link's bytes once, a memory's for each read and write; or operations.
std::int64_t count_of(const RowSummary& row) {
    return row.items > 0 ? row.items : counted_in(row) == Counted::one_way ? row.bytes_one_way : row.bytes_touched;
}

// The text names the convention.
std::string speed(const RowSummary& row) {
    const auto counted = counted_in(row);
    const auto bytes = count_of(row);
    if (bytes <= 0) return "";
    const auto rate = [&](double of) { return gigabytes(static_cast<double>(bytes) / of); };
    const auto* convention = counted == Counted::one_way ? "payload" : "touched: read or written";
    const auto interval =
        row.interval ? fmt::format(" [{}, {}]", rate(row.interval->high), rate(row.interval->low)) : "";
    if (row.items > 0) return fmt::format("{} Gop/s{}, ", rate(*row.median_seconds), interval);
    return fmt::format("{} GB/s{} ({}), ", rate(*row.median_seconds), interval, convention);
}

std::string count(int number, const std::string& singular, const std::string& plural) {
    return fmt::format("{} {}", number, number == 1 ? singular : plural);
}

// What another tool calls a run is one process here. It need not have printed a time.
std::string imported_value(const RowSummary& row, const std::string& interval) {
    auto rate = speed(row);
    const bool is_rate = row.imported->unit.ends_with("/s") && !rate.empty();
    if (is_rate) rate.resize(rate.size() - 2);
    return fmt::format("{}{}; {}{}", rate, is_rate ? "" : seconds(*row.median_seconds) + interval, row.imported->is,
                       row.processes == 1 ? ""
                                          : fmt::format(", the median of {} runs{}", row.processes,
                                                        row.interval ? " with its 95 % interval" : ""));
}

std::string value(const FileRow& row, const std::vector<SectionRows>& sections) {
    const auto& summary = row.summary;
    if (!summary.median_seconds) return fmt::format("no value: {}: {}", word(summary.status), summary.because);
    const auto interval =
        summary.interval ? fmt::format(" [{}, {}]", seconds(summary.interval->low), seconds(summary.interval->high))
                         : "";
    if (summary.imported) return imported_value(summary, interval);
    const auto sessions = sessions_of(sections, row.sections);
    return fmt::format(
        "{}{}{} by the {} clock; median of {}{}, {} {}", speed(summary), seconds(*summary.median_seconds), interval,
        word(summary.clock), count(summary.processes, "process", "processes"),
        summary.interval ? fmt::format(" [its {:.4g} % interval, by ranks]", 100 * summary.interval_level.value_or(0))
                         : ", too few for an interval",
        sessions == 1 ? "within" : "over", count(sessions, "session", "sessions"));
}

std::string without_gpu(const RunLine& run) { return "on the CPU (" + run.machine.cpu.value_or("model unknown") + ")"; }

std::string gpu_name(const RowSummary& row, const RunLine& run) {
    if (row.gpu.empty()) return without_gpu(run);
    for (const auto& gpu : run.gpus)
        if (gpu.uuid == row.gpu) return gpu.name.value_or("an unnamed GPU");
    return "GPU " + row.gpu;
}

std::string suite(const RunLine& run, std::size_t files = 1) {
    if (const auto& from = run.imported)
        return fmt::format("measured by {}, imported by tocuda {} from {}{}, sha256 {}", from->words(),
                           run.suite.version, files > 1 ? fmt::format("{} files, the first ", files) : "", from->file,
                           from->sha256.substr(0, cited_digits));
    return fmt::format("tocuda {} ({}{})", run.suite.version,
                       run.suite.commit.value_or("commit unknown").substr(0, cited_digits),
                       run.suite.dirty ? " with uncommitted changes" : "");
}

std::string software(const FileRow& row, const RunLine& run) {
    const auto& uuid = row.summary.gpu;
    auto text = gpu_name(row.summary, run) + (uuid.empty() ? "" : " (" + short_uuid(uuid) + ")") + ", " +
                driver_words(run.driver);
    if (through_libtorch(row.summary)) text += ", LibTorch " + run.libtorch.version.value_or("unknown");
    return text + ", " + suite(run, row.sections.size());
}

// Returns where a claim was seen: what was seen on the CPU or by a fake says nothing about a GPU and its driver.
std::string where_seen(const Evidence& evidence, const RunLine& run) {
    for (const auto& fake : evidence.stand_in)
        if (fake.starts_with("runtime ") || fake.starts_with("driver ")) return stand_in_words(fake);
    if (evidence.device == Device::simulated) return "SIMULATED GPUs";
    if (evidence.device == Device::none) return without_gpu(run);
    return fmt::format("{}, driver {}", run.gpus.empty() ? "a GPU" : run.gpus.front().name.value_or("a GPU"),
                       run.driver.kernel_module.value_or("unknown"));
}

// The place of the row that gave the reason comes first.
std::string software(const CitedClaim& claim, const RunLine& run) {
    std::vector<std::string> places{where_seen(claim.rows.at(claim.summary.row).evidence, run)};
    for (const auto& row : claim.rows)
        if (const auto place = where_seen(row.evidence, run);
            is_decided(row.claims.front().verdict) && std::ranges::find(places, place) == places.end())
            places.push_back(place);
    return fmt::format("{}, LibTorch {}, {}", fmt::join(places, " and "), run.libtorch.version.value_or("unknown"),
                       suite(run));
}

// Run, date and digests of every section that the number or verdict comes from.
std::string origin(const std::vector<std::size_t>& positions, const std::vector<SectionRows>& sections,
                   const std::vector<std::string>& digests) {
    std::vector<std::string> runs;
    std::vector<std::string> short_digests;
    for (const auto position : positions) {
        runs.push_back(sections[position].run.run);
        short_digests.push_back(digests.at(position).substr(0, cited_digits));
    }
    const auto date = sections[positions.front()].run.time.substr(0, 10);
    return fmt::format("run {}, {}, sha256 {}", fmt::join(runs, "+"), date, fmt::join(short_digests, "+"));
}

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char letter : text) {
        if (std::string_view("%_&#$").find(letter) != std::string_view::npos) safe += '\\';
        if (std::string_view("{}\\~^").find(letter) != std::string_view::npos) safe += ' ';
        else safe += letter;
    }
    return safe;
}

std::string month(const std::string& date) {
    constexpr std::array<std::string_view, 12> names{"jan", "feb", "mar", "apr", "may", "jun",
                                                     "jul", "aug", "sep", "oct", "nov", "dec"};
    const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    const auto number =
        date.size() >= 7 && is_digit(date[5]) && is_digit(date[6]) ? 10 * (date[5] - '0') + (date[6] - '0') : 0;
    return number >= 1 && number <= 12 ? std::string(names.at(static_cast<std::size_t>(number) - 1)) : "";
}

std::string entry(const std::string& id, const std::string& title, const RunLine& run, const std::string& text) {
    const auto key = fmt::format("tocuda:{}:{}", run.run.substr(0, 8), id.substr(0, 8));
    const auto month_line = month(run.time).empty() ? "" : fmt::format("  month = {},\n", month(run.time));
    return fmt::format(
        "@misc{{{},\n  author = {{{{tocuda}}}},\n  title = {{{}}},\n  year = {{{}}},\n{}"
        "  howpublished = {{tocuda {}, commit {}}},\n  note = {{{}}},\n}}",
        key, escaped(title), run.time.substr(0, 4), month_line, escaped(run.suite.version),
        escaped(run.suite.commit.value_or("unknown")), escaped(text));
}

}  // namespace

CitedFile cited_file(const Recording& recording, const Verification& verification) {
    CitedFile file;
    for (const auto& section : recording.sections) {
        file.sections.push_back({section.run, {}});
        for (const auto& one : section.measurements) file.sections.back().rows.push_back(one.row);
    }
    for (const auto& section : verification.sections) {
        file.problems.push_back(problems_of(section, verification));
        file.digests.push_back(section.sha256);
    }
    return file;
}

std::optional<CitedClaim> claim_in(const Recording& recording, const std::string& id, const std::string& statement) {
    CitedClaim cited{.statement = statement};
    for (std::size_t position = 0; position < recording.sections.size(); ++position)
        for (auto [line, row] : recording.sections[position].rows) {
            std::erase_if(row.claims, [&](const ClaimVerdict& claim) { return claim.id != id; });
            if (row.claims.empty()) continue;
            cited.rows.push_back(std::move(row));
            if (cited.sections.empty() || cited.sections.back() != position) cited.sections.push_back(position);
        }
    if (cited.rows.empty()) return std::nullopt;
    cited.summary = tally(cited.rows).claims.front();
    return cited;
}

CitedClaim least_simulated(const CitedClaim& claim) {
    const auto is_simulated = [](const Row& row) { return row.evidence.device == Device::simulated; };
    const auto is_on_a_simulated_gpu = [&](const Row& row) {
        return is_simulated(row) && !only_the_driver_is_fake(row.evidence);
    };
    for (const auto& is_left_out : {std::function<bool(const Row&)>(is_simulated), {is_on_a_simulated_gpu}}) {
        auto rest = claim;
        std::erase_if(rest.rows, is_left_out);
        if (std::ranges::none_of(rest.rows, [](const Row& row) { return is_decided(row.claims.front().verdict); }))
            continue;
        rest.summary = tally(rest.rows).claims.front();
        return rest;
    }
    return claim;
}

std::vector<std::string> reasons_against(const CitedClaim& claim, const CitedFile& file) {
    std::vector<std::string> all;
    for (const auto position : claim.sections)
        for (const auto& row : claim.rows)
            add_once(all, why_not_citable(file.sections[position].run, row, file.problems.at(position)));
    if (!is_decided(claim.summary.verdict))
        all.push_back(std::string(plain_word(claim.summary.verdict)) + ": " + claim.summary.because);
    return all;
}

std::vector<std::string> reasons_against(const FileRow& row, const CitedFile& file) {
    std::vector<std::string> all;
    for (const auto position : row.sections)
        add_once(all, why_not_citable(file.sections[position].run, row.summary, file.problems.at(position)));
    return all;
}

Citation cite(const FileRow& row, const std::vector<SectionRows>& sections, const std::vector<std::string>& digests) {
    const auto& run = sections[row.sections.front()].run;
    std::string flags;
    std::string chosen;
    for (const auto& flag : row.summary.flags)
        if (flag.code == chosen_flag) chosen = "; " + flag_in_words(flag);
        else flags += (flags.empty() ? "; flagged: " : ", ") + flag_in_words(flag);
    const auto text = fmt::format("{}: {}{}; {}; {}", name_of(row.summary), value(row, sections), chosen + flags,
                                  software(row, run), origin(row.sections, sections, digests));
    return {text, entry(row.summary.id, name_of(row.summary) + " on " + gpu_name(row.summary, run), run, text)};
}

std::string range_of_medians(const std::vector<RowSummary>& rows) {
    const auto [fastest, slowest] =
        std::ranges::minmax(rows, {}, [](const RowSummary& row) { return row.median_seconds.value_or(0); });
    const auto count = static_cast<double>(count_of(fastest));
    if (count <= 0) return seconds(*fastest.median_seconds) + " to " + seconds(*slowest.median_seconds);
    return fmt::format("{} to {} {}", gigabytes(count / *slowest.median_seconds),
                       gigabytes(count / *fastest.median_seconds), fastest.items > 0 ? "Gop/s" : "GB/s");
}

std::string short_uuid(const std::string& uuid) {
    constexpr std::size_t digits = 8;
    return uuid.substr(0, uuid.find('-') == std::string::npos ? digits : uuid.find('-') + 1 + digits);
}

std::string variants_of(const std::vector<Row>& rows) {
    std::map<std::string, std::string> variants;
    for (const auto& row : rows) variants[row.name] += (variants[row.name].empty() ? "" : ", ") + row.variant;
    return joined(variants, ", ", [](const auto& one) { return one.first + " (" + one.second + ")"; });
}

Citation cite(const CitedClaim& claim, const std::vector<SectionRows>& sections,
              const std::vector<std::string>& digests) {
    const auto& run = sections[claim.sections.front()].run;
    const auto& [id, verdict, expected, unexpected, row, because] = claim.summary;
    const auto again = claim.judged_again.empty() ? "" : "; " + claim.judged_again;
    const auto said = claim.statement.empty() ? "" : fmt::format(" (\"{}\")", claim.statement);
    const auto is = std::string(plain_word(verdict)) + (verdict == Verdict::partial ? " true" : "");
    const auto text =
        fmt::format("{}{} is {}: {}; seen by {}; {}{}; {}", id, said, is, because, variants_of(claim.rows),
                    software(claim, run), again, origin(claim.sections, sections, digests));
    return {text, entry(id, "claim " + id + " is " + is, run, text)};
}

}  // namespace tocuda
