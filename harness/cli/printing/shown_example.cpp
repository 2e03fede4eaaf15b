// tocuda, Apache-2.0.
#include "printing/shown_example.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "json_lines/visible.hpp"
#include "model/parameter_values.hpp"
#include "model/scenario.hpp"
#include "model/words.hpp"
#include "printing/shown_scenario.hpp"

namespace tocuda {
namespace {

constexpr std::size_t code_column = 5;
constexpr std::size_t fact_column = 7;

// One run of the example.
struct Run {
    std::string where;     // "no driver", "simulated 1xT4"
    std::string libtorch;  // "2.15"
    const Row* row;
};

std::string where_of(const Row& row) {
    constexpr std::string_view simulated = "runtime ";
    for (const auto& one : row.evidence.stand_in)
        if (one.starts_with(simulated)) return "simulated " + one.substr(simulated.size());
    if (row.evidence.device == Device::real) return "real GPU";
    auto words = row.variant;
    std::ranges::replace(words, '_', ' ');
    return words;
}

std::vector<Run> runs_in(const std::vector<LastSeen>& seen) {
    std::vector<Run> runs;
    for (const auto& last : seen)
        for (const auto& row : last.rows) {
            Run run{where_of(row), last.libtorch, &row};
            const bool known = std::ranges::any_of(
                runs, [&](const Run& one) { return one.where == run.where && one.libtorch == run.libtorch; });
            if (!known) runs.push_back(std::move(run));
        }
    return runs;
}

// What was seen alike, and in which runs.
class Facts {
public:
    explicit Facts(const std::vector<Run>& all) : runs(all) {}

    void add(const std::string& text, const Run& run) {
        auto same = std::ranges::find_if(facts, [&](const auto& fact) { return fact.first == text; });
        if (same == facts.end()) same = facts.insert(facts.end(), {text, {}});
        same->second.push_back(&run);
    }

    bool empty() const { return facts.empty(); }

    // "no driver, simulated 1xT4 (LibTorch 2.11)"; empty: in all runs.
    std::string where(const std::vector<const Run*>& seen) const {
        if (seen.size() == runs.size()) return "";
        std::vector<std::string> parts;
        for (const auto* run : seen) {
            const auto all = std::ranges::count(runs, run->where, &Run::where);
            const auto here = std::ranges::count(seen, run->where, [](const Run* one) { return one->where; });
            const auto part = here == all ? run->where : fmt::format("{} (LibTorch {})", run->where, run->libtorch);
            if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
        }
        return fmt::format("{}", fmt::join(parts, ", "));
    }

