// tocuda, Apache-2.0.
// The schema and its compiled form: every field has its row, is written, and is read back; anything else is refused.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "simulator/schema/compiled.hpp"

namespace tocuda {
namespace {

// A machine in which no field has its default, nor the value of another one.
SimulatedMachine unlike_the_default() {
    SimulatedMachine machine{.driver_version = 12080,
                             .driver_name = "570.1 of ours",
                             .seed = 7,
                             .peer_access = false,
                             .host_memory_bytes = 9,
                             .error_texts = {{2, "no memory left"}, {46, "the house is full"}},
                             .faults = {{.function = "cudaMalloc", .call = 3, .error = 2, .sticky = true},
                                        {.function = "cudaFree", .hang = true},
                                        {.function = "cudaMemcpy", .wrong = true},
                                        {.peer = "lost", .from = 1, .to = 2}},
                             .links = {{.from = 1, .to = 3, .bytes_per_second = 5, .latency_ns = 6}}};
    auto& gpu = machine.gpus.emplace_back();
    std::int64_t value = 1'000'000;
    for (const auto& figure : gpu_figures) gpu.*figure.member = ++value;
    for (const auto& condition : gpu_conditions) gpu.*condition.member = ++value;
    double part = 0.1;
    for (const auto& variation : gpu_variations) gpu.*variation.member = part /= 3;
    gpu.name = "A GPU # of ours";
    gpu.attributes = {{13, 1'000}, {95, -1}};
    gpu.telemetry = {{.moment = {.reading = 3, .process = 2, .after_seconds = 0.1, .after_work = 0, .while_busy = true},
                      .field = "reasons",
                      .number = 0x48},
                     {.field = "processes", .processes = {{77, 1000}, {78, 5}}}};
    machine.gpus.emplace_back();
    return complete(machine);
}

std::vector<std::string> lines_of_machine() {
    std::istringstream text(compiled(unlike_the_default()));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

std::string as_text(const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines) text += line + "\n";
    return text;
}

TEST(GpuSchema, EachNameAndEachMemberIsThereOnce) {
    std::set<std::string_view> names;
    GpuFigures figures;
    for (const auto& figure : gpu_figures) {
        EXPECT_TRUE(names.insert(figure.name).second) << figure.name;
        figures.*figure.member = -7;
    }
    for (const auto& figure : gpu_figures) EXPECT_EQ(figures.*figure.member, -7) << figure.name;
    GpuConditions conditions;
    for (const auto& condition : gpu_conditions) {
        EXPECT_TRUE(names.insert(condition.name).second) << condition.name;
        conditions.*condition.member = -7;
    }
    for (const auto& condition : gpu_conditions) EXPECT_EQ(conditions.*condition.member, -7) << condition.name;
    GpuVariations variations;
    for (const auto& variation : gpu_variations) {
        EXPECT_TRUE(names.insert(variation.name).second) << variation.name;
        EXPECT_NE(variations.*variation.member, -7) << variation.name << " shares its member";
        variations.*variation.member = -7;
    }
}

TEST(GpuSchema, DefaultsAreWithinTheLimitsOrMeanThatItIsNotKnown) {
    const GpuFigures figures;
    for (const auto& figure : gpu_figures) {
        const auto value = figures.*figure.member;
        EXPECT_TRUE(value == 0 || (value >= figure.least && value <= figure.most)) << figure.name;
        EXPECT_FALSE(figure.what.empty()) << figure.name;
    }
    const GpuConditions conditions;
    for (const auto& condition : gpu_conditions) {
        EXPECT_GE(conditions.*condition.member, condition.least) << condition.name;
        EXPECT_LE(conditions.*condition.member, condition.most) << condition.name;
    }
    const GpuVariations variations;
    for (const auto& variation : gpu_variations) {
        EXPECT_GE(variations.*variation.member, variation.least) << variation.name;
        EXPECT_LE(variations.*variation.member, variation.most) << variation.name;
    }
}

TEST(CompiledForm, ReadsBackWhatWasWritten) {
    const auto machine = unlike_the_default();
    const auto reading = read_compiled(compiled(machine));
    EXPECT_EQ(reading.problem, "");
    EXPECT_EQ(reading.machine, machine);
}

TEST(CompiledForm, OfAMachineWithoutGpusIsRead) {
    EXPECT_EQ(read_compiled(compiled({})).problem, "");
    EXPECT_TRUE(read_compiled(compiled({})).machine.gpus.empty());
}

TEST(CompiledForm, HoldsEveryFieldOfEveryGpu) {
    const auto text = compiled(unlike_the_default());
    for (const auto& figure : gpu_figures)
        EXPECT_NE(text.find("\n" + std::string(figure.name) + " "), std::string::npos) << figure.name;
    EXPECT_EQ(lines_of_machine().front(), "tocuda_simulation 4");
}

TEST(CompiledForm, WithoutAnyOneLineIsRefused) {
    const auto lines = lines_of_machine();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        auto fewer = lines;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        const auto reading = read_compiled(as_text(fewer));
        EXPECT_TRUE(reading.problem.starts_with("line ")) << lines[i] << ": " << reading.problem;
    }
}

TEST(CompiledForm, WithALineMoreIsRefusedAtThatLine) {
    const auto lines = lines_of_machine();
    for (std::size_t i = 0; i <= lines.size(); ++i) {
        auto more = lines;
        more.insert(more.begin() + static_cast<std::ptrdiff_t>(i), "colour blue");
        EXPECT_TRUE(read_compiled(as_text(more)).problem.starts_with("line " + std::to_string(i + 1) + ": ")) << i;
    }
}

TEST(CompiledForm, CutAnywhereIsRefused) {
    const auto text = compiled(unlike_the_default());
    for (std::size_t length = 0; length < text.size(); length += 11)
        ASSERT_NE(read_compiled(text.substr(0, length)).problem, "") << length;
}

TEST(CompiledForm, NumbersAreWhole) {
    const auto with = [](const std::string& from, const std::string& to) {
        auto text = compiled(unlike_the_default());
        const auto at = text.find(from);
        return read_compiled(text.replace(at, from.size(), to)).problem;
    };
    EXPECT_EQ(with("seed 7\n", "seed seven\n"), "line 4: 'seed' and its value are expected here");
    EXPECT_NE(with("seed 7\n", "seed 7x\n"), "");
    EXPECT_NE(with("seed 7\n", "seed -7\n"), "");
    EXPECT_NE(with("peer_access 0\n", "peer_access none\n"), "");
    EXPECT_NE(with("peer_access 0\n", "peer_access 2\n"), "");
    EXPECT_NE(with("gpus 2\n", "gpus 99999999999\n"), "");
}

TEST(CompiledForm, OfAnotherVersionIsRefused) {
    for (const char* text : {"", "driver 13000\ngpu\nmemory_bytes 1\n", "tocuda_simulation 1\n"})
        EXPECT_EQ(read_compiled(text).problem, "line 1: not what `tocuda __simulation` of this version writes") << text;
}

TEST(CompleteMachine, AnUnknownBusIsAsWideAsTheBandwidthNeeds) {
    const auto bits = [](const GpuFigures& figures) {
        SimulatedMachine machine;
        static_cast<GpuFigures&>(machine.gpus.emplace_back()) = figures;
        return complete(machine).gpus.at(0).memory_bus_bits;
    };
    EXPECT_EQ(bits({.memory_clock_khz = 3201000, .memory_bytes_per_second = 4800000000000}), 6144)
        << "stacks of 1024 bits";
    EXPECT_EQ(bits({.memory_clock_khz = 6251000, .memory_bytes_per_second = 300000000000}), 192);
    EXPECT_EQ(bits({.memory_bus_bits = 128, .memory_bytes_per_second = 300000000000}), 128);
    EXPECT_EQ(bits({}), 256);
}

TEST(CompleteMachine, EachGpuHasItsOwnPlaceAndName) {
    SimulatedMachine machine;
    machine.gpus.resize(2);
    machine.gpus[1].pci_bus = 9;
    machine.gpus[1].uuid = "GPU-abc";
    const auto whole = complete(machine);
    EXPECT_EQ(whole.gpus.at(0).pci_bus, 1);
    EXPECT_EQ(whole.gpus.at(0).uuid, "GPU-70c0da00-0000-4000-8000-000000000000");
    EXPECT_EQ(whole.gpus.at(1).pci_bus, 9);
    EXPECT_EQ(whole.gpus.at(1).uuid, "GPU-abc");
}

}  // namespace
}  // namespace tocuda
