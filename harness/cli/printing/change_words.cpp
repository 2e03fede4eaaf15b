// tocuda, Apache-2.0.
// The lines before and after the table of changes.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "model/words.hpp"
#include "printing/change_table.hpp"
#include "printing/models_table.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

constexpr std::size_t words_column = 9;  // or more, where a label is long

bool is_imported(const ComparedSide& side) { return !side.runs.empty() && side.runs.back().run.imported.has_value(); }

// The command of the last run, without words that only concern its output.
std::string command_of(const ComparedSide& side) {
    const auto measured = [](const ComparedRun& one) { return one.run.verb == "bench" && !one.run.resumes; };
    const auto last = std::find_if(side.runs.rbegin(), side.runs.rend(), measured);
    if (last == side.runs.rend()) return "";
    std::string text = "tocuda";
    for (const auto& word :
         std::span<const std::string>(last->run.command).subspan(std::min<std::size_t>(1, last->run.command.size()))) {
        if (word == "--json" || word == "--quiet") continue;
        const bool plain = word.find_first_of(" \"'*?$`\\()[]{}<>|&;#~!\n") == std::string::npos && !word.empty();
        text += " " + (plain ? word : "'" + word + "'");
    }
    if (last->run.command.size() > 1) return text;
    const auto protocol = last->run.protocol ? last->run.protocol->name : "default";
    return "tocuda bench" + (protocol == "default" ? "" : " --" + protocol);
}

std::string side_words(const ComparedSide& side, bool by_driver_load) {
    const auto files =
        side.files > 0 ? counted(side.files, "file") + ", " : "";  // not counted per side if both come from one folder
    if (side.runs.empty()) return files + "no runs";
    const bool imported = std::ranges::any_of(side.runs, [](const ComparedRun& one) { return bool(one.run.imported); });
    const auto unit = counted(side.starts, imported ? "start" : by_driver_load ? "driver load" : "session");
    const auto day = [](const ComparedRun& one) { return one.run.time.substr(0, one.run.time.find('T')); };
    const auto first = day(side.runs.front());
    const auto last = day(side.runs.back());
    return files + counted(std::ssize(side.runs), "run") + ", " + unit + ", " +
           (first == last ? first : first + " to " + last);
}

std::string history_words(const ChangeReport& report) {
    std::map<std::string, int> rows;
    for (const auto& one : report.rows)
        if (!one.row.history.of.empty()) ++rows[one.row.history.of];
    return joined(rows, "; ", [](const auto& one) { return one.first + " for " + counted(one.second, "row"); });
}

// Cuts a long text down to the part where the two differ.
std::string excerpt(const std::string& text, std::size_t differs) {
    constexpr std::size_t before = 60;
    constexpr std::size_t longest = 200;
    if (text.empty()) return "(no error)";
    const auto from = differs <= before ? 0 : differs - before;
    auto part = text.substr(from, longest);
    std::replace(part.begin(), part.end(), '\n', ' ');
    return (from > 0 ? "..." : "") + part + (from + longest < text.size() ? "..." : "");
}

// A changed text, from where it differs, and how many others differ in the same words.
struct AlikeTexts {
    const TextChange* first = nullptr;
    std::size_t differs = 0;
    int more = 0;
};

std::vector<AlikeTexts> alike_texts(const std::vector<TextChange>& texts) {
    constexpr std::size_t words = 100;
    std::vector<AlikeTexts> groups;
    std::map<std::pair<std::string, std::string>, std::size_t> known;
    for (const auto& one : texts) {
        const auto at = std::mismatch(one.before.begin(), one.before.end(), one.after.begin(), one.after.end()).first;
        const auto differs = static_cast<std::size_t>(at - one.before.begin());
        const auto key = std::pair(one.before.substr(differs, words), one.after.substr(differs, words));
        const auto [found, is_new] = known.try_emplace(key, groups.size());
        if (is_new) groups.push_back({&one, differs});
        else ++groups[found->second].more;
    }
    return groups;
}

// What makes the next start another one.
const char* before_each_start(const ChangeReport& report) {
    return report.simulated        ? "choose a --seed that was not used, and a profile with a `boot` of its own"
           : report.by_driver_load ? "reboot or reload the driver"
                                   : "wait ten minutes or reboot";
}

