// tocuda, Apache-2.0.
// A file that no folder names, and what the page cache holds of it.
#include "measurement/payload_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <vector>

#include "measurement/payload.hpp"

namespace tocuda {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t megabyte = std::size_t{1} << 20;

TEST(PayloadFile, HoldsThePayloadAndHasNoName) {
    const auto folder = std::filesystem::temp_directory_path() / "tocuda_payload_file_test";
    std::filesystem::create_directories(folder);
    {
        const PayloadFile file(folder, 9 * megabyte + 5, 64);
        EXPECT_TRUE(std::filesystem::is_empty(folder));
        std::vector<std::byte> found(9 * megabyte + 5 - 3);
        file.read(found.data(), 3, found.size());
        EXPECT_EQ(first_unlike_payload(found, 67), std::nullopt);
        const MappedFile mapped(file, 100);
        EXPECT_EQ(first_unlike_payload(std::span(mapped.get(), 100), 64), std::nullopt);
        EXPECT_THROW(file.read(found.data(), 9 * megabyte, found.size()), std::runtime_error);
    }
    std::filesystem::remove(folder);
}

TEST(PayloadFile, IsInThePageCacheUntilDropped) {
    const auto folder = folder_of_files();
    const PayloadFile file(folder, 4 * megabyte, 0);
    file.load(4 * megabyte);
    EXPECT_EQ(file.cached_bytes(4 * megabyte), 4 * megabyte);
    if (!why_never_cold(folder).empty()) GTEST_SKIP() << why_never_cold(folder);
    file.drop();
    EXPECT_EQ(file.cached_bytes(4 * megabyte), 0);
    const auto before = *bytes_read_from_disks();
    file.load(4 * megabyte);
    EXPECT_GE(*bytes_read_from_disks() - before, 4 * megabyte);
}

TEST(PayloadFile, IsWrittenPiecewise) {
    const auto folder = folder_of_files();
    const PayloadFile file(folder);
    EXPECT_EQ(file.size(), 0U);
    std::vector<std::byte> part(megabyte);
    write_payload(part, megabyte);
    PayloadFile::write_to(file.descriptor(), part.data(), megabyte, part.size());
    write_payload(part, 0);
    PayloadFile::write_to(file.descriptor(), part.data(), 0, part.size());
    file.sync();
    EXPECT_EQ(file.size(), 2 * megabyte);
    std::vector<std::byte> found(2 * megabyte);
    file.read(found.data(), 0, found.size());
    EXPECT_EQ(first_unlike_payload(found, 0), std::nullopt);
    EXPECT_THROW(PayloadFile::write_to(-1, part.data(), 0, 1), std::runtime_error);
}

TEST(PayloadFile, IsNeverColdInSharedMemory) {
    if (!std::filesystem::exists("/dev/shm")) GTEST_SKIP() << "there is no /dev/shm";
    EXPECT_NE(why_never_cold("/dev/shm").find("tmpfs"), std::string::npos) << why_never_cold("/dev/shm");
}

TEST(PayloadFile, NamesAFolderWithoutRoom) {
    EXPECT_EQ(FolderRoom(folder_of_files()).why_too_small(0), "");
    EXPECT_NE(FolderRoom(folder_of_files()).why_too_small(std::size_t{1} << 60), "");
    EXPECT_NE(FolderRoom("/nowhere").why_too_small(0), "");
    EXPECT_THROW(PayloadFile("/nowhere", 1, 0), std::runtime_error);
}

TEST(PayloadFile, DoesNotCountAgainstTheRoomThatWasThereBefore) {
    const FolderRoom room(folder_of_files());
    const auto before = room.why_too_small(std::size_t{1} << 60);
    const PayloadFile file(folder_of_files(), 4 * megabyte, 0);
    EXPECT_EQ(room.why_too_small(std::size_t{1} << 60), before);
}

TEST(PayloadFile, IsInMemoryInSharedMemory) {
    if (!std::filesystem::exists("/dev/shm")) GTEST_SKIP() << "there is no /dev/shm";
    EXPECT_TRUE(is_in_memory("/dev/shm"));
    EXPECT_FALSE(is_in_memory("/proc"));
    EXPECT_FALSE(is_in_memory("/nowhere"));
}

// A tree of /sys and /proc in which the block device of this number is this folder below sys/devices.
class Disks : public testing::Test {
protected:
    void write(const fs::path& file, const std::string& text) {
        fs::create_directories((root / file).parent_path());
        std::ofstream(root / file) << text;
    }
    void add(const std::string& number, const fs::path& device) {
        fs::create_directories(root / "sys/dev/block");
        fs::create_directories(root / "sys/devices" / device);
        fs::create_symlink(fs::path("../../devices") / device, root / "sys/dev/block" / number);
    }
    void TearDown() override { fs::remove_all(root); }

