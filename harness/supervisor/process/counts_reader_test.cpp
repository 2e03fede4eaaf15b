// tocuda, Apache-2.0.
#include "process/counts_reader.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <memory>

#include "model/folder_test.hpp"
#include "simulator/schema/counts.hpp"

namespace tocuda {
namespace {

void write_counts(const std::filesystem::path& file, const SharedCounts& counts) {
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(&counts), sizeof counts);
}

void add_not_computed(SharedCounts& counts, const char* name, const char* line, std::uint64_t count) {
    auto& kind = counts.not_computed[counts.not_computed_kinds++];
    std::strcpy(kind.name.data(), name);
    std::strcpy(kind.line.data(), line);
    kind.count = count;
}

TEST(SimulationCounts, AddsUpProcesses) {
    const TestFolder folder;
    const auto one = std::make_unique<SharedCounts>();
    one->version = SharedCounts::this_version;
    one->gpus[1].peak_allocated_bytes = 5;
    one->computed = 3;
    one->peer_bytes = 7;
    add_not_computed(*one, "aten::a", "x.py:1", 2);
    std::strcpy(one->unsupported.data(), "cudaA\nTriton kernels are off\n");
    write_counts(folder.path() / "1", *one);
    one->gpus[1].peak_allocated_bytes = 4;
    add_not_computed(*one, "aten::a", "", 1);
    write_counts(folder.path() / "2", *one);

    const auto counts = counts_in(folder.path(), 2);
    ASSERT_EQ(counts.gpus.size(), 2U);
    EXPECT_EQ(counts.gpus[1].peak_allocated_bytes, 5U) << "of the process that used most";
    EXPECT_EQ(counts.computed, 6U);
    EXPECT_EQ(counts.peer_bytes, 14U);
    const decltype(counts.not_computed) expected{{{"aten::a", "x.py:1"}, 4}, {{"aten::a", ""}, 1}};
    EXPECT_EQ(counts.not_computed, expected);
    EXPECT_EQ(counts.unsupported, (std::set<std::string>{"cudaA", "Triton kernels are off"}));
}

TEST(SimulationCounts, IgnoresFilesOfOtherKinds) {
    const TestFolder folder;
    std::ofstream(folder.path() / "1") << "short";
    const auto unknown = std::make_unique<SharedCounts>();
    unknown->version = SharedCounts::this_version + 1;
    unknown->computed = 3;
    write_counts(folder.path() / "2", *unknown);
    EXPECT_EQ(counts_in(folder.path(), 1).computed, 0U);
}

}  // namespace
}  // namespace tocuda
