// tocuda, Apache-2.0.
// Simulations and other languages: GROMACS, OpenMM, NAMD, LAMMPS, Amber, Kaldi; Julia, Rust, MATLAB.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

// "Error loading library .../libOpenMMCUDA.so: libcuda.so.1: cannot open shared object file"
void read_plugins_of_openmm(std::string_view text, std::size_t at, Explanation& told) {
    const auto missing = between(text_near(text, at, 0, 3000), "libOpenMMCUDA.so: ", ": cannot open");
    if (missing && missing->size() < 60)
        told.arithmetic.push_back(fmt::format("its part for CUDA does not find {}", *missing));
}

}  // namespace

Functions science_functions() { return {.readings = {{"read_plugins_of_openmm", read_plugins_of_openmm}}}; }

}  // namespace tocuda::doctor
