// tocuda, Apache-2.0.
// Judges a row: returns one ruling for each claim of its variant. Pure.
#pragma once

#include <functional>
#include <istream>
#include <vector>

#include "json_lines/worker_lines.hpp"
#include "model/evidence.hpp"
#include "model/row.hpp"
#include "worker/registered.hpp"

namespace tocuda {

// Tells which CUDA libraries this process has mapped: ours (the simulator's or a fake driver's) or a real driver's.
struct MappedDrivers {
    bool ours = false;
    bool real = false;
};

MappedDrivers mapped_drivers(std::istream& maps);

// Set by who wants to know which libcuda a measuring process loads.
inline constexpr const char* name_libcuda = "TOCUDA_NAME_LIBCUDA";

// Returns the file of the driver's library that is mapped; several, separated by commas, if more than one is.
std::string mapped_libcuda(std::istream& maps);

// Returns `simulated` if one of our libraries is mapped, `real` if a GPU answered through a real driver, `none`
// otherwise. Throws if both are mapped: libraries with a private runtime would then hand host pointers to a real GPU.
Device device_of_this_process(const std::function<bool()>& gpu_answered);

// The key of what the machine lacked, so that a scenario could not ask its question to the end: then nothing is
// decided.
inline constexpr auto lacked = "harness.lacked";

std::vector<RulingLine> judge_row(const Entry& entry, const Row& row);

}  // namespace tocuda