// Why rows cannot be decided by starts such as these.
std::vector<std::string> notes_on_starts(const ChangeReport& report) {
    std::vector<std::string> notes;
    for (const auto& [side, name] : {std::pair(&report.before, "old"), std::pair(&report.after, "new")})
        if (side->repeated > 0)
            notes.push_back(
                fmt::format("{} on the {} side not counted: not independent, because all times equal "
                            "those of an earlier run to the byte",
                            counted(side->repeated, "run"), name));
    if (report.without_noise > 0)
        notes.push_back(
            fmt::format("{} without noise: all times of a side are equal to the byte, and no number of starts decides "
                        "anything; give both sides a profile with \"process_noise\": 0.0005 (docs/simulated-gpus.md)",
                        counted(report.without_noise, "simulated row")));
    if (!report.same_starts.empty())
        notes.push_back(counted(static_cast<int>(report.same_starts.size()), "start") +
                        " on both sides (the same boot and driver, without ten minutes between): rows measured in it "
                        "cannot be called slower or faster; before each start, " +
                        before_each_start(report));
    return notes;
}

constexpr std::size_t gpus_told = 4;

// Few are named, many are counted by model.
std::vector<std::string> gpus_told_of(const ChangeReport& report) {
    if (report.gpus.size() <= gpus_told) return report.gpus;
    std::map<std::string, int> models;
    for (const auto& gpu : report.gpus) ++models[gpu.substr(0, gpu.rfind(" ("))];
    const auto hosts = models.size() == 1 && report.machines > 1 ? fmt::format(" of {} hosts", report.machines) : "";
    std::vector<std::string> told;
    for (const auto& [model, count] : models) told.push_back(fmt::format("{}x {}{}", count, model, hosts));
    return told;
}

// "; no slow-down above 4.1 % in 12 of 14 undecided rows (likely)"
std::string not_excluded_words(const ChangeReport& report) {
    int undecided = 0, limited = 0;
    double most = 0;
    bool of_several = false;
    for (const auto& one : report.rows) {
        if (one.change.verdict != ChangeVerdict::undecided) continue;
        ++undecided;
        if (!one.change.not_excluded) continue;
        ++limited;
        most = std::max(most, *one.change.not_excluded);
        of_several = of_several || !one.change.hosts.empty();
    }
    if (limited == 0) return "";
    const auto of = limited == undecided ? counted(undecided, "undecided row")
                                         : fmt::format("{} of {} undecided rows", limited, undecided);
    const bool is_likely = std::ranges::any_of(
        report.rows, [](const AnsweredRow& one) { return one.change.not_excluded && one.change.start_noise; });
    return fmt::format("; no slow-down{} above {} in {}{}", of_several ? " of all hosts together" : "",
                       percent_text(most), of, is_likely ? " (likely)" : "");
}

// "; all 8 GPUs of one host: +3.0 to +3.1 %, which counts as one witness"
std::string one_host_words(const ChangeReport& report) {
    std::optional<Range> range;
    int gpus = 0;
    for (const auto& one : report.rows) {
        if (!one.of_gpus || !(is_likely(one.change.verdict) || leaning(one.change))) continue;
        range = range ? Range{std::min(range->low, one.of_gpus->low), std::max(range->high, one.of_gpus->high)}
                      : *one.of_gpus;
        gpus = std::max(gpus, one.row.gpus);
    }
    if (report.machines != 1 || !range) return "";
    return fmt::format("; all {} GPUs of one host: {:+.1f} to {:+.1f} %, which counts as one witness", gpus,
                       100 * range->low, 100 * range->high);
}

// Where the noise may come from that likely answers need, and how much there is of it.
std::string noise_words(const ChangeReport& report, const Paper& paper) {
    bool is_unknown = false, is_assumable = false;
    int most = 0;
    for (const auto& one : report.rows) {
        if (!one.change.chance_above || one.change.start_noise || is_tail(one.row)) continue;
        is_unknown = true;
        is_assumable = is_assumable || !one.row.assumed_noise;
        most = std::max(most, one.change.noise_freedom);
    }
    if (!is_unknown) return "";
    const int needed = ComparisonRules{}.likely_freedom_min;
    const auto has = most == 0 ? ""
                               : fmt::format(
                                     " ({} of {} degrees of freedom, one for each boot or driver load after a "
                                     "machine's first)",
                                     most, needed);
    return wrap(fmt::format("it is not known how much starts differ when nothing has changed{}: --history FOLDER takes "
                            "it from {} boots or driver loads of this machine, or as much from {} machines like it{}",
                            has, needed + 1, ComparisonRules{}.machines_min,
                            is_assumable ? "; --start-noise PERCENT gives the standard deviation of a start" : ""),
                0, 2, paper.columns()) +
           "\n";
}

std::string where(const std::string& scenario, const std::string& variant) {
    return scenario + (variant == "default" ? "" : " " + variant);
}

