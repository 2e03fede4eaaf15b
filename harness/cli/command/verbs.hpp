// tocuda, Apache-2.0.
// All verbs, in the order of `tocuda --help`.
#pragma once

#include <array>

#include "command/verb.hpp"

namespace tocuda {

inline constexpr std::array verbs{
    Verb{"doctor", "tell why the GPU cannot be used here, and what to do", doctor_verb, "A tensor does not move now"},
    Verb{"run", "run scenarios and judge their claims", run_verb,
         "What people claim about tensors and GPUs, tried here"},
    Verb{"list", "list scenarios and benchmarks, and whether they can run here", list_verb},
    Verb{"show", "show a scenario, claim or benchmark and its last result here", show_verb},
    Verb{"judge", "judge recorded evidence again", judge_verb},
    Verb{"bench", "measure kernels, transfers and copies", bench_verb, "How fast, and whether a change made it slower"},
    Verb{"compare", "show what changed between two sets of results", compare_verb},
    Verb{"reproduce", "repeat a recorded run and compare the results", reproduce_verb},
    Verb{"simulate", "run any program on simulated GPUs that compute", simulate_verb, "Without a GPU"},
    Verb{"fit", "tell whether a program's memory fits on GPUs", fit_verb},
    Verb{"replay", "replay a memory snapshot with other settings or memory", replay_verb},
    Verb{"report", "write a page or a digest of result files", report_verb, "Results: show, quote, check"},
    Verb{"cite", "print a measured number or a verdict as a line to quote", cite_verb},
    Verb{"verify", "check that result files are complete and unaltered", verify_verb},
    Verb{"merge", "merge result files into one", merge_verb},
    Verb{"import", "make a result file of what other tools measured", import_verb},
    Verb{"completion", "print a script that completes verbs, options and names", completion_verb, "For the shell"},
    Verb{"man", "print the manual page", man_verb},
};

}  // namespace tocuda
