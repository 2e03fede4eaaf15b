// tocuda, Apache-2.0.
// The profile file: what each line fills, and what is said of a line that cannot be read.
#include "profile/machine_profile.hpp"

#include <gtest/gtest.h>

#include <set>

#include "profile/gpu_fields.hpp"

namespace tocuda::stand_in {
namespace {

TEST(MachineProfile, EveryWholeNumberOfAGpuHasItsKey) {
    std::string text = "gpu\n";
    for (const GpuField& field : gpu_fields) text += std::string(field.key) + " 7\n";
    const ProfileReading reading = read_profile(text);
    ASSERT_TRUE(reading.problems.empty()) << reading.problems.front();
    std::set<std::string_view> keys;
    for (const GpuField& field : gpu_fields) {
        EXPECT_EQ(reading.machine.gpus.at(0).*field.field, 7) << field.key;
        EXPECT_TRUE(keys.insert(field.key).second) << field.key << " is there twice";
    }
}

TEST(MachineProfile, ReadsMachineFaultsAndTexts) {
    const ProfileReading reading = read_profile(
        "# a comment\n\ndriver 13020\r\ndriver_name 590.10\nseed 9\npeer_access none\nhost_memory_bytes 5\n"
        "fault cudaMalloc 3 2\nfault cudaFree 1 700 sticky\nfault cudaMemcpy 2 hang\nerror 2 nothing left\n"
        "gpu   # the only one\nname Some GPU   # its name\ncompute_capability 12.1\nnoise 0.5\nattribute 13 1000\n");
    ASSERT_TRUE(reading.problems.empty()) << reading.problems.front();
    const MachineProfile& machine = reading.machine;
    EXPECT_EQ(machine.driver_version, 13020);
    EXPECT_EQ(machine.driver_name, "590.10");
    EXPECT_EQ(machine.seed, 9U);
    EXPECT_FALSE(machine.peer_access);
    EXPECT_EQ(machine.host_memory_bytes, 5);
    ASSERT_EQ(machine.faults.size(), 3U);
    EXPECT_EQ(machine.faults[0].function, "cudaMalloc");
    EXPECT_EQ(machine.faults[0].call, 3U);
    EXPECT_EQ(machine.faults[0].error, 2);
    EXPECT_TRUE(machine.faults[1].sticky);
    EXPECT_TRUE(machine.faults[2].hang);
    EXPECT_EQ(machine.error_texts.at(2), "nothing left");
    EXPECT_EQ(machine.gpus.at(0).name, "Some GPU");
    EXPECT_EQ(machine.gpus.at(0).compute_major, 12);
    EXPECT_EQ(machine.gpus.at(0).compute_minor, 1);
    EXPECT_EQ(machine.gpus.at(0).noise, 0.5);
    EXPECT_EQ(machine.gpus.at(0).attributes.at(13), 1000);
}

TEST(MachineProfile, EveryVariationOfCostsHasItsKeyAndItsLimits) {
    std::string text = "gpu\n";
    for (const GpuVariation& variation : gpu_variations) text += std::string(variation.key) + " 0.5\n";
    const ProfileReading reading = read_profile(text);
    ASSERT_TRUE(reading.problems.empty()) << reading.problems.front();
    for (const GpuVariation& variation : gpu_variations) EXPECT_EQ(reading.machine.gpus.at(0).*variation.field, 0.5) << variation.key;
    for (const GpuVariation& variation : gpu_variations) {
        EXPECT_EQ(read_profile("gpu\n" + std::string(variation.key) + " -2\n").problems.size(), 1U) << variation.key;
    }
}

TEST(MachineProfile, AnUnknownBusIsAsWideAsTheBandwidthNeeds) {
    const auto bits = [](const std::string& more) { return read_profile("gpu\n" + more).machine.gpus.at(0).memory_bus_bits; };
    EXPECT_EQ(bits("memory_bytes_per_second 4800000000000\nmemory_clock_khz 3201000\n"), 6144) << "stacks of 1024 bits";
    EXPECT_EQ(bits("memory_bytes_per_second 300000000000\nmemory_clock_khz 6251000\n"), 192);
    EXPECT_EQ(bits("memory_bytes_per_second 300000000000\nmemory_bus_bits 128\n"), 128);
    EXPECT_EQ(bits(""), 256);
}

TEST(MachineProfile, EachGpuHasItsOwnPlaceAndName) {
    const ProfileReading reading = read_profile("gpu\ngpu\npci_bus 9\nuuid GPU-abc\n");
    EXPECT_EQ(reading.machine.gpus.at(0).pci_bus, 1);
    EXPECT_EQ(reading.machine.gpus.at(1).pci_bus, 9);
    EXPECT_TRUE(reading.machine.gpus.at(0).uuid.starts_with("GPU-"));
    EXPECT_EQ(reading.machine.gpus.at(1).uuid, "GPU-abc");
}

class UnreadableLine : public testing::TestWithParam<const char*> {};

TEST_P(UnreadableLine, IsNamedByItsNumber) {
    const ProfileReading reading = read_profile(std::string("gpu\n") + GetParam() + "\n");
    ASSERT_EQ(reading.problems.size(), 1U);
    EXPECT_TRUE(reading.problems[0].starts_with("line 2: ")) << reading.problems[0];
}

INSTANTIATE_TEST_SUITE_P(MachineProfile, UnreadableLine,
                         testing::Values("colour blue", "memory_bytes", "memory_bytes -1", "memory_bytes 1GiB",
                                         "memory_bytes 99999999999999999999", "compute_capability 9", "noise -1", "attribute 13", "fault cudaMalloc", "fault cudaMalloc 0 2",
                                         "fault cudaMalloc 1 two", "fault cudaMalloc 1 2 often", "telemetry busy", "telemetry soon sm_clock_mhz 1", "outlier_factor x", "error 2", "peer_access some", "gpu 2"));

TEST(MachineProfile, AGpusKeyBeforeAnyGpuIsAMistake) {
    EXPECT_EQ(read_profile("memory_bytes 1\n").problems.size(), 1U);
}

}  // namespace
}  // namespace tocuda::stand_in
