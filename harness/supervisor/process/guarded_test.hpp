// tocuda, Apache-2.0.
// Test helpers: run one child to its end, and find processes by a mark in their environment.
#pragma once

#include <string>
#include <vector>

#include "process/supervisor.hpp"

namespace tocuda::guarded {

struct Heard {
    std::vector<std::string> lines;
    std::vector<Ended> ends;  // exactly one in a correct run
};

// Returns an environment variable that no other test of any process has.
std::string new_mark();
std::vector<std::string> environment_with(const std::string& mark);
std::vector<pid_t> processes_with(const std::string& mark);
bool none_left_with(const std::string& mark);  // waits up to 10 s, because another process may have to end them

std::string faulty_worker();
Child faulty(const std::string& scenario);
Child shell(const std::string& script);

Reactions into(Heard& heard);
Heard run(const Child& child);

}  // namespace tocuda::guarded
