// tocuda, Apache-2.0.
// `tocuda show`: prints a claim, its source, what is observed, what decides, and the last result on this machine; or a
// benchmark; or a list of what was found.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "command/kept_recordings.hpp"
#include "command/verb.hpp"
#include "execution/listing.hpp"
#include "execution/rejudging.hpp"
#include "json_lines/build_line.hpp"
#include "machine/suite.hpp"
#include "model/problem.hpp"
#include "printing/citation.hpp"
#include "printing/last_seen.hpp"
#include "printing/shown_example.hpp"
#include "printing/shown_scenario.hpp"
#include "printing/ticket.hpp"
#include "request/catalogue.hpp"
#include "request/request.hpp"
#include "request/row_choice.hpp"
#include "request/selection.hpp"
#include "terminal/arguments.hpp"
#include "terminal/complaint.hpp"
#include "terminal/paper.hpp"

namespace tocuda {
namespace {

// `doubts`: files that could not be read; `records`: the command that records a result.
tl::unexpected<Problem> not_recorded(const std::string& what, const std::filesystem::path& folder,
                                     const std::vector<std::string>& doubts, const std::string& records) {
    auto text = fmt::format("no {} in {}", what, folder.string());
    for (const auto& doubt : doubts) text += " (" + doubt + ")";
    if (!records.empty()) text += fmt::format("; `tocuda {}` records one", records);
    return problem(text + (records.empty() ? "; " : ", ") + "--output names another folder");
}

bool may_be_an_id(const std::string& word) { return word.find_first_not_of("0123456789abcdef") == std::string::npos; }

Expected<CitedFile> cited(const Recording& recording, const Catalogue& catalogue) {
    auto verified = verify_file(recording.file);
    if (!verified) return problem(verified.error());
    check_verdicts(recording, [&]() -> const Catalogue& { return catalogue; }, *verified);
    return cited_file(recording, *verified);
}

// Empty if the file verifies.
std::string doubt(const CitedFile& file, const Recording& recording) {
    for (const auto& problems : file.problems)
        if (!problems.empty())
            return fmt::format("\n**This file does not verify**: {}; `tocuda verify {}` lists what is wrong.\n",
                               problems.front(), recording.file.string());
    return "";
}

bool has_claim(const Section& section, const std::string& id) {
    const auto is_of_it = [&](const ClaimVerdict& claim) { return claim.id == id; };
    return std::any_of(section.rows.begin(), section.rows.end(), [&](const RecordedRow& row) {
        return std::any_of(row.row.claims.begin(), row.row.claims.end(), is_of_it);
    });
}

// Says what the run before saw: a change is what most tickets are about.
std::string before(const Recording& recording, const CitedClaim& claim, const std::filesystem::path& folder) {
    const auto& id = claim.summary.id;
    const auto is_older = [&](const Section& section) {
        return has_claim(section, id) &&
               std::none_of(recording.sections.begin(), recording.sections.end(),
                            [&](const Section& one) { return one.run.run == section.run.run; });
    };
    const auto older = newest_recording(folder, is_older).recording;
    if (!older) return "";
    const auto was = *claim_in(*older, id, "");
    const auto& run = older->sections[was.sections.front()].run;
    return fmt::format("\nBefore, in run {} of {}, it was {}.\n", run.run, run.time.substr(0, 10),
                       plain_word(was.summary.verdict));
}

Expected<std::string> claim_ticket(const Catalogue& catalogue, const std::string& id,
                                   const std::filesystem::path& folder) {
    const auto [recording, doubts] =
        newest_recording(folder, [&](const Section& section) { return has_claim(section, id); });
    if (!recording) return not_recorded("result of " + id, folder, doubts, "run " + id);
    const auto file = cited(*recording, catalogue);
    if (!file) return tl::unexpected(file.error());
    const auto claim = *claim_in(*recording, id, statements_of(catalogue)[id]);
    return ticket_of(claim, *file) + before(*recording, claim, folder) + doubt(*file, *recording);
}

Expected<std::string> row_tickets(const Catalogue& catalogue, const Words& words, const std::filesystem::path& folder) {
    const auto& name = words.front();
    const auto is_of_it = [&](const RecordedMeasurement& one) {
        return one.row.benchmark == name || one.row.id.starts_with(name);
    };
    const auto [recording, doubts] = newest_recording(folder, [&](const Section& section) {
        return std::any_of(section.measurements.begin(), section.measurements.end(), is_of_it);
    });
    if (!recording && may_be_an_id(name)) return not_recorded("row whose id begins with " + name, folder, doubts, "");
    if (!recording) return not_recorded("result of " + name, folder, doubts, "bench " + name);
    const auto file = cited(*recording, catalogue);
    if (!file) return tl::unexpected(file.error());
    const auto rows = file_rows(file->sections);
    std::string text;
    if (words.size() == 1) {
        for (const auto& row : rows)
            if (row.summary.benchmark == name || row.summary.id.starts_with(name))
                text += (text.empty() ? "" : "\n") + ticket_of(row, *file);
        return text + doubt(*file, *recording);
    }
    const auto chosen = chosen_row(words, rows, file->sections);
    if (!chosen) return tl::unexpected(chosen.error());
    return ticket_of(rows[*chosen], *file) + doubt(*file, *recording);
}

// `words`: a claim, a scenario, a benchmark, or ROW as in `cite`.
Expected<std::string> tickets(const Catalogue& catalogue, const Words& words, const std::filesystem::path& folder) {
    const auto found = find_all(catalogue, {words.front()});
    if (found && found->searched)
        return problem("--ticket needs the name of a claim, scenario or benchmark; `tocuda show " + words.front() +
                       "` lists what speaks of it");
    if (!found && !may_be_an_id(words.front())) return problem(found.error().what);
    if (!found || found->scenarios.empty()) return row_tickets(catalogue, words, folder);
    if (words.size() > 1) return problem("--ticket takes one claim or scenario; unexpected '" + words[1] + "'");
    std::vector<std::string> ids = found->scenarios.front().claims;
    if (ids.empty())
        for (const auto& claim : found->scenarios.front().scenario->claims) ids.push_back(claim.id);
    if (ids.empty()) {
        const auto& about = found->scenarios.front().scenario->illustrates;
        return problem(words.front() + " tests no claim, so there is no verdict to paste" +
                       (about.empty() ? "" : "; " + about.front() + " is about it"));
    }
    std::string text;
    for (const auto& id : ids) {
        const auto ticket = claim_ticket(catalogue, id, folder);
        if (!ticket) return ticket;
        text += (text.empty() ? "" : "\n") + *ticket;
    }
    return text;
}

constexpr std::size_t least_of_an_id = 4;  // fewer digits are a word

bool has_value(const std::string& word) { return word.find('=') != std::string::npos; }

using Rows = std::vector<std::pair<ListedBenchmark, LastMeasured>>;

struct ShowOptions {
    std::vector<std::string> words{};
    std::string folder = Request{}.output;
    bool ticket = false;
    bool json = false;
};

// Returns the name of the example that is about this claim.
std::string example_of(const Catalogue& catalogue, const std::string& claim) {
    for (const auto& one : all_scenarios(catalogue))
        if (std::ranges::find(one.scenario->illustrates, claim) != one.scenario->illustrates.end())
            return one.scenario->name;
    return "";
}

// What is recorded, with the verdicts of today's judges where another tocuda gave others. Rows that cannot be judged
// here stay as recorded.
LastSeen last_seen_today(const Catalogue& catalogue, const std::string& folder, const std::string& scenario) {
    auto last = last_seen_or_kept(folder, scenario);
    auto today = judged_today(catalogue, last.rows, last.suite).rows;
    const auto same = [](const Row& one, const Row& other) {
        return std::ranges::equal(one.claims, other.claims, {}, &ClaimVerdict::verdict, &ClaimVerdict::verdict);
    };
    if (!std::ranges::equal(today, last.rows, same)) last.judged_again = version_text({.suite = last.suite});
    last.rows = std::move(today);
    return last;
}

void print_claim(std::vector<Listed> listing, const std::string& id, const Catalogue& catalogue,
                 const std::string& folder, const Paper& paper) {
    const auto& claims = listing.front().scenario.claims;
    const auto claim = std::find_if(claims.begin(), claims.end(), [&](const Claim& one) { return one.id == id; });
    if (claim != claims.end()) fmt::print("{}{}", claim_text(*claim, paper), source_text(id, paper));
    const auto detail = listing.size() > 1 ? Detail::one_claim_of_several : Detail::one_claim;
    for (auto& listed : listing) {
        auto last = last_seen_today(catalogue, folder, listed.scenario.name);
        keep_claim(listed.scenario, id);
        keep_claim(last, id);
        fmt::print("\n{}", scenario_text(listed, last, detail, paper));
    }
    if (const auto example = example_of(catalogue, id); !example.empty())
        fmt::print("\nthe document's own code, line by line: `tocuda show {}`\n", example);
    if (listing.size() > 1)
        fmt::print("\nfor a scenario in full, give its name: `tocuda show {}`\n", listing.front().scenario.name);
}

// A document's example, with what it did here and in recordings.
std::string example(const Listed& listed, const Catalogue& catalogue, const std::string& folder, const Paper& paper) {
    auto seen = recorded_results(listed.scenario.name);
    seen.insert(seen.begin(), last_seen(folder, listed.scenario.name));
    auto statements = statements_of(catalogue);
    std::vector<Claim> illustrated;
    for (const auto& id : listed.scenario.illustrates) illustrated.push_back({id, statements[id]});
    return example_text(listed, seen, illustrated, paper);
}

void print_in_full(const std::vector<Listed>& scenarios, const std::vector<ListedBenchmark>& benchmarks,
                   const Catalogue& catalogue, const std::string& folder, const Paper& paper) {
    for (const auto& listed : scenarios) {
        const auto& scenario = listed.scenario;
        fmt::print("{}{}", &listed == &scenarios.front() ? "" : "\n",
                   scenario.code.empty()
                       ? scenario_text(listed, last_seen_today(catalogue, folder, scenario.name), Detail::whole, paper)
                       : example(listed, catalogue, folder, paper));
    }
    for (const auto& listed : benchmarks) {
        if (!scenarios.empty() || &listed != &benchmarks.front()) fmt::print("\n");
        print_benchmark(listed, last_measured_or_kept(folder, listed.benchmark.name), folder, paper);
    }
}

std::string document(const std::vector<Listed>& scenarios, const std::vector<ListedBenchmark>& benchmarks,
                     const std::string& folder) {
    std::set<std::string> doubts;
    std::vector<Shown> shown;
    for (const auto& listed : scenarios) {
        const auto last = last_seen(folder, listed.scenario.name);
        doubts.insert(last.doubts.begin(), last.doubts.end());
        shown.push_back({listed, last.rows});
    }
    std::vector<ShownBenchmark> measured;
    for (const auto& listed : benchmarks) {
        const auto last = last_measured(folder, listed.benchmark.name);
        doubts.insert(last.doubts.begin(), last.doubts.end());
        measured.push_back({listed, last.rows});
    }
    for (const auto& doubt : doubts) complain("tocuda: " + doubt);
    return show_document(shown, measured);
}

// Rows of NAME KEY=VALUE..., or of an id; nullopt if these words are neither.
Expected<std::optional<Rows>> rows_asked_for(const ShowOptions& asked, const Catalogue& catalogue) {
    const auto& name = asked.words.front();
    const bool by_values = asked.words.size() > 1 && std::all_of(asked.words.begin() + 1, asked.words.end(), has_value);
    auto selected = select_benchmarks(catalogue, {name});
    LastMeasured of_id;
    if (asked.words.size() == 1 && selected.empty() && name.size() >= least_of_an_id && may_be_an_id(name)) {
        of_id = last_measured_or_kept(asked.folder, name);
        std::set<std::string> names;
        for (const auto& row : of_id.rows) names.insert(row.benchmark);
        if (!names.empty()) selected = select_benchmarks(catalogue, {names.begin(), names.end()});
    } else if (!by_values) return std::nullopt;
    if (selected.empty()) return std::nullopt;
    Rows rows;
    for (auto& listed : list_for_this_machine(selected)) {
        auto last = of_id.rows.empty() ? last_measured_or_kept(asked.folder, listed.benchmark.name) : of_id;
        std::vector<FileRow> all;
        for (const auto& row : last.rows) all.push_back({row, {}, {}});
        auto words = asked.words;
        if (of_id.rows.empty()) words.front() = listed.benchmark.name;
        const auto meant = rows_meant(words, all, {});
        if (!all.empty() && !meant) return problem(last.file.filename().string() + ": " + meant.error().what);
        last.rows.clear();
        for (const auto row : meant.value_or(std::vector<std::size_t>{})) last.rows.push_back(all[row].summary);
        std::erase_if(last.rows, [&](const RowSummary& row) { return row.benchmark != listed.benchmark.name; });
        rows.emplace_back(std::move(listed), std::move(last));
    }
    return rows;
}

int show_rows(const ShowOptions& asked, const Rows& rows) {
    std::vector<ShownBenchmark> shown;
    for (const auto& [listed, last] : rows) shown.push_back({listed, last.rows});
    if (asked.json) print_document(show_document({}, shown));
    else
        for (const auto& [listed, last] : rows) {
            if (&listed != &rows.front().first) fmt::print("\n");
            print_benchmark(listed, last, asked.folder, paper_for_stdout());
        }
    return as_expected;
}

int show(const ShowOptions& asked, const Catalogue& catalogue, const Found& found) {
    const auto scenarios = list_for_this_machine(found.scenarios);
    const auto benchmarks = list_for_this_machine(found.benchmarks);
    if (asked.json) {
        print_document(document(scenarios, benchmarks, asked.folder));
        return as_expected;
    }
    const auto paper = paper_for_stdout();
    if (found.only_near) fmt::print("{}\n\n", wrap(nearest_heading, 0, 2, paper.columns()));
    if (found.searched && scenarios.size() + benchmarks.size() + found.claims.size() > 1) {
        for (const auto& claim : found.claims) fmt::print("{}", claim_text(claim, paper));
        fmt::print("{}{}\none of them in full: `tocuda show {}`\n", found.claims.empty() ? "" : "\n",
                   listing_table(scenarios, benchmarks, paper),
                   !found.claims.empty() ? found.claims.front().id
                   : scenarios.empty()   ? benchmarks.front().benchmark.name
                                         : scenarios.front().scenario.name);
    } else if (asked.words.size() == 1 && !scenarios.empty() && !found.scenarios.front().claims.empty())
        print_claim(scenarios, asked.words.front(), catalogue, asked.folder, paper);
    else print_in_full(scenarios, benchmarks, catalogue, asked.folder, paper);
    return as_expected;
}

}  // namespace

int show_verb(const Words& words) {
    Arguments arguments("show", "Show a scenario, claim or benchmark and its last result here.",
                        {"dtype/double_move", "000-04 --ticket"});
    ShowOptions asked;
    arguments.option("NAME", asked.words, "scenario, claim, benchmark, row as in cite, or words",
                     Arguments::Presence::required);
    arguments.flag("--ticket", asked.ticket, "the last result to paste into a ticket");
    arguments.flag("--json", asked.json, "one document on stdout");
    arguments.option("--output", asked.folder, "the folder of result files (results/local)", "DIR");
    if (const auto code = arguments.parse(words)) return *code;
    if (asked.ticket && asked.json) return arguments.refuse("--ticket and --json exclude each other");

    const auto catalogue = load_catalogue(worker_folders());
    if (asked.ticket) {
        const auto text = tickets(catalogue, asked.words, asked.folder);
        if (!text) return arguments.refuse(text.error().what);
        fmt::print("{}", *text);
        return as_expected;
    }
    const auto rows = rows_asked_for(asked, catalogue);
    if (!rows) return arguments.refuse(rows.error().what);
    if (*rows) return show_rows(asked, **rows);
    const auto found = find_all(catalogue, asked.words);
    return found ? show(asked, catalogue, *found) : arguments.refuse(found.error().what);
}

}  // namespace tocuda