    const fs::path root = fs::path(testing::TempDir()) / ("tocuda_disks_" + std::to_string(::getpid()));
};

TEST_F(Disks, OfAMachineOfItsOwnHaveNoFlag) {
    add("259:2", "pci0/nvme/nvme0/nvme0n1/nvme0n1p2");
    write("sys/devices/pci0/nvme/nvme0/nvme0n1/nvme0n1p2/partition", "2\n");
    write("sys/devices/pci0/nvme/nvme0/nvme0n1/device/model", "SAMSUNG MZQL2\n");
    EXPECT_EQ(virtual_disk_flag(259, 2, root), "");
    EXPECT_EQ(virtual_disk_flag(0, 52, root), "") << "an overlay, but no virtual machine";
}

TEST_F(Disks, ThatAreVirtualAreNamed) {
    add("254:1", "pci0/virtio2/block/vda/vda1");
    write("sys/devices/pci0/virtio2/block/vda/vda1/partition", "1\n");
    add("8:0", "pci0/host2/block/sda");
    write("sys/devices/pci0/host2/block/sda/device/vendor", "VMware  \n");
    add("253:0", "virtual/block/dm-0");
    fs::create_directories(root / "sys/devices/virtual/block/dm-0/slaves");
    fs::create_directory_symlink(root / "sys/devices/pci0/host2/block/sda",
                                 root / "sys/devices/virtual/block/dm-0/slaves/sda");
    EXPECT_EQ(virtual_disk_flag(254, 1, root), "the disk (vda) is virtual: its host may have the file in a cache");
    EXPECT_NE(virtual_disk_flag(8, 0, root).find("(sda)"), std::string::npos);
    EXPECT_NE(virtual_disk_flag(253, 0, root).find("(sda)"), std::string::npos) << "a volume on it";
}

TEST_F(Disks, ThatAreNotKnownMayBeVirtualInAVirtualMachine) {
    write("proc/cpuinfo", "flags\t\t: fpu sse hypervisor lahf_lm\n");
    EXPECT_EQ(virtual_disk_flag(0, 52, root),
              "this is a virtual machine and its disk is not known: the host may have the file in a cache");
}

TEST(BytesRead, AreInTheFileOfTheKernel) {
    EXPECT_EQ(bytes_read_from_disks("rchar: 5\nread_bytes: 4096\nwrite_bytes: 7\n"), 4096);
    EXPECT_EQ(bytes_read_from_disks("rchar: 5\n"), std::nullopt);
    EXPECT_EQ(bytes_read_from_disks(""), std::nullopt);
}

TEST(WhyNotCold, FindsAPageCacheThatLies) {
    EXPECT_EQ(why_not_cold(1000, 0, 1000), "");
    EXPECT_EQ(why_not_cold(1000, 10, 950), "");
    EXPECT_NE(why_not_cold(1000, 11, 1000), "") << "mincore finds it";
    EXPECT_NE(why_not_cold(1000, 0, 949), "") << "what was read shows it, whatever mincore says";
    EXPECT_NE(why_not_cold(1000, 0, std::nullopt), "") << "nothing shows that it was cold";
}

TEST(WhyNotWarm, FindsAPageCacheThatDoesNotHoldTheFile) {
    EXPECT_EQ(why_not_warm(1000, 0), "");
    EXPECT_EQ(why_not_warm(1000, megabyte), "") << "the program's own code";
    EXPECT_NE(why_not_warm(9 * megabyte, 2 * megabyte), "") << "evicted meanwhile";
    EXPECT_EQ(why_not_warm(1000, std::nullopt), "") << "nothing shows that it was not";
}

TEST(BytesRead, SinceAreUnknownIfTheyWereUnknownBefore) {
    EXPECT_EQ(bytes_read_since(std::nullopt), std::nullopt);
    EXPECT_EQ(bytes_read_since(bytes_read_from_disks()).has_value(), bytes_read_from_disks().has_value());
}

}  // namespace
}  // namespace tocuda
