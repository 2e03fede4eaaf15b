// tocuda, Apache-2.0.
// For tests: runs a body in a child process with a simulated machine of its own, because a process has only one.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>

#include "simulator/schema/compiled.hpp"

namespace tocuda::simulator {

// The file of a simulated machine, removed with this object.
class MachineFile {
public:
    explicit MachineFile(const SimulatedMachine& machine) : MachineFile(compiled(complete(machine))) {}
    explicit MachineFile(const std::string& text) {
        const int file = ::mkstemp(file_name);
        if (file < 0 || ::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
        ::close(file);
    }
    MachineFile(const MachineFile&) = delete;
    MachineFile& operator=(const MachineFile&) = delete;
    ~MachineFile() { ::unlink(file_name); }

    const char* path() const { return file_name; }

private:
    char file_name[32] = "/tmp/tocuda-machine-XXXXXX";
};

// A machine of one GPU.
inline SimulatedMachine machine_of(const GpuFigures& figures) {
    SimulatedMachine machine;
    static_cast<GpuFigures&>(machine.gpus.emplace_back()) = figures;
    return machine;
}
inline SimulatedMachine twice(SimulatedMachine machine) {
    machine.gpus.push_back(machine.gpus.front());
    return machine;
}
// The same machine with these figures set on each of its GPUs.
using Figures = std::initializer_list<std::pair<std::int64_t GpuFigures::*, std::int64_t>>;
inline SimulatedMachine with(SimulatedMachine machine, Figures figures) {
    for (auto& gpu : machine.gpus)
        for (const auto& [member, value] : figures) gpu.*member = value;
    return machine;
}
inline SimulatedMachine with_faults(SimulatedMachine machine, const std::vector<SimulatedFault>& faults) {
    machine.faults = faults;
    return machine;
}

inline const SimulatedMachine one_gpu = machine_of({.memory_bytes = std::int64_t{1} << 30});
inline const SimulatedMachine two_gpus = twice(one_gpu);

// Returns the child's status from waitpid; it exits with 1 if an expectation failed. `machine` may also be text that is
// not a valid machine file.
template <typename Machine, typename Body>
int status_on_machine(const Machine& machine, Body&& body) {
    const MachineFile file(machine);
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        ::setenv("TOCUDA_SIMULATION", file.path(), 1);
        ::alarm(60);  // a wait that never ends fails this test instead of hanging the suite
        body();
        std::fflush(nullptr);
        ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
}

template <typename Machine, typename Body>
void on_machine(const Machine& machine, Body&& body) {
    EXPECT_EQ(status_on_machine(machine, body), 0) << "in the child process; its output is above";
}

}  // namespace tocuda::simulator
