// tocuda, Apache-2.0.
// Writes into the recording of the allocator what else `tocuda fit` needs to know of the program: where each step of
// its optimizer ends, and the first operator of each kind that takes memory in another way on a real GPU.
#pragma once

namespace tocuda::computing {

// Counts reading `total_memory` of PyTorch's properties of a GPU as a question for free memory, if the program is
// recorded. Called before LibTorch has met a GPU.
void watch_properties();

// If TOCUDA_STEPS is set, a Python program ends with SystemExit after so many steps.
void watch_program();

}  // namespace tocuda::computing
