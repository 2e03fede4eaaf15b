// tocuda, Apache-2.0.
#include "command/driven_program_test.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "json_lines/worker_lines.hpp"
#include "terminal/paper.hpp"

namespace tocuda::driven {
namespace {

namespace filesystem = std::filesystem;

std::vector<char*> pointers_to(const Words& words) {
    std::vector<char*> pointers;
    for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

// Returns what the program needs from the environment of the tests.
Variables inherited() {
    Variables variables{{"PATH", "/usr/bin:/bin"}};
    for (const char* name : {"LD_LIBRARY_PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"})
        if (const char* value = std::getenv(name)) variables[name] = value;
    return variables;
}

constexpr auto open_for_output = O_WRONLY | O_CREAT | O_TRUNC;

}  // namespace

Place::Place() : folder(own.path()), workers(folder / "workers"), results(folder / "results/local") {
    filesystem::create_directory(workers);
    variables = inherited();
    variables["SURVIVAL_MARK"] = folder;
    variables["TOCUDA_WORKERS"] = workers;
    variables["XDG_STATE_HOME"] = folder / "state";
}

void Place::add_faulty() const {
    filesystem::create_symlink(tests_folder() / "faulty_workers/tocuda-faulty", workers / "tocuda-faulty");
}

void Place::add_fake_bench() const {
    filesystem::create_symlink(tests_folder() / "fake_bench/tocuda-fake", workers / "tocuda-fake");
}

filesystem::path Place::add_worker(const std::string& name, const std::string& script) const {
    write(workers / name, script);
    filesystem::permissions(workers / name, filesystem::perms::owner_all);
    return workers / name;
}

void Place::describe(const std::string& name, const std::vector<Scenario>& scenarios) const {
    auto text = to_line(WorkerLine{}) + "\n";
    for (const auto& scenario : scenarios) text += to_line(scenario) + "\n";
    write(workers / (name + ".describe.jsonl"), text);
}

Finished Place::run(const Words& words, const Variables& more) const { return start(*this, words, more).wait(); }

std::vector<filesystem::path> Place::files() const {
    std::vector<filesystem::path> found;
    std::error_code error;
    for (const auto& entry : filesystem::directory_iterator(results, error)) found.push_back(entry.path());
    return found;
}

Recording Place::recording() const {
    const auto found = files();
    if (found.size() != 1) throw std::runtime_error("expected one result file, found " + std::to_string(found.size()));
    auto read = read_recording(found[0]);
    if (!read) throw std::runtime_error(read.error().what);
    return *std::move(read);
}

// Finds children by their environment; guardians, which lack it, by the worker in their command line.
std::vector<std::string> Place::processes() const {
    std::vector<std::string> found;
    for (const auto& entry : filesystem::directory_iterator("/proc")) {
        const auto name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos || name == std::to_string(::getpid())) continue;
        auto command = text_of(entry.path() / "cmdline");
        std::replace(command.begin(), command.end(), '\0', ' ');
        if (command.find(folder) == std::string::npos &&
            text_of(entry.path() / "environ").find("SURVIVAL_MARK=" + folder.string()) == std::string::npos)
            continue;
        found.push_back(name + " " + command);
    }
    return found;
}

bool Place::nothing_runs() const {
    return until([&] { return processes().empty(); });
}

Started::Started(const std::string& program, const Words& words, const Place& place, const Variables& more,
                 int terminal) {
    static int count = 0;
    const auto number = std::to_string(++count);
    out = place.folder / ("out" + number);
    err = place.folder / ("err" + number);
    auto variables = place.variables;
    for (const auto& [name, value] : more) variables[name] = value;
    Words environment;
    for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);
    Words command{program};
    command.insert(command.end(), words.begin(), words.end());

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, place.folder.c_str());
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), open_for_output, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), open_for_output, 0600);
    if (terminal >= 0)
        for (const int descriptor : {1, 2}) posix_spawn_file_actions_adddup2(&actions, terminal, descriptor);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int problem = ::posix_spawn(&process, program.c_str(), &actions, &attributes, pointers_to(command).data(),
                                      pointers_to(environment).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (problem != 0) throw std::runtime_error(program + " cannot be started");
}

Started::~Started() {
    if (process < 0) return;
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
}

void Started::signal(int number) const { ::kill(process, number); }
void Started::signal_group(int number) const { ::kill(-process, number); }

Finished Started::wait() {
    int status = 0;
    rusage usage{};
    while (::wait4(process, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    process = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0, text_of(out),
            text_of(err), usage.ru_maxrss};
}

filesystem::path tests_folder() { return filesystem::read_symlink("/proc/self/exe").parent_path(); }
std::string tocuda() { return tests_folder().parent_path() / "tocuda"; }
Started start(const Place& place, const Words& words, const Variables& more) {
    return Started(tocuda(), words, place, more);
}

bool until(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (; std::chrono::steady_clock::now() < end; ::usleep(10'000))
        if (holds()) return true;
    return false;
}

std::string text_of(const filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();  // a file that vanishes meanwhile (a process under /proc) keeps what was read
    return std::move(text).str();
}

void write(const filesystem::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

std::size_t lines_in(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::size_t widest_line(const std::string& text) {
    std::size_t widest = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size());
        widest = std::max(widest, columns_of(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return widest;
}

Scenario simple_scenario(const std::string& name) {
    return {.name = name,
            .summary = "is simple",
            .claims = {{"901-01", "simple things work"}},
            .variants = {{.name = "default", .expected = {{"901-01", Verdict::reproduced}}}}};
}

std::string worker_script(const std::vector<Scenario>& scenarios, const std::string& observe,
                          const std::string& judge) {
    auto description = to_line(WorkerLine{}) + "\n";
    for (const auto& scenario : scenarios) description += to_line(scenario) + "\n";
    return "#!/bin/sh\n"
           "see() { printf '{\"kind\":\"seen\",\"key\":\"%s\",\"value\":\"%s\"}\\n' \"$1\" \"$2\" >&3; }\n"
           "rule() { printf "
           "'{\"kind\":\"ruling\",\"name\":\"%s\",\"variant\":\"default\",\"claim\":\"901-01\",\"verdict\":\"%s\","
           "\"because\":\"so\"}\\n'"
           " \"$name\" \"$1\" >&3; }\n"
           "case \"$1\" in\n"
           "describe) cat >&3 <<'END'\n" +
           description +
           "END\n;;\n"
           "observe) " +
           observe +
           "\necho '{\"kind\":\"done\",\"device\":\"none\",\"stand_in\":[]}' >&3 ;;\n"
           "judge) while read -r row; do name=${row#*'\"name\":\"'}; name=${name%%'\"'*}\n" +
           judge +
           "\ndone ;;\n"
           "esac\n";
}

const Row* find_row(const Recording& recording, const std::string& name) {
    for (const auto& section : recording.sections)
        for (const auto& row : section.rows)
            if (row.row.name == name) return &row.row;
    return nullptr;
}

}  // namespace tocuda::driven
