// tocuda, Apache-2.0.
// Finds an interpreter and the folders in which it looks for packages, from files alone.
#pragma once

#include <map>
#include <string>

#include "doctor/python/rooted.hpp"
#include "doctor/python/seen_python.hpp"

namespace tocuda::doctor {

// Fills everything but torch; `problem` says why the rest is empty.
PythonSeen see_interpreter(const Rooted& root, const std::string& python,
                           const std::map<std::string, std::string>& environment);

}  // namespace tocuda::doctor
