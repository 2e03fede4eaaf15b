// tocuda, Apache-2.0.
// Which architectures a program's device code was compiled for, read from the headers of its fat binary.
#pragma once

namespace tocuda::stand_in {

// Machine code runs on GPUs of its own major compute capability from its own minor one on; intermediate code (PTX) on
// any later one. True too where the headers are not understood: then nothing is known against it.
bool holds_code_for(const void* fat_binary_wrapper, int major, int minor);

}  // namespace tocuda::stand_in
