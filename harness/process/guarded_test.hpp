// tocuda, Apache-2.0.
// For tests: runs one child to its end, and finds processes by a mark in their environment.
#pragma once

#include <string>
#include <vector>

#include "process/supervisor.hpp"

namespace tocuda::guarded {

struct Heard {
    std::vector<std::string> lines;
    std::vector<Ended> ends;  // one, if all is well
};

// A mark that no other test of any process has, as an environment variable.
std::string new_mark();
std::vector<std::string> environment_with(const std::string& mark);
std::vector<pid_t> processes_with(const std::string& mark);
bool none_left_with(const std::string& mark);  // allows a moment: another process may have to end them

std::string faulty_worker();
Child faulty(const std::string& scenario);
Child shell(const std::string& script);

Reactions into(Heard& heard);
Heard run(const Child& child);

}  // namespace tocuda::guarded
