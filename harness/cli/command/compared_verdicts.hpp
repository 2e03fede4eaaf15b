// tocuda, Apache-2.0.
// Verdicts that differ on two sides of `compare`, and were given by different versions of tocuda: a judge may have
// changed, and not the machine.
#pragma once

#include "command/compared_files.hpp"

namespace tocuda {

// Judges the rows of such verdicts again on both sides, by the judges of this version, from the recorded evidence. What
// cannot be judged here keeps its verdicts, which is said.
void judge_again_what_differs(ReadFiles& before, ReadFiles& after);

}  // namespace tocuda
