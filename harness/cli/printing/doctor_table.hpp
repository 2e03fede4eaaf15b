// tocuda, Apache-2.0.
// Formats what `doctor` prints: the cause in one line, a line for each finding, and what to do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "doctor/diagnose.hpp"
#include "doctor/findings_by_state.hpp"
#include "model/explanation.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

struct DoctorReport {
    std::vector<doctor::Finding> findings{};
    bool usable = false;
    std::string gpus{};  // in words
    std::optional<doctor::LibTorchWords> libtorch{};
    std::string pasted{};  // what was judged instead of this machine, and what is not in it
};

std::string doctor_table(const DoctorReport& report, const Paper& paper);

// For `doctor --message`.
std::string explanation_text(const doctor::Explanation& explanation, const Paper& paper);

}  // namespace tocuda
