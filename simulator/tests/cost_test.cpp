// tocuda, Apache-2.0.
// What must hold for the simulator's costs on any machine: counts and bytes, not times.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>

#include "runtime/on_machine_test.hpp"

namespace tocuda::simulator {
namespace {

std::map<std::string, double> costs() {
    const MachineFile machine(machine_of({.memory_bytes = std::int64_t{80} << 30}));
    const std::string command = std::string("TOCUDA_SIMULATION=") + machine.path() + " " TOCUDA_COST_PROGRAM;
    std::FILE* pipe = ::popen(command.c_str(), "r");
    std::string text;
    std::array<char, 256> piece{};
    while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) text += piece.data();
    EXPECT_EQ(::pclose(pipe), 0);
    std::map<std::string, double> numbers;
    std::istringstream lines(text);
    std::string key;
    for (double value = 0; lines >> key >> value;) numbers[key] = value;
    return numbers;
}

TEST(Cost, UntouchedGpuOf80GiBNeedsLittleHostMemoryAndAllAllocationsSucceed) {
    auto seen = costs();
    EXPECT_EQ(seen["untouched_bytes"], 85899345920.0);
    EXPECT_LT(seen["untouched_resident_kib"], 50 * 1024);
    EXPECT_EQ(seen["allocations"], 100000);
    EXPECT_EQ(seen["allocations_failed"], 0);
}

}  // namespace
}  // namespace tocuda::simulator
