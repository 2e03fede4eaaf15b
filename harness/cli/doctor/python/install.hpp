// tocuda, Apache-2.0.
// Looks at a Python installation through its files, and judges what was seen.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "doctor/python/seen_python.hpp"
#include "model/finding.hpp"

namespace tocuda::doctor {

// `python` is an interpreter, a link to one, the folder of an environment, or a name to look for on PATH. `root` is the
// folder that all absolute paths are below; `environment` has the variables that the Python would be started with.
PythonSeen see_python(const std::string& python, const std::map<std::string, std::string>& environment,
                      const std::filesystem::path& root = "/");

// In causal order. The checks are "python", "torch", "torch build", "torch libraries", "library path",
// "torch CUDA version", "torch architectures" and "allocator variable".
std::vector<Finding> findings(const PythonSeen& seen, const GpusKnown& gpus);

}  // namespace tocuda::doctor
