// tocuda, Apache-2.0.
#include "request/catalogue.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "engine/engine.hpp"
#include "json_lines/worker_lines.hpp"
#include "record/digest.hpp"

namespace tocuda {
namespace {

namespace filesystem = std::filesystem;
constexpr std::string_view description_suffix = ".describe.jsonl";
constexpr std::string_view left_out_suffix = ".left_out";
// Suffixes of other builds of a worker, which are not workers of their own: one computes on the CPU, one is not linked
// to LibTorch's CUDA library.
constexpr auto on_the_cpu = "-simulated";
constexpr std::array<std::string_view, 2> other_builds{on_the_cpu, "-without-cuda"};
constexpr double describe_seconds = 60;

// Reads a description into `worker`; sets `trouble` if something is wrong with it.
void read_description(std::istream& lines, Worker& worker) {
    int number = 0;
    bool introduced = false;
    for (std::string text; std::getline(lines, text);) {
        ++number;
        auto line = describe_line(text);
        if (!line) {
            worker.trouble = fmt::format("has an invalid description: line {}: {}", number, line.error().what);
            return;
        }
        if (const auto* head = std::get_if<WorkerLine>(&*line)) {
            introduced = true;
            worker.built_with = head->built_with;
            if (head->protocol != worker_protocol)
                worker.trouble =
                    fmt::format("speaks protocol {}; this tocuda speaks protocol {}", head->protocol, worker_protocol);
        } else if (auto* scenario = std::get_if<Scenario>(&*line)) {
            worker.scenarios.push_back(std::move(*scenario));
        } else if (std::get<UnknownLine>(*line).kind == "benchmark") {
            auto benchmark = benchmark_line(text);
            if (benchmark) worker.benchmarks.push_back(*std::move(benchmark));
            else
                worker.trouble = fmt::format("has an invalid description: line {}: {}", number, benchmark.error().what);
        }
        if (!worker.trouble.empty()) return;
    }
    if (!introduced) worker.trouble = "has an invalid description: it does not begin with its protocol";
}

std::string ask_for_description(Worker& worker, bool quiet) {
    const auto [said, ended] =
        ask({worker.program.string(), "describe"}, describe_seconds,
            quiet ? "" : "waiting for " + worker.name + " to describe itself", worker.environment);
    if (!ended.outcome.normal()) worker.trouble = "cannot describe itself: " + describe_end(ended.outcome);
    else if (!ended.torn.empty()) worker.trouble = "cannot describe itself: half a line on descriptor 3";
    return said;
}

void keep_description(const filesystem::path& path, const std::string& text) {
    const auto fresh = fmt::format("{}.new{}", path.string(), ::getpid());
    {
        std::ofstream out(fresh, std::ios::binary);
        if (!(out << text)) return;  // the folder is not writable: the next start asks the worker again
    }
    std::error_code ignored;
    filesystem::rename(fresh, path, ignored);
}

// Whether the program still is the one whose digest was installed beside it: copies of a tree have times of their own.
bool is_as_installed(const filesystem::path& program) {
    std::ifstream recorded(program.string() + ".sha256");
    std::string hex;
    if (!(recorded >> hex)) return false;
    std::ifstream file(program, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return sha256_of(bytes.view()) == hex;
}

bool is_current(const filesystem::path& description, const filesystem::path& program) {
    std::error_code error;
    const auto described = filesystem::last_write_time(description, error);
    if (error) return false;
    const auto built = filesystem::last_write_time(program, error);
    return error || described >= built || is_as_installed(program);
}

Worker load_worker(const filesystem::path& program, const Environment& environment, bool quiet) {
    Worker worker{.name = program.filename().string(), .program = program, .environment = environment};
    const filesystem::path description = program.string() + std::string(description_suffix);
    const bool there = filesystem::exists(program);
    const bool executable = there && ::access(program.c_str(), X_OK) == 0;
    const auto read_last_description = [&] {
        std::ifstream lines(description);
        if (lines) read_description(lines, worker);
    };
    if (is_current(description, program) || !executable) {
        read_last_description();
        if (!there) worker.trouble = "is missing: " + program.string();
        else if (!executable) worker.trouble = "cannot be executed: " + program.string();
        return worker;
    }
    std::istringstream said(ask_for_description(worker, quiet));
    if (!worker.trouble.empty()) {
        const auto trouble = std::exchange(worker.trouble, "");
        read_last_description();  // so that its rows are broken rather than missing
        worker.trouble = trouble;
        return worker;
    }
    read_description(said, worker);
    if (worker.trouble.empty()) keep_description(description, said.str());
    return worker;
}

constexpr double find_seconds = 30;

// What scripts/set_up/installed_torch.py, which is installed beside the workers, prints.
struct TorchFound {
    std::string folder_or_reason{};
    std::string version{};
    std::string python{};
    std::string runtime{};  // the folder of the CUDA runtime that came with it
};

TorchFound ask_python(const std::string& python, const std::string& needed, const filesystem::path& folder,
                      bool quiet) {
    // Redirected to descriptor 3, on which the lines of every child are read.
    const auto answer = ask({"/bin/sh", "-c", "exec \"$0\" \"$@\" >&3", python, folder / "installed_torch.py", needed},
                            find_seconds, quiet ? "" : "waiting for " + python + " to find torch");
    if (answer.said.empty()) return {"it does not start"};
    std::istringstream lines(answer.said);
    TorchFound found;
    for (auto* line : {&found.folder_or_reason, &found.version, &found.python, &found.runtime})
        std::getline(lines, *line);
    if (found.folder_or_reason.empty()) found.folder_or_reason = "torch is not installed";
    return found;
}

// Returns the version that the workers of an installed tree were built for, "2.15". Empty for a build folder, whose
// workers know the path of their LibTorch.
std::string libtorch_needed_by(const filesystem::path& folder) {
    std::ifstream file(folder / "libtorch_version");
    std::string version;
    file >> version;
    return version;
}

struct FoundLibTorch {
    std::string version{};      // "2.15.0"
    Environment environment{};  // what workers that use it are started with
};

// The LibTorch of $TOCUDA_PYTHON, otherwise of python3. A problem says what is needed, what was found, and what to do.
Expected<FoundLibTorch> libtorch_of_python(const std::string& needed, const filesystem::path& folder, bool quiet) {
    const char* named = std::getenv("TOCUDA_PYTHON");
    const std::string python = named && *named ? named : "python3";
    const auto found = ask_python(python, needed, folder, quiet);
    if (found.version.empty())
        return problem("needs torch " + needed + "; " + python + ": " + found.folder_or_reason +
                       "; set TOCUDA_PYTHON to a Python with torch " + needed);
    auto libraries = found.folder_or_reason + "/lib:" + found.runtime;
    if (const char* more = std::getenv("LD_LIBRARY_PATH"); more && *more) libraries += std::string(":") + more;
    return FoundLibTorch{
        found.version,
        {{"LD_LIBRARY_PATH", libraries}, {"TOCUDA_PYTHON", found.python}, {"TOCUDA_TORCH", found.folder_or_reason}}};
}

// Returns tocuda-NAME without the suffix of a description; empty for any other name.
std::string worker_name(std::string name) {
    if (!name.starts_with("tocuda-")) return "";
    if (name.ends_with(description_suffix)) name.resize(name.size() - description_suffix.size());
    for (const auto suffix : other_builds)
        if (name.ends_with(suffix)) return "";
    return name.find('.') == std::string::npos ? name : "";
}

// Returns why a worker was not built; empty if it was.
std::string why_left_out(const filesystem::path& program) {
    std::ifstream file(program.string() + std::string(left_out_suffix));
    std::string why;
    if (!filesystem::exists(program)) std::getline(file, why);
    return why;
}

// An installed tree has its LibTorch from Python; what that is decides whether its workers can be used.
void load_workers(const filesystem::path& folder, const std::set<std::string>& names, bool quiet,
                  Catalogue& catalogue) {
    const auto needed = libtorch_needed_by(folder);
    const auto libtorch = needed.empty() ? FoundLibTorch{} : libtorch_of_python(needed, folder, quiet);
    for (const auto& name : names) {
        auto worker = load_worker(folder / name, libtorch ? libtorch->environment : Environment{}, quiet);
        if (const auto version = worker.built_with.find("libtorch");
            !needed.empty() && version != worker.built_with.end()) {
            if (libtorch) {
                version->second = libtorch->version;
            } else {
                worker.unmet = libtorch.error().what;
                worker.trouble.clear();  // it cannot even describe itself without
            }
        }
        if (const auto why = why_left_out(folder / name); !why.empty()) {
            worker.unmet = why;
            worker.trouble.clear();  // that it is missing
        }
        catalogue.workers.push_back(std::move(worker));
    }
}

void load_folder(const filesystem::path& folder, bool quiet, Catalogue& catalogue) {
    std::set<std::string> names;
    std::error_code error;
    for (const auto& entry : filesystem::directory_iterator(folder, error)) {
        const auto name = entry.path().filename().string();
        if (name.starts_with("tocuda-") && name.ends_with(left_out_suffix)) {
            const auto program = name.substr(0, name.size() - left_out_suffix.size());
            const auto why = why_left_out(folder / program);
            if (!why.empty() && !filesystem::exists(folder / (program + std::string(description_suffix))))
                catalogue.left_out.push_back(program + ": " + why);
        } else if (!worker_name(name).empty() && !entry.is_directory()) {
            names.insert(worker_name(name));
        }
    }
    load_workers(folder, names, quiet, catalogue);
}

}  // namespace

const Scenario* Catalogue::find(const std::string& name) const {
    for (const auto& worker : workers)
        for (const auto& scenario : worker.scenarios)
            if (scenario.name == name) return &scenario;
    return nullptr;
}

std::string program_of(const Worker& worker, bool simulated) {
    const auto other = worker.program.string() + on_the_cpu;
    return simulated && filesystem::exists(other) ? other : worker.program.string();
}

std::map<std::string, std::string> statements_of(const Catalogue& catalogue) {
    std::map<std::string, std::string> statements;
    for (const auto& worker : catalogue.workers)
        for (const auto& scenario : worker.scenarios)
            for (const auto& claim : scenario.claims) statements.emplace(claim.id, claim.statement);
    return statements;
}

std::vector<filesystem::path> worker_folders() {
    const char* named = std::getenv("TOCUDA_WORKERS");
    if (!named || !*named) return {program_folder()};
    std::vector<filesystem::path> folders;
    std::istringstream list(named);
    for (std::string folder; std::getline(list, folder, ':');) folders.emplace_back(folder);
    return folders;
}

Catalogue load_catalogue(const std::vector<filesystem::path>& folders, bool quiet) {
    Catalogue catalogue;
    for (const auto& folder : folders) load_folder(folder, quiet, catalogue);
    return catalogue;
}

}  // namespace tocuda
