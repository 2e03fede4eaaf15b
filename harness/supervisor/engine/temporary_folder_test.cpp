// tocuda, Apache-2.0.
// Tests that temporary folders are removed with their owner, however it ends, and that others stay.
#include "engine/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "model/folder_test.hpp"

namespace tocuda {
namespace {

namespace filesystem = std::filesystem;

class Temporary : public testing::Test {
public:
    Temporary() { ::setenv("TMPDIR", place.c_str(), 1); }
    ~Temporary() override {
        if (before) ::setenv("TMPDIR", before, 1);
        else ::unsetenv("TMPDIR");
    }

protected:
    std::ptrdiff_t folders() const {
        return std::distance(filesystem::directory_iterator(place), filesystem::directory_iterator());
    }

    const char* before = std::getenv("TMPDIR");
    TestFolder own;
    const filesystem::path place = own.path();
};

TEST_F(Temporary, IsRemovedWithObject) {
    {
        const TemporaryFolder folder;
        std::ofstream(folder.path() / "some.txt") << "text";
        EXPECT_EQ(folders(), 1);
    }
    EXPECT_EQ(folders(), 0);
}

TEST_F(Temporary, OfKilledOwnerIsRemovedWhenNextIsMade) {
    const auto child = ::fork();
    if (child == 0) {
        const TemporaryFolder folder;
        ::raise(SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    ASSERT_EQ(folders(), 1);
    {
        const TemporaryFolder folder;
    }
    EXPECT_EQ(folders(), 0);
}

TEST_F(Temporary, OfLivingOwnerStays) {
    const TemporaryFolder first;
    {
        const TemporaryFolder second;
    }
    EXPECT_TRUE(filesystem::exists(first.path()));
}

TEST_F(Temporary, FoldersWithoutLockStay) {
    filesystem::create_directory(place / "tocuda-temporary-abcdef");  // being made: no lock yet
    filesystem::create_directory(place / "tocuda-other");
    {
        const TemporaryFolder folder;
    }
    EXPECT_EQ(folders(), 2);
}

TEST(MachineOf, RefusesFaultsBetweenGpusThatAreNotThere) {
    EXPECT_TRUE(machine_of("2x1GiB", {"peer 0 1 lost"}, 1));
    const auto machine = machine_of("2x1GiB", {"peer 0 2 lost"}, 1);
    ASSERT_FALSE(machine);
    EXPECT_EQ(machine.error().what, "fault 'peer 0 2 lost': there is no GPU 2");
}

TEST(MachineOf, RefusesLinksOfGpusThatAreNotThere) {
    const auto file = std::filesystem::temp_directory_path() / ("linked-" + std::to_string(::getpid()) + ".json");
    std::ofstream(file) << R"({"name": "A", "compute_capability": "9.0",
        "figures": {"memory_bytes": 1073741824, "multiprocessors": 4},
        "machine": {"links": [{"from": 0, "to": 2, "bytes_per_second": 1000}]}})";
    EXPECT_TRUE(machine_of("3x" + file.string(), {}, 1));
    const auto machine = machine_of("2x" + file.string(), {}, 1);
    std::filesystem::remove(file);
    ASSERT_FALSE(machine);
    EXPECT_EQ(machine.error().what, "the link from GPU 0 to GPU 2: there is no GPU 2");
}

}  // namespace
}  // namespace tocuda
