// tocuda, Apache-2.0.
// Writes into the recording of the allocator what else `tocuda fit` needs to know of the program: where each step of
// its optimizer ends, and the first operator of each kind that takes memory in another way on a real GPU.
#pragma once

namespace tocuda::computing {

// If TOCUDA_STEPS is set, a Python program ends with SystemExit after so many steps.
void watch_program();

}  // namespace tocuda::computing
