// tocuda, Apache-2.0.
// Attributes the difference between two sides to the one part that changed, if every other recorded field stayed the
// same. Pure.
#pragma once

#include <map>
#include <set>
#include <string>

#include "comparison_input/run_fields.hpp"
#include "model/change_report.hpp"
#include "model/machine.hpp"

namespace tocuda {

// The values of each field in the sections of one side.
struct SideFields {
    std::map<std::string, std::set<std::string>, std::less<>> values{};
    std::set<std::string> simulated{};  // what --simulate named; counts if no field changed, and one on each side

    void add(const Fields& fields);
    void add_gpu(int number, const Gpu& gpu);  // a compared GPU, with the same number on both sides
};

Attribution attribute(const SideFields& before, const SideFields& after);

// Of two models, which nobody takes for a change: says what else differs.
void tell_differences(Attribution& attribution, const std::string& before, const std::string& after);

// That nothing else was recorded to change does not make the driver the cause: says whether that is shown.
void tell_cause(ChangeReport& report);

}  // namespace tocuda
