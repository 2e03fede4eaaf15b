// tocuda, Apache-2.0.
#include "record/verification.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "model/row.hpp"
#include "record/impossible_values.hpp"

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
        if (const auto id = measurements->check_id(row); !id) {
            result.unaltered = false;
            say(place.line, id.error().what);
        }
        for (const auto& what : measurements->wrong_with(row)) say(place.line, what);
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
            say(end.line, fmt::format("the end line counts {} rows but the section has {}", end.end->rows, end.rows));
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
        if (flaw != Flaw::altered) result.whole = false;
        say(line, what);
    }

    Verification finish(const std::string& file_name) {
        if (result.sections.empty()) return std::move(result);
        const auto& first = result.sections.front();
        if (const auto name = check_name(file_name, first.run); !name) say(first.line, name.error().what);
        check_order();
        check_resumed();
        std::stable_sort(result.problems.begin(), result.problems.end(),
                         [](const Problem& one, const Problem& other) { return one.line < other.line; });
        return std::move(result);
    }

private:
    void note(int line, const std::string& what) { result.notes.push_back(fmt::format("line {}: {}", line, what)); }
    void say(int line, const std::string& what) { result.problems.push_back({what, line}); }

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
                say(section.line, fmt::format("repeats the run of line {}", first->second));
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

}  // namespace

Expected<Verification> verify_file(const std::filesystem::path& file, std::chrono::sys_seconds now) {
    Verifier verifier(now);
    if (const auto read = read_record(file, Reading::exhaustive, verifier); !read) return problem(read.error());
    return verifier.finish(file.filename().string());
}

Expected<Verification> verify_bytes(std::string_view bytes, const std::string& name, std::chrono::sys_seconds now) {
    Verifier verifier(now);
    const auto read = read_record_bytes(bytes, name, Reading::exhaustive, verifier);
    if (!read) return problem(read.error());
    return verifier.finish(name);
}

Expected<void> check_citation(const Verification& verification, const std::string& digits) {
    for (const auto& section : verification.sections)
        if (section.end_line > 0 && section.sha256.starts_with(digits)) return {};
    return problem("no section has the cited digest (" + digits +
                   "): this is not the cited file, or it was altered since");
}

}  // namespace tocuda
