// tocuda, Apache-2.0.
// To what a difference between two sides can be attributed: to the one part that changed, where everything else that is recorded stayed. Pure.
#pragma once

#include <map>
#include <set>
#include <string>

#include "gathering/run_fields.hpp"
#include "model/change_report.hpp"
#include "model/machine.hpp"

namespace tocuda {

// What the sections of one side say of each field.
struct SideFields {
    std::map<std::string, std::set<std::string>, std::less<>> values{};

    void add(const Fields& fields);
    void add_gpu(int number, const Gpu& gpu);  // one that is compared, under the same number on both sides
};

Attribution attribute(const SideFields& before, const SideFields& after);

}  // namespace tocuda