    std::string text(std::size_t column, const Paper& paper) const {
        std::string text;
        for (const auto& [said, seen] : facts) {
            const auto place = where(seen);
            text += std::string(column, ' ') +
                    wrap((place.empty() ? "" : place + ": ") + said, column, column + 2, paper.columns()) + "\n";
        }
        return text;
    }

private:
    const std::vector<Run>& runs;
    std::vector<std::pair<std::string, std::vector<const Run*>>> facts{};
};

const Values& lines_of(const Value& value) {
    static const Values none;
    const auto* lines = std::get_if<Values>(&value.held);
    return lines ? *lines : none;
}

std::string joined_lines(const Value& value) {
    return joined(lines_of(value), " / ", [](const auto& line) { return visible(plain(line)); });
}

// What a line did, in words; empty if the key is not of this line.
std::string deed(const Observation& seen, std::string_view part, std::size_t line) {
    const auto prefix = fmt::format("{}.{}.", part, line);
    if (!seen.key.starts_with(prefix)) return "";
    const auto what = seen.key.substr(prefix.size());
    if (what == "prints") return "prints " + joined_lines(seen.value);
    if (what == "warns") return "warns: " + joined_lines(seen.value);
    if (what == "catches") return "raises " + visible(plain(seen.value)) + ", which is caught";
    if (what == "ends") return "runs to its end; tensors: " + joined_lines(seen.value);
    if (what == "raises") return "raises " + visible(plain(seen.value)) + ", and ends";
    return "";
}

// The second half is run where the first one ended with an error.
std::string deeds_of(std::size_t line, const std::vector<Run>& runs, const Paper& paper) {
    std::string text;
    for (const std::string_view part : {"line", "second"}) {
        Facts facts(runs);
        for (const auto& run : runs)
            for (const auto& seen : run.row->evidence.observations)
                if (const auto said = deed(seen, part, line); !said.empty())
                    facts.add(part == "second" ? "(second half alone) " + said : said, run);
        text += facts.text(fact_column, paper);
    }
    return text;
}

// Cut to the paper's width, with its blanks.
std::string code_line(std::size_t number, std::string_view code, const Paper& paper) {
    const auto room = paper.columns() - code_column;
    auto text = pad(fmt::format("{:>3}", number), code.empty() ? 0 : code_column);
    for (; code.size() > room; code.remove_prefix(room))
        text += std::string(code.substr(0, room)) + "\n" + std::string(code_column, ' ');
    return text + std::string(code) + "\n";
}

// A block whose first line has a label.
std::string labelled(const std::string& label, const Facts& facts, const Paper& paper) {
    auto text = facts.text(entry_column, paper);
    return facts.empty() ? "" : " " + label + text.substr(label.size() + 1);
}

std::string ends_text(const std::vector<Run>& runs, const Paper& paper) {
    Facts codes(runs);
    Facts tensors(runs);
    for (const auto& run : runs) {
        const auto& evidence = run.row->evidence;
        const auto* code = evidence.find("exit_code");
        codes.add(code ? "exit code " + plain(*code) : describe_end(evidence), run);
        if (const auto* left = evidence.find("tensors"))
            for (const auto& one : lines_of(*left)) tensors.add(visible(plain(one)), run);
    }
    return labelled("ends", codes, paper) + labelled("tensors", tensors, paper);
}

std::string cost_text(const std::vector<Run>& runs, const Paper& paper) {
    const auto most = [&](const char* key) {
        double value = 0;
        for (const auto& run : runs)
            if (run.row->evidence.has(key)) value = std::max(value, run.row->evidence.number(key));
        return value;
    };
    const auto text =
        fmt::format("at most {:.1f} s, {:.0f} MiB of host memory (LibTorch included), {:.0f} MiB of tensors on a GPU",
                    most("seconds"), most("resident_mib"), most("gpu_peak_mib"));
    return entry("costs", text, paper);
}

}  // namespace

std::string example_text(const Listed& listed, const std::vector<LastSeen>& seen, const std::vector<Claim>& illustrated,
                         const Paper& paper) {
    const auto& scenario = listed.scenario;
    auto text = paper.strong(scenario.name) + ": " +
                wrap(scenario.summary, scenario.name.size() + 2, 2, paper.columns()) + "\n";
    if (!scenario.illustrates.empty())
        text += paper.faint(wrap(source_of(scenario.illustrates.front()), 0, 0, paper.columns())) + "\n";
    text += entry("says", scenario.says, paper);
    for (const auto& claim : illustrated)
        text += entry(&claim == &illustrated.front() ? "claims" : "", claim.id + " " + claim.statement, paper);
    const auto runs = runs_in(seen);
    text += "\n";
    for (std::size_t i = 0; i < scenario.code.size(); ++i) {
        text += code_line(i + 1, scenario.code[i], paper);
        text += deeds_of(i + 1, runs, paper);
    }
    text += "\n";
    if (runs.empty()) return text + entry("not run", fmt::format("`tocuda run {}` runs it", scenario.name), paper);
    text += ends_text(runs, paper) + cost_text(runs, paper);
    std::string label = "run in";
    for (const auto& last : seen)
        if (!last.rows.empty())
            text += entry(std::exchange(label, ""), paper.faint(last.file.filename().string()), paper);
    return text;
}

}  // namespace tocuda
