// tocuda, Apache-2.0.
// Reads from the headers of a program's fat binary which architectures its device code was compiled for.
#pragma once

namespace tocuda::simulator {

// Machine code runs on GPUs of the same major compute capability and the same or a higher minor one; intermediate code
// (PTX) on the same or any later one. Also true if the headers cannot be parsed, because then nothing rules it out.
bool holds_code_for(const void* fat_binary_wrapper, int major, int minor);

}  // namespace tocuda::simulator
