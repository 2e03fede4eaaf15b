// tocuda, Apache-2.0.
// `tocuda doctor`: tells why the GPU cannot be used here, most likely cause first, each with its remedy.
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>

#include "command/doctor_deep.hpp"
#include "doctor/diagnose.hpp"
#include "doctor/gather_machine.hpp"
#include "doctor/message/message.hpp"
#include "doctor/process.hpp"
#include "doctor/python/install.hpp"
#include "engine/engine.hpp"
#include "json_lines/doctor_document.hpp"
#include "machine/simulation_spec.hpp"
#include "model/problem.hpp"
#include "printing/doctor_table.hpp"
#include "process/clean_environment.hpp"
#include "terminal/arguments.hpp"
#include "terminal/complaint.hpp"
#include "terminal/paper.hpp"

namespace tocuda {
namespace {

struct Consultation {
    std::string python{};
    std::string message{};
    int process = 0;
    bool deep = false;
    DeepRequest how{};
    bool json = false;
};

doctor::Variables as_variables(const Environment& environment) {
    doctor::Variables variables;
    for (const auto& [name, value] : environment)
        if (value) variables[name] = *value;
    return variables;
}

// The driver is asked in another process, in the environment of the program that the user asks about.
void ask_driver(doctor::Seen& seen, const std::string& simulation) {
    Environment environment;
    for (const auto& [name, value] : environment_of_this_process()) environment[name] = std::nullopt;
    Environment visible;  // simulated GPUs are hidden by it, too
    for (const auto& [name, value] : seen.variables) {
        environment[name] = value;
        if (name == "CUDA_VISIBLE_DEVICES" || name == "CUDA_DEVICE_ORDER") visible[name] = value;
    }
    const auto [said, ended] = ask({.command = {"/proc/self/exe", "__probe", "health"},
                                    .simulation = simulation,
                                    .base = std::move(environment),
                                    .variables = std::move(visible),
                                    .seconds = probe_seconds},
                                   "asking the driver about its GPUs (1 to 3 s for each that nothing keeps awake)");
    seen.probe = probe_report_of(said);
    if (!seen.probe.finished) seen.probe_ended = describe_end(ended.outcome);
}

// 90 for "9.0"
std::optional<int> capability_number(const Gpu& gpu) {
    const auto text = gpu.compute_capability.value_or("");
    int major = 0, minor = 0;
    const auto* const end = text.data() + text.size();
    const auto [dot, wrong] = std::from_chars(text.data(), end, major);
    if (wrong != std::errc{} || dot == end || std::from_chars(dot + 1, end, minor).ec != std::errc{})
        return std::nullopt;
    return 10 * major + minor;
}

doctor::GpusKnown gpus_known(const ProbeReport& probe) {
    doctor::GpusKnown known;
    if (probe.version.value_or(0) > 0) known.driver_cuda = probe.version;
    std::vector<int> capabilities;
    for (const auto& gpu : probe.gpus)
        if (const auto number = capability_number(gpu)) capabilities.push_back(*number);
    if (!capabilities.empty()) known.compute_capabilities = capabilities;
    return known;
}

// The interpreter of the worker `tocuda-python`, from its first line: "#!PATH -E".
std::string own_python() {
    std::string line;
    std::ifstream launcher(program_folder() / "tocuda-python");
    std::getline(launcher, line);
    return line.starts_with("#!") ? line.substr(2, line.find(' ') - 2) : "";
}

// The Python that is named, else the first of the usual ones that can be looked at.
doctor::PythonSeen look_at_python(const std::string& named, const doctor::Variables& variables) {
    const auto set = variables.find("TOCUDA_PYTHON");
    if (!named.empty()) return doctor::see_python(named, variables);
    if (set != variables.end() && !set->second.empty()) return doctor::see_python(set->second, variables);
    auto python = doctor::see_python("python3", variables);
    if (python.problem.empty()) return python;
    const auto own = own_python();
    auto other = own.empty() ? python : doctor::see_python(own, variables);
    return other.problem.empty() ? other : python;
}

int report(const DoctorReport& told, bool as_json) {
    const auto* cause = cause_of(told.findings);
    if (as_json)
        print_document(doctor_document(told.usable, told.findings, cause ? std::optional(cause->check) : std::nullopt));
    else fmt::print("{}", doctor_table(told, paper_for_stdout()));
    if (cause) return finding;
    return told.usable ? as_expected : nothing_done;
}

// The file of that name, standard input, or else the words are the text.
Expected<std::string> message_in(const std::string& named) {
    constexpr std::uintmax_t longest = 1U << 30U;
    if (named == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
    std::error_code wrong;
    const auto status = std::filesystem::status(named, wrong);
    if (!std::filesystem::exists(status)) {
        const bool is_text =
            named.find_first_of(" \n") != std::string::npos || named.find_first_of("./") == std::string::npos;
        if (is_text) return named;
        return problem(named + ": " + wrong.message() + "; an error text in quotes is taken as it is");
    }
    if (!std::filesystem::is_regular_file(status))
        return problem(named + ": is not a regular file; `--message -` reads standard input");
    if (std::filesystem::file_size(named, wrong) > longest) return problem(named + ": is longer than 1 GiB");
    std::ifstream in(named, std::ios::binary);
    if (!in) return problem(named + ": " + std::strerror(errno));
    return std::string(std::istreambuf_iterator<char>(in), {});
}

int report_pasted(const doctor::Pasted& pasted, bool as_json) {
    DoctorReport told{.findings = pasted.findings, .usable = !cause_of(pasted.findings)};
    told.pasted = fmt::format("{}; not seen: {}", pasted.tool, pasted.not_seen);
    return report(told, as_json);
}

// What was pasted may show no fault, and an error that is not known stand beside it all the same.
int report_beside_error(const doctor::Pasted& pasted, std::string_view text, bool as_json) {
    const auto code = report_pasted(pasted, as_json);
    const auto error = doctor::last_error_in(text);
    if (error.empty() || code != as_expected) return code;
    return complain(nothing_done, "tocuda: its error is not known: " + std::string(error));
}

int explain_message(const Consultation& asked) {
    auto read = message_in(asked.message);
    if (!read) return complain(usage, "tocuda: " + read.error().what);
    const auto text = doctor::readable(*std::move(read));
    auto explanation = doctor::explain(text);
    const auto pasted = doctor::judge_pasted(text, explanation ? explanation->error : "");
    if (!explanation && pasted) return report_beside_error(*pasted, text, asked.json);
    if (!explanation)
        if (const auto log = doctor::judge_kernel_log(text)) return report_pasted(*log, asked.json);
    if (!explanation) explanation = doctor::explain_cut(text);
    if (!explanation)
        return complain(nothing_done, "tocuda: no known error is in this text; " + doctor::what_it_looks_like(text));
    if (asked.json) print_document(explanation_document(*explanation));
    else fmt::print("{}", explanation_text(*explanation, paper_for_stdout()));
    const int code = explanation->harmless ? as_expected : finding;
    return pasted && !asked.json ? std::max(code, report_pasted(*pasted, false)) : code;
}

std::vector<doctor::Finding> deep_findings(const doctor::Seen& seen, const DeepRequest& how,
                                           const doctor::Finding* cause) {
    if (cause) return {doctor::unknown("deep", fmt::format("nothing was tried: {} has a fault", cause->check))};
    if (!seen.probe.usable()) return {doctor::unknown("deep", "nothing was tried: no GPU was found")};
    if (seen.simulated() && how.simulation.empty())
        return {doctor::unknown("deep", "nothing was tried: the driver is simulated, and --simulate is not given")};
    auto findings = not_tried(seen);
    for (auto& one : check_deep(seen, look_deep(seen, how))) findings.push_back(std::move(one));
    return findings;
}

// The machine as this process sees it, or as the process that is asked about was started.
int examine(const Consultation& asked) {
    auto variables = as_variables(environment_of_this_process());
    DoctorReport told;
    auto python = asked.python;
    if (asked.process > 0) {
        const auto process = doctor::see_process("/", asked.process);
        if (!process) return complain(usage, fmt::format("tocuda: there is no process {}", asked.process));
        told.findings = check_process(*process);
        if (process->variables) variables = *process->variables;
        const bool is_python = process->program.substr(process->program.rfind('/') + 1).starts_with("python");
        if (python.empty() && is_python) python = process->program;
    }
    const auto installed = look_at_python(python, variables);
    if (!asked.python.empty() && installed.machine.empty())
        return complain(usage, "tocuda: --python: " + installed.problem);
    auto seen = doctor::see_machine("/", std::move(variables));
    ask_driver(seen, asked.how.simulation);
    const auto add = [&](const std::vector<doctor::Finding>& more) {
        told.findings.insert(told.findings.end(), more.begin(), more.end());
    };
    auto known = gpus_known(seen.probe);
    known.none =
        seen.bus.devices > 0 && seen.bus.gpus.empty() && !seen.around.wsl && !seen.around.tegra && !seen.probe.usable();
    add(findings(installed, known));
    add(diagnose(seen));
    if (asked.deep) add(deep_findings(seen, asked.how, cause_of(told.findings)));
    told.gpus = gpus_in_words(seen);
    if (installed.torch) {
        const bool built_with_cuda = installed.torch->cuda || installed.torch->hip;
        told.libtorch = what_libtorch_says(seen, cause_of(told.findings), built_with_cuda);
    }
    const auto* const cause = cause_of(told.findings);
    told.usable = seen.probe.usable() && (!cause || cause->of_one_gpu);
    return report(told, asked.json);
}

}  // namespace

int doctor_verb(const Words& words) {
    Arguments arguments("doctor", "Tell why the GPU cannot be used here, most likely cause first.",
                        {"--python venv", "--message error.txt"});
    Consultation asked;
    arguments.option("--python", asked.python, "the Python, or the folder of an environment, to look at", "PATH");
    arguments.option("--pid", asked.process, 1, std::numeric_limits<int>::max(),
                     "look at a running process: its variables and libraries", "PID");
    arguments.option("--message", asked.message, "explain an error text, or that of a file or - (stdin)", "TEXT");
    arguments.flag("--deep", asked.deep, "also use the GPUs: first byte, dtypes, each two GPUs");
    arguments.option("--simulate", asked.how.simulation, "look at simulated GPUs instead: 2xH200, 1xFILE.json", "SPEC");
    double timeout = 0;
    arguments.option("--timeout", timeout, "with --deep: seconds for each process (default 60)", "S");
    arguments.flag("--json", asked.json, "one document on stdout");
    const bool is_text = words.size() == 1 && words.front().find(' ') != std::string::npos;
    if (is_text) return arguments.refuse("an error text is explained by --message: tocuda doctor --message TEXT");
    if (const auto code = arguments.parse(words)) return *code;
    const bool of_machine = asked.process > 0 || !asked.python.empty() || asked.deep || !asked.how.simulation.empty();
    if (!asked.message.empty() && of_machine)
        return arguments.refuse("--message excludes --deep, --pid, --python and --simulate");
    if (timeout > 0 && !asked.deep) return arguments.refuse("--timeout needs --deep");
    if (timeout > 0) asked.how.seconds = timeout;
    if (asked.process > 0 && !asked.how.simulation.empty()) return arguments.refuse("--pid excludes --simulate");
    if (const auto machine =
            asked.how.simulation.empty() ? Expected<Simulation>{} : parse_simulation(asked.how.simulation);
        !machine)
        return arguments.refuse(machine.error().what);
    return asked.message.empty() ? examine(asked) : explain_message(asked);
}

}  // namespace tocuda
