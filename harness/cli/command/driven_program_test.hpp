// tocuda, Apache-2.0.
// For tests of the whole program: starts tocuda in a temporary folder with workers, and collects what it leaves.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/folder_test.hpp"
#include "model/scenario.hpp"
#include "record/sections.hpp"

namespace tocuda::driven {

using Words = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

struct Finished {
    int code = -1;   // exit code, -1 on a signal
    int signal = 0;  // that killed it
    std::string out;
    std::string err;
    long peak_kib = 0;
};

// A folder in which tocuda runs. Everything started from it carries a mark by which it can be found.
class Place {
    TestFolder own;

public:
    Place();

    std::filesystem::path folder;
    std::filesystem::path workers;
    std::filesystem::path results;  // where tocuda puts its files by default
    Variables variables;            // for every start

    void add_faulty() const;      // the worker of process/tests/faulty_worker.cpp
    void add_fake_bench() const;  // the worker of command/tests/fake_bench_worker.cpp
    std::filesystem::path add_worker(const std::string& name, const std::string& script) const;
    void describe(const std::string& name, const std::vector<Scenario>& scenarios) const;  // newer than the worker

    Finished run(const Words& words, const Variables& more = {}) const;
    std::vector<std::filesystem::path> files() const;  // the result files
    Recording recording() const;                       // the contents of the only result file
    std::vector<std::string> processes() const;        // the command lines of what is still running
    bool nothing_runs() const;                         // waits for guardians to notice that tocuda has ended
};

// A running program; killed if the test ends first.
class Started {
public:
    Started(const std::string& program, const Words& words, const Place& place, const Variables& more,
            int terminal = -1);
    ~Started();
    Started(const Started&) = delete;
    Started& operator=(const Started&) = delete;

    void signal(int number) const;
    void signal_group(int number) const;  // as a terminal does
    Finished wait();

private:
    std::filesystem::path out;
    std::filesystem::path err;
    pid_t process = -1;
};

std::filesystem::path tests_folder();
std::string tocuda();
Started start(const Place& place, const Words& words, const Variables& more = {});

// Polls until it holds or 30 s have passed.
bool until(const std::function<bool()>& holds);

std::string text_of(const std::filesystem::path& file);
void write(const std::filesystem::path& file, const std::string& text);
std::size_t lines_in(const std::string& text);
std::size_t widest_line(const std::string& text);

// A scenario with one variant and one claim, 901-01, expected to be reproduced.
Scenario simple_scenario(const std::string& name);
// Returns the shell script of a worker with these scenarios, which observes by `observe` ($2: the scenario) and judges
// by `judge` (with $row and $name set). By default it works.
std::string worker_script(const std::vector<Scenario>& scenarios, const std::string& observe = "",
                          const std::string& judge = "rule reproduced");

const Row* find_row(const Recording& recording, const std::string& name);

}  // namespace tocuda::driven
