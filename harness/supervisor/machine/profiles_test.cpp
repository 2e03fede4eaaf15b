// tocuda, Apache-2.0.
// Every built-in profile is complete: each figure has a source or is listed as unknown.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "machine/simulation_spec.hpp"

namespace tocuda {
namespace {

class BuiltIn : public testing::TestWithParam<std::string> {
protected:
    GpuProfile profile() const {
        const auto found = built_in_profile(GetParam());
        if (!found) throw std::runtime_error("no profile " + GetParam());
        return *found;
    }
};

bool says(const GpuProfile& profile, std::string_view figure) {
    return std::ranges::find(profile.figures, figure) != profile.figures.end();
}

std::set<std::string> sourced(const GpuProfile& profile) {
    std::set<std::string> names;
    for (const auto& source : profile.sources) names.insert(source.figures.begin(), source.figures.end());
    return names;
}

TEST_P(BuiltIn, NamesASourceForEachFigure) {
    const auto profile = this->profile();
    auto expected = std::set<std::string>{"compute_capability"};
    expected.insert(profile.figures.begin(), profile.figures.end());
    EXPECT_EQ(sourced(profile), expected);
}

TEST_P(BuiltIn, ListsEveryFigureItLacksAsUnknown) {
    const auto profile = this->profile();
    for (const auto& figure : gpu_figures) {
        const bool unknown = std::ranges::find(profile.unknown, figure.name) != profile.unknown.end();
        EXPECT_NE(says(profile, figure.name), unknown) << figure.name;
    }
}

TEST_P(BuiltIn, SharedMemoryOfABlockFitsAMultiprocessor) {
    const auto profile = this->profile();
    for (const char* name :
         {"shared_per_block", "shared_per_block_optin", "shared_reserved_per_block", "shared_per_multiprocessor"})
        EXPECT_TRUE(says(profile, name)) << name;
    EXPECT_LE(profile.gpu.shared_per_block, profile.gpu.shared_per_block_optin);
    EXPECT_EQ(profile.gpu.shared_per_block_optin + profile.gpu.shared_reserved_per_block,
              profile.gpu.shared_per_multiprocessor);
}

// With NVLink-C2C a GPU uses the host's page tables, and only then.
TEST_P(BuiltIn, UsesTheHostsPageTablesIfItIsOnASuperchip) {
    const bool superchip = GetParam().starts_with("G");
    EXPECT_EQ(profile().gpu.host_page_tables, superchip ? 1 : 0);
    EXPECT_EQ(profile().gpu.pageable_memory_access, superchip ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(Profiles, BuiltIn, testing::ValuesIn(profile_names()), [](const auto& one) {
    std::string name = one.param;
    std::erase(name, '-');
    return name;
});

// The bandwidth follows from two other published figures, so only rounding may differ. The driver of the GB10 reports
// transfers and not clocks.
TEST(BuiltInProfiles, MemoryClockAndWidthGiveThePublishedBandwidth) {
    for (const auto& name : profile_names()) {
        const auto profile = built_in_profile(name).value_or(GpuProfile{});
        ASSERT_TRUE(says(profile, "memory_clock_khz") && says(profile, "memory_bus_bits")) << name;
        const auto& gpu = profile.gpu;
        const double edges = name == "GB10" ? 1 : 2;
        const double computed =
            edges * 1000 * static_cast<double>(gpu.memory_clock_khz) * static_cast<double>(gpu.memory_bus_bits) / 8;
        EXPECT_NEAR(computed / static_cast<double>(gpu.memory_bytes_per_second), 1, 0.01) << name;
    }
}

TEST(ProfileNames, AreSortedByMemory) {
    const auto names = profile_names();
    EXPECT_GE(names.size(), 16u);
    EXPECT_TRUE(std::ranges::is_sorted(
        names, {}, [](const auto& name) { return built_in_profile(name).value_or(GpuProfile{}).gpu.memory_bytes; }));
}

TEST(BuiltInProfile, IsFoundInLowerCase) {
    EXPECT_EQ(built_in_profile("h200").value_or(GpuProfile{}).gpu.name, "NVIDIA H200");
}

TEST(BuiltInProfile, IsNotFoundByASimilarName) { EXPECT_EQ(built_in_profile("H20"), std::nullopt); }

}  // namespace
}  // namespace tocuda
