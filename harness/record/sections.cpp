// tocuda, Apache-2.0.
// Reading a result file line by line.
#include "record/sections.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "lines/measurement_line.hpp"
#include "lines/row_line.hpp"
#include "record/digest.hpp"

namespace tocuda {
namespace {

constexpr int newest_schema = 1;

std::string at(const std::filesystem::path& file, int line, const std::string& what) {
    return file.string() + ":" + std::to_string(line) + ": " + what;
}

std::optional<std::string> why_no_file(const std::filesystem::path& file) {
    struct stat facts {};
    if (::stat(file.c_str(), &facts) != 0) return std::string(std::strerror(errno));
    if (S_ISDIR(facts.st_mode)) return "a folder, not a result file";
    if (!S_ISREG(facts.st_mode)) return "not a regular file";
    if (facts.st_size == 0) return "empty: a result file begins with a run line";
    return std::nullopt;
}

class Reader {
public:
    explicit Reader(const std::filesystem::path& file) : recording{file, {}, {}} {}

    // What is wrong with the line, or nothing.
    std::string take(const std::string& text, int line) {
        const auto kind = kind_of_line(text);
        if (!kind && in_a_section() && text.starts_with(R"({"kind":"measurement")")) {
            section_digest.add(text + "\n");
            leave_out(kind.wrong, line);
            return "";
        }
        if (!kind) return kind.wrong;
        if (*kind == "run") return begin(text);
        if (*kind != "end") section_digest.add(text + "\n");
        if (recording.sections.empty()) return "a '" + *kind + "' line before any run line";
        auto& section = recording.sections.back();
        if (section.end) return "a '" + *kind + "' line after the section's end";
        if (*kind == "end") {
            const auto end = end_line(text);
            if (end) close(section, *end, line);
            return end.wrong;
        }
        if (*kind == "measurement") {
            measured(section, text, line);
            return "";
        }
        if (*kind != "scenario") return "";  // another verb's rows, or a newer version's: kept where they are
        auto row = row_line(text);
        if (row) section.rows.push_back({line, text, std::move(*row.value)});
        return row.wrong;
    }

    Recording recording;

private:
    // The checksum shows damage and careless edits; what it covers is still read.
    void close(Section& section, const EndLine& end, int line) {
        section.end = end;
        if (end.sha256 != section_digest.hex())
            recording.warnings.push_back(at(recording.file, line, "the checksum does not match: the section was altered or damaged"));
    }

    void measured(Section& section, const std::string& text, int line) {
        auto row = measurement_line(text);
        if (row) section.measurements.push_back({line, text, std::move(*row.value)});
        else leave_out(row.wrong, line);
    }

    bool in_a_section() const { return !recording.sections.empty() && !recording.sections.back().end; }

    void leave_out(const std::string& wrong, int line) { recording.warnings.push_back(at(recording.file, line, wrong + "; the row is left out")); }

    std::string begin(const std::string& text) {
        auto run = run_line(text);
        if (!run) return run.wrong;
        if (run->schema > newest_schema)
            recording.warnings.push_back(recording.file.string() + ": schema " + std::to_string(run->schema) +
                                         " is newer than this program knows; read as far as it is understood");
        recording.sections.push_back({std::move(*run.value), {}, {}, std::nullopt});
        section_digest = Digest();
        section_digest.add(text + "\n");
        return "";
    }

    Digest section_digest;
};

}  // namespace

std::variant<Recording, Unreadable> read_recording(const std::filesystem::path& file) {
    if (const auto why = why_no_file(file)) return Unreadable{file.string() + ": " + *why};
    std::ifstream in(file, std::ios::binary);
    Reader reader(file);
    int line = 0;
    for (std::string text; std::getline(in, text);) {
        ++line;
        const bool torn = in.eof();  // no newline at its end: it may read well and was yet never finished
        if (torn && !reader.recording.sections.empty()) {
            reader.recording.warnings.push_back(at(file, line, "the last line is torn"));
            continue;
        }
        const auto wrong = torn ? "the run line is torn" : reader.take(text, line);
        if (!wrong.empty()) return Unreadable{at(file, line, wrong)};
    }
    for (const auto& section : reader.recording.sections)
        if (!section.end)
            reader.recording.warnings.push_back(file.string() + ": the section of run " + section.run.run.substr(0, 8) +
                                                " has no end line: it is partial");
    return std::move(reader.recording);
}

}  // namespace tocuda
