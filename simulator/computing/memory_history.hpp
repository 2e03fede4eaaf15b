// tocuda, Apache-2.0.
// Writes what LibTorch's allocator does to the file that TOCUDA_MEMORY_HISTORY names, an event a line, for `tocuda
// replay`. Each line is written at once, so that a program that crashes or is killed leaves all of them.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <string_view>

namespace tocuda::computing {

bool is_recorded();

// Opens the file, and has LibTorch gather where each event comes from. Without the variable: nothing.
void begin_recording();

void record(const c10::CachingDeviceAllocator::TraceEntry& entry);

// What the program does besides: a step of its optimizer has ended; an operator acts otherwise on a real GPU.
void record_step();
void record_note(const char* what, std::string_view name);  // of the operator

// Writes into the recording of the allocator what else `tocuda fit` needs to know of the program: where each step of
// its optimizer ends, and the first operator of each kind that takes memory in another way on a real GPU.

// If TOCUDA_STEPS is set, a Python program ends with SystemExit after so many steps.
void watch_program();

}  // namespace tocuda::computing
