// tocuda, Apache-2.0.
// A verb of the command line: its name, its line in `tocuda --help`, and the function that runs it.
#pragma once

#include "terminal/arguments.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

struct Verb {
    const char* name;
    const char* summary;
    int (*run)(const Words& words);
    const char* group = "";  // heading above it in `tocuda --help`; empty: that of the verb before
};

int list_verb(const Words& words);
int show_verb(const Words& words);
int run_verb(const Words& words);
int bench_verb(const Words& words);
int simulate_verb(const Words& words);
int fit_verb(const Words& words);
int replay_verb(const Words& words);
int doctor_verb(const Words& words);
int judge_verb(const Words& words);
int compare_verb(const Words& words);
int report_verb(const Words& words);
int cite_verb(const Words& words);
int reproduce_verb(const Words& words);
int verify_verb(const Words& words);
int merge_verb(const Words& words);
int import_verb(const Words& words);
int completion_verb(const Words& words);
int man_verb(const Words& words);
int simulation_verb(const Words& words);  // for developers; not listed in the help

}  // namespace tocuda