// What is shorter than more starts of the same machine: other machines, or what one session can answer.
std::string shorter_words(const ChangeReport& report, const Paper& paper) {
    if (report.simulated) return "";
    std::string text;
    if (report.machines < ComparisonRules{}.hosts_min)
        text += wrap(fmt::format("or measure {} hosts before and after: one start a side is enough for all of them",
                                 ComparisonRules{}.hosts_min),
                     0, 2, paper.columns()) +
                "\n";
    if (report.by_driver_load && !is_imported(report.after))
        text += wrap(
                    "or, without any reload, ask for the user-mode libcuda alone (cuda-compat, data-centre GPUs): "
                    "`tocuda bench --against-driver DIR`",
                    0, 2, paper.columns()) +
                "\n";
    return text;
}

}  // namespace

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t names_told = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(names_told, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
    return text + (names.size() > names_told ? fmt::format(" and {} more", names.size() - names_told) : "");
}

std::string assumed_words(const ChangeReport& report) {
    std::set<double> spreads;
    for (const auto& one : report.rows)
        if (one.row.assumed_noise && !one.change.assumption_unused) spreads.insert(*one.row.assumed_noise);
    if (spreads.empty()) return "";
    const auto most = spreads.size() == 1 ? "" : " to " + percent_text(*spreads.rbegin());
    return "starts have a standard deviation of " + percent_text(*spreads.begin()) + most +
           " without any change (--start-noise)";
}

std::string unused_noise_words(const ChangeReport& report) {
    const auto rows =
        std::ranges::count_if(report.rows, [](const AnsweredRow& one) { return one.change.assumption_unused; });
    if (rows == 0) return "";
    return fmt::format(
        "--start-noise was not used for {}: with one process in each start, nobody knows how much processes differ",
        counted(rows, "row"));
}

std::string attribution_words(const Attribution& attribution) {
    return attribution.text + (attribution.also.empty() ? "" : "; also " + attribution.also);
}

std::string plain_verdict(const std::string& verdict) {
    const auto known = verdict_of(verdict);
    return known ? std::string(plain_word(*known)) : verdict;
}

std::string simulated_words(const Paper& paper) {
    return paper.strong("SIMULATED") + ": times of simulated GPUs say nothing about real ones\n\n";
}

SideNames side_names(const ChangeReport& report) {
    if (!report.models) return {};
    return {short_model(report.models->before), short_model(report.models->after)};
}

std::vector<std::string> notes_on(const ChangeReport& report) {
    std::vector<std::string> notes;
    std::vector<std::string> files;
    for (const auto& file : report.same_files) files.push_back(file.substr(file.rfind('/') + 1));
    if (!files.empty())
        notes.push_back(
            fmt::format("the same {} on both sides: {}", files.size() == 1 ? "file" : "files", listed(files)));
    for (auto& some : {notes_on_starts(report), host_changes(report)})
        notes.insert(notes.end(), some.begin(), some.end());
    if (const auto unused = unused_noise_words(report); !unused.empty()) notes.push_back(unused);
    return notes;
}

std::vector<LabelledLine> compared_lines(const ChangeReport& report) {
    const auto sides = side_names(report);
    std::vector<LabelledLine> lines{{sides.before, side_words(report.before, report.by_driver_load)},
                                    {sides.after, side_words(report.after, report.by_driver_load)}};
    for (const auto& gpu : gpus_told_of(report)) lines.push_back({"on", gpu});
    if (const auto history = history_words(report); !history.empty()) lines.push_back({"history", history});
    if (const auto assumed = assumed_words(report); !assumed.empty()) lines.push_back({"assumed", assumed});
    lines.push_back({report.models ? "differs" : "changed", report.attribution.text});
    if (const auto& also = report.attribution.also; !also.empty())
        lines.push_back({"also", also + " (--json has the values)"});
    for (const auto& note : notes_on(report)) lines.push_back({"note", note});
    return lines;
}

std::string compared_words(const ChangeReport& report, const Paper& paper) {
    std::string text = report.simulated ? simulated_words(paper) : "";
    const auto lines = compared_lines(report);
    auto column = words_column;
    for (const auto& line : lines) column = std::max(column, columns_of(line.label) + 2);
    for (const auto& [label, words] : lines)
        text += pad(label, column) + wrap(words, column, column, paper.columns()) + "\n";
    return text;
}

std::string claim_words(const ChangeReport& report, const Paper& paper) {
    std::string text;
    for (const auto& one : report.claims.verdicts)
        text += wrap(fmt::format("! {} {}: {} -> {}", where(one.scenario, one.variant), one.claim,
                                 plain_verdict(one.before), paper.strong(plain_verdict(one.after))),
                     0, 2, paper.columns()) +
                "\n";
    for (const auto& [one, differs, more] : alike_texts(report.claims.texts)) {
        const auto others = more == 0 ? "" : fmt::format(" (and {} that differ alike)", more);
        text += wrap(fmt::format("! {} {}: {}{}", where(one->scenario, one->variant), one->key,
                                 paper.strong("different text"), others),
                     0, 2, paper.columns()) +
                "\n";
        const auto [before, after] = side_names(report);
        const auto column = 6 + std::max(columns_of(before), columns_of(after));
        for (const auto& [side, said] : {std::pair(&before, &one->before), std::pair(&after, &one->after)})
            text += pad("    " + *side, column) + wrap(excerpt(*said, differs), column, column, paper.columns()) + "\n";
    }
    return text;
}

