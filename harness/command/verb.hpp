// tocuda, Apache-2.0.
// A verb of the command line: its name, its line in `tocuda --help`, and the function that runs it.
#pragma once

#include <string>
#include <vector>

namespace tocuda {

using Words = std::vector<std::string>;

struct Verb {
    const char* name;
    const char* summary;
    int (*run)(const Words& words);
};

// Documented in the README.
enum ExitCode : int {
    as_expected = 0,
    finding = 1,
    usage = 2,
    undecided = 3,
    nothing_done = 4,
    stopped_early = 5,
};

int list_verb(const Words& words);
int show_verb(const Words& words);
int run_verb(const Words& words);
int bench_verb(const Words& words);
int judge_verb(const Words& words);
int compare_verb(const Words& words);
int cite_verb(const Words& words);
int reproduce_verb(const Words& words);
int verify_verb(const Words& words);
int merge_verb(const Words& words);
int simulation_verb(const Words& words);  // for developers; not listed in the help

}  // namespace tocuda
