// tocuda, Apache-2.0.
#include "record/verification.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "model/row.hpp"
#include "record/measurement_check.hpp"
#include "record/run_check.hpp"
#include "record/scenario_check.hpp"

namespace tocuda {
namespace {

class Verifier : public RecordVisitor {
public:
    explicit Verifier(std::chrono::sys_seconds when) : now(when) {}

    void run(const RunLine& run, const LinePlace& place) override {
        check_place(place);
        result.sections.push_back({run, place.line, 0, 0, ""});
        measurements.emplace(run);
        for (const auto& what : wrong_with_run(run)) say(place.line, what);
        if (is_to_come(run, now))
            note(place.line, "the run began at " + run.time +
                                 ", more than a day in the future: its clock or this machine's clock is wrong");
    }
    void measurement(const MeasurementRow& row, const LinePlace& place) override {
        check_place(place);
        for (const auto& what : measurements->wrong_with(row)) {
            result.unaltered = result.unaltered && !what.starts_with("row id is ");
            say(place.line, what);
        }
    }
    void scenario(const Row& row, const LinePlace& place) override {
        check_place(place);
        for (const auto& what : wrong_with_scenario(row)) say(place.line, what);
    }
    void other(std::string_view kind, const LinePlace& place) override {
        check_place(place);
        if (unknown_kinds.insert(std::string(kind)).second)
            note(place.line, "rows of the unknown kind '" + std::string(kind) + "' were not checked");
    }

    void end(const SectionEnd& end) override {
        auto& section = result.sections.back();
        section.sha256 = end.sha256;
        section.rows = end.rows;
        if (!end.end) return;
        section.end_line = end.line;
        if (end.end->rows != end.rows) {
            say(end.line, "the end line counts " + std::to_string(end.end->rows) + " rows but the section has " +
                              std::to_string(end.rows));
            result.whole = false;
        }
        if (end.end->status == "interrupted") note(end.line, "the run was interrupted");
        else if (end.end->status != "complete") say(end.line, "unknown end status '" + end.end->status + "'");
    }

    void flaw(Flaw flaw, int line, const std::string& what) override {
        if (flaw == Flaw::newer) {
            note(line, what);
            return;
        }
        if (flaw == Flaw::altered) result.unaltered = false;
        else result.whole = false;
        say(flaw == Flaw::partial ? result.sections.back().line : line, what);
    }

    Verification finish(const std::string& file_name, const std::optional<Unreadable>& unreadable) {
        if (unreadable) {
            result.whole = false;
            say(unreadable->line, unreadable->why);
        }
        const auto& first = result.sections.front();
        if (const auto wrong = wrong_with_name(file_name, first.run); !wrong.empty()) say(first.line, wrong);
        check_order();
        check_resumed();
        std::stable_sort(result.problems.begin(), result.problems.end(),
                         [](const Problem& one, const Problem& other) { return one.line < other.line; });
        return std::move(result);
    }

    bool began() const { return !result.sections.empty(); }

private:
    void note(int line, const std::string& what) {
        result.notes.push_back("line " + std::to_string(line) + ": " + what);
    }
    void say(int line, const std::string& what) { result.problems.push_back({line, what}); }

    void check_place(const LinePlace& place) {
        if (!place.text.starts_with(R"({"kind":)")) say(place.line, "'kind' is not the first field");
    }

    // Sections are appended in order of time; a merged file has them sorted by run id.
    void check_order() {
        const auto& sections = result.sections;
        const auto sorted = [&](auto less) { return std::is_sorted(sections.begin(), sections.end(), less); };
        const auto earlier = [](const VerifiedSection& one, const VerifiedSection& other) {
            return one.run.time < other.run.time;
        };
        if (!sorted(earlier) && !sorted([](const VerifiedSection& one, const VerifiedSection& other) {
                return one.run.run < other.run.run;
            }))
            for (std::size_t i = 1; i < sections.size(); ++i)
                if (earlier(sections[i], sections[i - 1]))
                    say(sections[i].line, "the section began before the one above it");
        std::map<std::string_view, int> lines;  // where each run first appears
        for (const auto& section : sections)
            if (const auto [first, is_new] = lines.try_emplace(section.run.run, section.line); !is_new)
                say(section.line, "repeats the run of line " + std::to_string(first->second));
    }

    void check_resumed() {
        for (const auto& section : result.sections) {
            if (!section.run.resumes) continue;
            const auto before =
                std::find_if(result.sections.begin(), result.sections.end(),
                             [&](const VerifiedSection& one) { return one.run.run == *section.run.resumes; });
            if (before == result.sections.end()) say(section.line, "the run it resumes is not in the file");
            else
                for (const auto& what : wrong_with_resuming(section.run, before->run)) say(section.line, what);
        }
    }

    std::chrono::sys_seconds now;
    Verification result{};
    std::optional<MeasurementCheck> measurements{};
    std::set<std::string> unknown_kinds{};
};

std::variant<Verification, Unreadable> verified(Verifier& verifier, std::optional<Unreadable> unreadable,
                                                const std::string& file_name) {
    if (unreadable && !verifier.began()) {
        if (unreadable->line == 0) return std::move(*unreadable);
        return Verification{.whole = false, .unaltered = false, .problems = {{unreadable->line, unreadable->why}}};
    }
    return verifier.finish(file_name, unreadable);
}

}  // namespace

std::variant<Verification, Unreadable> verify_file(const std::filesystem::path& file, std::chrono::sys_seconds now) {
    Verifier verifier(now);
    auto unreadable = read_record(file, Reading::exhaustive, verifier);
    return verified(verifier, std::move(unreadable), file.filename().string());
}

std::variant<Verification, Unreadable> verify_bytes(std::string_view bytes, const std::string& name,
                                                    std::chrono::sys_seconds now) {
    Verifier verifier(now);
    auto unreadable = read_record_bytes(bytes, name, Reading::exhaustive, verifier);
    return verified(verifier, std::move(unreadable), name);
}

std::string wrong_with_citation(const Verification& verification, const std::string& digits) {
    for (const auto& section : verification.sections)
        if (section.end_line > 0 && section.sha256.starts_with(digits)) return "";
    return "no section has the cited digest (" + digits + "): this is not the cited file, or it was altered since";
}

}  // namespace tocuda
