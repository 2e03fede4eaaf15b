// tocuda, Apache-2.0.
// Device files, which ordinary files stand for, are held open and closed again.
#include <gtest/gtest.h>

#include <set>

#include "machine/machine_tree_test.hpp"
#include "machine/session.hpp"

namespace tocuda {
namespace {

std::set<std::string> open_files_in(const std::filesystem::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code closed_meanwhile;
        const auto file = std::filesystem::read_symlink(entry.path(), closed_meanwhile);
        if (file.parent_path() == folder) names.insert(file.filename());
    }
    return names;
}

TEST(HeldDevices, AreThoseOfGpusForAsLongAsTheyAreHeld) {
    const MachineTree tree;
    for (const char* name : {"nvidia0", "nvidia11", "nvidiactl", "nvidia-uvm", "nvidia0x"}) tree.write(name, "");
    {
        const HeldDevices held(tree.root);
        EXPECT_EQ(held.count(), 2U);
        EXPECT_EQ(open_files_in(tree.root), (std::set<std::string>{"nvidia0", "nvidia11"}));
    }
    EXPECT_TRUE(open_files_in(tree.root).empty());
}

TEST(HeldDevices, AreNoneWhereNoneAreWantedOrMayBeOpened) {
    EXPECT_EQ(HeldDevices("").count(), 0U);
    const MachineTree tree;
    std::filesystem::create_symlink(tree.root / "absent", tree.root / "nvidia0");
    EXPECT_EQ(HeldDevices(tree.root).count(), 0U);
}

}  // namespace
}  // namespace tocuda
