// tocuda, Apache-2.0.
#include "simulated/fit_program.hpp"

#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "json_lines/visible.hpp"
#include "machine/simulation_spec.hpp"
#include "process/foreground.hpp"
#include "simulated/replaying.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {
namespace {

namespace filesystem = std::filesystem;

constexpr const char* said_to = "TOCUDA_FIT_SAID";  // the file for what a silent program writes to stderr
constexpr const char* reads = "TOCUDA_FIT_READS";   // the file that a silent program reads as stdin

// NAME and NAME.<process>, of those that were written since.
std::vector<std::string> recordings_at(const filesystem::path& name, filesystem::file_time_type since) {
    std::vector<std::string> files;
    const auto is_number = [](const std::string& text) {
        return text.size() > 1 && text.find_first_not_of("0123456789", 1) == std::string::npos;
    };
    for (const auto& entry : filesystem::directory_iterator(filesystem::absolute(name).parent_path())) {
        const auto file = entry.path().filename().string(), first = name.filename().string();
        const bool is_ours = file == first || (file.starts_with(first + ".") && is_number(file.substr(first.size())));
        if (is_ours && entry.last_write_time() >= since) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

bool holds_out_of_memory(const std::string& recording) {
    std::ifstream lines(recording);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(R"({"action":"oom")")) return true;
    return false;
}

// Of a traceback this is the exception.
std::string last_line_of(const filesystem::path& file) {
    std::ifstream lines(file);
    std::string last;
    for (std::string line; std::getline(lines, line);)
        if (line.find_first_not_of(' ') != std::string::npos) last = std::move(line);
    return visible(last);
}

// A file can be read again by each run; a pipe or a terminal cannot.
bool stdin_is_a_file() {
    struct stat its{};
    return fstat(STDIN_FILENO, &its) == 0 && S_ISREG(its.st_mode);
}

// What comes from a pipe is gone after the first run.
bool stdin_is_used_up() {
    struct stat its{};
    return fstat(STDIN_FILENO, &its) == 0 && (S_ISFIFO(its.st_mode) || S_ISSOCK(its.st_mode));
}

void complain_of_silent(const std::string& last) {
    const bool wanted_input = stdin_is_used_up() || (last.find("EOF") != std::string::npos && !stdin_is_a_file());
    complain("tocuda: fit: the silent program ended with: " + last +
             (wanted_input ? " (each further run reads stdin only if it is a file: < FILE)" : ""));
}

}  // namespace

std::string ended_words(int code) {
    if (code == code_after_limit) return "did not end in time";
    if (code <= 128 || code > 128 + SIGRTMAX) return fmt::format("ended with {}", code);
    const auto* const name = ::sigabbrev_np(code - 128);
    return fmt::format("was ended by signal {} (SIG{}{})", code - 128, name ? name : "RT",
                       code == 128 + SIGKILL ? "; was this machine short of memory?" : "");
}

SimulatedMachine with_memory(SimulatedMachine machine, std::int64_t bytes) {
    for (auto& gpu : machine.gpus) {
        gpu.memory_bytes = bytes;
        gpu.occupied_bytes = gpu.reclaimable_bytes = gpu.spill_bytes = gpu.memory_limit_bytes = 0;
    }
    return machine;
}

Words silenced(const Words& command) {
    Words words{"/bin/sh", "-c", R"(exec "$@" <"$TOCUDA_FIT_READS" >/dev/null 2>"$TOCUDA_FIT_SAID")", "sh"};
    words.insert(words.end(), command.begin(), command.end());
    return words;
}

OrExit<FitRun> FitProgram::run_with_plenty(const SimulatedMachine& machine) {
    using std::chrono::steady_clock;
    const auto began = steady_clock::now();
    auto ran = shown ? run(with_memory(machine, memory_most), silenced(asked.command))
                     : run(with_memory(machine, memory_most), asked.command, asked.record);
    shown = true;
    constexpr int times = 10;
    constexpr std::chrono::seconds at_least{60};
    if (!limit) limit = at_least + times * std::chrono::ceil<std::chrono::seconds>(steady_clock::now() - began);
    return ran;
}

OrExit<FitRun> FitProgram::run_again(const SimulatedMachine& machine, std::int64_t bytes) const {
    complain(fmt::format("tocuda: fit: running it again, silently, with {} MiB", bytes >> 20));
    return run(with_memory(machine, bytes), silenced(asked.command));
}

OrExit<FitOwnRun> FitProgram::run_on(FitTarget target, const Words& command) const {
    for (auto& gpu : target.machine.gpus)
        if (gpu.context_bytes == 0) gpu.context_bytes = asked.outside.value_or(memory_outside_libtorch);
    complain(fmt::format("tocuda: fit: running it again, silently, on {} with its own memory", target.name));
    const auto ran = run(target.machine, silenced(command));
    if (!ran) return tl::unexpected(ran.error());
    FitOwnRun own{ran->survived(), ran->ran_out_of_memory, ran->end.code, memory_most};
    for (std::size_t i = 0; i < target.machine.gpus.size(); ++i) {
        const auto& gpu = target.machine.gpus[i];
        const auto taken = static_cast<std::int64_t>(ran->end.counts.gpus.at(i).peak_reserved_bytes);
        own.left_bytes = std::min(own.left_bytes, gpu.memory_bytes - gpu.occupied_bytes - gpu.context_bytes - taken);
    }
    return own;
}

OrExit<FitRun> FitProgram::run(const SimulatedMachine& machine, const Words& command, const std::string& record) const {
    const auto recordings = folder.path() / "recordings";
    filesystem::remove_all(recordings);
    filesystem::create_directory(recordings);
    const auto name = record.empty() ? recordings / "memory" : filesystem::absolute(record);
    filesystem::remove(name);  // a recording goes to a new file
    std::ofstream(recordings / "began") << std::flush;
    const auto began = filesystem::last_write_time(recordings / "began");
    auto roomy = machine;
    if (!asked.computes) roomy.host_memory_bytes = memory_most * simulated_gpus_most;  // nothing touches it
    SimulatedProgram program{.command = command, .computes = asked.computes, .limit = limit, .record = name};
    const auto said = folder.path() / "said";
    filesystem::remove(said);
    program.changes[said_to] = said.string();
    program.changes[reads] = stdin_is_a_file() ? fmt::format("/proc/{}/fd/0", getpid()) : "/dev/null";
    if (asked.steps > 0) program.changes["TOCUDA_STEPS"] = std::to_string(asked.steps);
    auto end = run_simulated(folder.path(), roomy, program);
    if (!end) return tl::unexpected(end.error());
    say_what_was_recorded("tocuda: fit: ", record);
    if (limit && end->code == code_after_limit)
        complain(fmt::format("tocuda: fit: killed after {} s, which is far longer than the first run", limit->count()));
    if (end->stopped_by != 0) return refuse(128 + end->stopped_by, "stopped");
    if (end->counts.recordings_cut > 0)
        return refuse(nothing_done, "fit: what the allocator did could not be recorded whole: is the disk of " +
                                        folder.path().string() + " full? Set TMPDIR to a folder on another one");
    FitRun ran{*std::move(end), recordings_at(name, began)};
    ran.ran_out_of_memory = std::ranges::any_of(ran.recordings, holds_out_of_memory);
    if (const auto last = last_line_of(said); ran.end.code != 0 && !ran.ran_out_of_memory && !last.empty())
        complain_of_silent(last);
    return ran;
}

}  // namespace tocuda