std::string unpaired_words(const ChangeReport& report, const Paper& paper) {
    std::string text;
    for (const auto& [why, count, first] : report.unpaired) {
        auto names = joined(first);
        if (static_cast<int>(first.size()) < count) names += ", ...";
        text +=
            wrap(fmt::format("not compared: {}, {}: {}", counted(count, "row"), why, names), 0, 2, paper.columns()) +
            "\n";
    }
    return text;
}

std::string deciding_words(const ChangeReport& report, const Paper& paper) {
    int missing = 0;
    bool history_helps = false;  // missing starts may also come from a history
    int hosts = 0;
    bool by_block = false;
    for (const auto& one : report.rows) {
        by_block = by_block || one.change.by_block;
        if (!one.change.hosts.empty()) {
            hosts = std::max(hosts, one.change.starts_missing);
            continue;
        }
        missing = std::max(missing, one.change.starts_missing);
        history_helps =
            history_helps || (one.change.starts_missing > 0 && one.change.freedom < ComparisonRules{}.freedom_min);
    }
    auto noise = noise_words(report, paper);
    if (hosts > 0)
        noise += wrap(fmt::format("{}, measured before and after, {} enough to be sure",
                                  counted(hosts, by_block ? "more block" : "more host"), hosts == 1 ? "is" : "are"),
                      0, 2, paper.columns()) +
                 "\n";
    if (missing == 0) return noise;
    const bool imported = is_imported(report.after);
    const auto words = fmt::format(
        "{} of both sides together{} {} needed to be sure: before each, {}, then run{}", counted(missing, "more start"),
        history_helps ? " (some of them may be in --history)" : "", missing == 1 ? "is" : "are",
        before_each_start(report),
        imported ? " " + report.after.runs.back().run.imported->tool + " as before, and import what it writes" : "");
    auto text = noise + wrap(words, 0, 2, paper.columns()) + "\n";
    if (imported) return text + shorter_words(report, paper);
    // Unbroken, so that they can be copied.
    const auto after = command_of(report.after);
    const auto before = report.before.is_recorded ? after : command_of(report.before);
    if (before != after && !before.empty()) text += "  old  `" + before + "`\n";
    return text + (before == after ? "  `" : "  new  `") + after + "`\n" + shorter_words(report, paper);
}

std::string leaning_words(const ChangeReport& report) {
    int slower = 0, faster = 0;
    for (const auto& row : report.rows)
        if (const auto leans = leaning(row.change)) ++(*leans == ChangeVerdict::slower ? slower : faster);
    if (slower + faster == 0) return "";
    return fmt::format(" ({} lean slower, {} faster)", slower, faster);
}

std::string total_words(const ChangeReport& report) {
    std::map<ChangeVerdict, int> counts;
    for (const auto& one : report.rows) ++counts[one.change.verdict];
    const auto leans = leaning_words(report);
    auto text = counted(static_cast<int>(report.rows.size()), "row") + ":";
    for (const auto verdict :
         {ChangeVerdict::slower, ChangeVerdict::faster, ChangeVerdict::likely_slower, ChangeVerdict::likely_faster,
          ChangeVerdict::same, ChangeVerdict::undecided, ChangeVerdict::invalid})
        if (counts[verdict] > 0 || !is_likely(verdict))
            text += fmt::format(" {} {}{},", counts[verdict], word(verdict),
                                verdict == ChangeVerdict::undecided ? leans : "");
    text.pop_back();
    if (const auto failing = std::ranges::count_if(report.rows, fails_now); failing > 0)
        text += fmt::format(" ({} without a right result on the new side)", failing);
    const auto more = not_excluded_words(report) + one_host_words(report) + unlike_words(report) +
                      all_groups_words(report) + aside_words(report) + beside_words(report);
    text += more + ";";
    if (report.rows.empty()) text.clear();
    const auto& claims = report.claims;
    if (claims.compared > 0 || claims.varying > 0 || report.rows.empty()) {
        const auto* changed = report.models ? "differ" : "changed";
        text += fmt::format("{}{}: {} {}", text.empty() ? "" : " ", counted(claims.compared, "verdict"),
                            claims.verdicts.size(), changed);
        if (claims.varying > 0) text += fmt::format(", {} differ within a side", claims.varying);
        if (claims.one_side > 0) text += fmt::format(", {} on one side only", claims.one_side);
        text += fmt::format("; {} {};", counted(static_cast<int>(claims.texts.size()), "error text"), changed);
    }
    text.pop_back();
    return text;
}

}  // namespace tocuda
