// tocuda, Apache-2.0.
#include "printing/doctor_table.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "doctor/deep.hpp"
#include "json_lines/visible.hpp"

namespace tocuda {
namespace {

using doctor::Finding;
using doctor::State;

constexpr std::size_t evidence_column = 10;
constexpr auto hidden = "not reached";

std::string headline_of(const DoctorReport& report) {
    if (!report.pasted.empty()) return "Judged by what was pasted: " + report.pasted;
    if (const auto* cause = cause_of(report.findings))
        return (cause->check == doctor::peers_check ? "GPUs not usable together: "
                : cause->of_one_gpu                 ? report.gpus + " usable: "
                                                    : "GPU not usable: ") +
               cause->evidence;
    return report.usable ? "GPU usable: " + report.gpus : "GPU: nothing could be told";
}

std::string line_of(State state, const std::string& text, const Paper& paper) {
    const std::string shown = state == State::fault ? "FAULT" : word(state);
    const auto dyed = state == State::fault     ? paper.alarming(shown)
                      : state == State::warning ? paper.strong(shown)
                                                : paper.faint(shown);
    return " " + pad(dyed, evidence_column - 1) +
           wrap(visible(text), evidence_column, evidence_column, paper.columns()) + "\n";
}

// What a fault hides stands in one line, after everything that was seen.
std::string lines_of(const std::vector<Finding>& findings, const Paper& paper) {
    std::string text, not_reached;
    for (const auto& one : findings) {
        if (one.state == State::unknown && one.evidence == hidden)
            not_reached += (not_reached.empty() ? "" : ", ") + one.check;
        else text += line_of(one.state, one.check + ": " + one.evidence, paper);
    }
    if (!not_reached.empty()) text += line_of(State::unknown, not_reached + ": " + hidden, paper);
    return text;
}

// Whether it is to be typed or pasted, and not a sentence: it begins with a program, an assignment or code.
bool is_command(std::string_view text) {
    constexpr auto programs = std::to_array<std::string_view>(
        {"sudo",   "pip",      "python",     "python3",  "docker",  "podman",   "conda", "uv",    "wsl",     "kubectl",
         "tocuda", "vllm",     "cmake",      "torchrun", "trtexec", "ldconfig", "lspci", "lsmod", "modinfo", "mokutil",
         "nvcc",   "dkms",     "dpkg",       "ibstat",   "ip",      "ss",       "sacct", "srun",  "sbatch",  "sinfo",
         "ulimit", "unset",    "export",     "echo",     "printf",  "env",      "grep",  "find",  "findmnt", "strings",
         "ldd",    "loginctl", "journalctl", "wget",     "uname",   "tail",     "which", "cat",   "df",      "ln"});
    const auto end = std::min(text.find(' '), text.size());
    const auto first = text.substr(0, end);
    const auto rest = text.substr(std::min(end + 1, text.size()));
    return std::ranges::count(programs, first) > 0 || first.find_first_of("=/.($\"'-") != std::string_view::npos ||
           rest.starts_with('-') || rest.starts_with('/');
}

// A command stands in one line, however long that is, so that it can be copied; what is said of it is wrapped.
std::string step(const char* word, const std::string& remedy, const Paper& paper) {
    constexpr std::size_t indent = 6;
    const auto shown = visible(remedy);
    const auto command = shown.substr(0, shown.find("   "));
    auto text = pad(word, indent);
    if (!is_command(command)) return text + wrap(shown, indent, indent, paper.columns()) + "\n";
    text += command;
    const auto note = std::string_view(shown).substr(command.size());
    if (note.empty()) return text + "\n";
    const auto column = indent + columns_of(command) + 1;
    const bool fits = column + columns_of(note.substr(note.find_first_not_of(' '))) <= paper.columns();
    text += fits ? " " : "\n" + std::string(indent, ' ');
    return text + wrap(note, fits ? column : indent, indent, paper.columns()) + "\n";
}

// What a remedy changes beyond the command itself.
std::string mark_of(doctor::Scope reach) {
    switch (reach) {
        case doctor::Scope::environment:
        case doctor::Scope::machine:
            return fmt::format("   [changes {}]", word(reach));
        case doctor::Scope::others:
            return "   [may end other people's work]";
        default:
            return "";
    }
}

std::string remedies(const std::vector<Finding>& findings, const Paper& paper) {
    std::string text;
    std::set<std::string> told{""};
    for (const auto wanted : {State::fault, State::warning})
        for (const auto& finding : findings)
            if (finding.state == wanted && told.insert(finding.remedy).second)
                text += step(text.empty() ? (wanted == State::fault ? "Do:" : "Note:")
                                          : (wanted == State::fault ? "Then:" : "Note:"),
                             finding.remedy + mark_of(finding.reach), paper);
    return text;
}

}  // namespace

std::string doctor_table(const DoctorReport& report, const Paper& paper) {
    auto text = paper.strong(wrap(visible(headline_of(report)), 0, 4, paper.columns())) + "\n";
    text += lines_of(report.findings, paper);
    text += remedies(report.findings, paper);
    if (report.libtorch)
        text += wrap(fmt::format("x.to('cuda') says here: \"{}\" (claims {})", report.libtorch->text,
                                 fmt::join(report.libtorch->claims, ", ")),
                     0, 4, paper.columns()) +
                "\n";
    return text;
}

std::string explanation_text(const doctor::Explanation& explanation, const Paper& paper) {
    const auto columns = paper.columns();
    auto text = paper.strong(wrap(explanation.error, 0, 4, columns)) + "\n";
    text += wrap(fmt::format("line {}: {}", explanation.line, visible(explanation.quoted)), 0, 4, columns) + "\n";
    text += wrap(explanation.meaning, 0, 0, columns) + "\n";
    if (!explanation.certain)
        text += wrap("This is what it usually is; the text does not prove it.", 0, 0, columns) + "\n";
    for (const auto& sentence : explanation.arithmetic) text += wrap("  " + sentence, 0, 4, columns) + "\n";
    for (const auto& remedy : explanation.remedies)
        text +=
            step(&remedy == &explanation.remedies.front() ? "Do:" : "or:", remedy.what + mark_of(remedy.scope), paper);
    if (!explanation.claims.empty())
        text += fmt::format("About it: tocuda show {}\n", fmt::join(explanation.claims, " "));
    return text;
}

}  // namespace tocuda
