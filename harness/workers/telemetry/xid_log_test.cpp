// tocuda, Apache-2.0.
// Messages about one GPU, in a file that stands for the kernel's log.
#include "telemetry/xid_log.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace tocuda {
namespace {

struct KernelsLog : testing::Test {
    KernelsLog() { write("4,1,1,-;NVRM: Xid (PCI:0000:3b:00): 13, before it began\n"); }
    ~KernelsLog() override { std::filesystem::remove(file); }
    void write(const std::string& line) const { std::ofstream(file, std::ios::app) << line; }

    const std::string file = testing::TempDir() + "tocuda_xid_log_" + std::to_string(::getpid());
};

TEST_F(KernelsLog, ShowsWhatIsWrittenAboutTheGpuMeanwhile) {
    XidLog log("0000:3B:00.0", file);
    EXPECT_EQ(log.read(), std::vector<int>{});
    write("4,2,2,-;NVRM: Xid (PCI:0000:3b:00): 31, pid=7, name=python\n");
    write("4,3,3,-;NVRM: Xid (PCI:0000:5b:00): 79, another GPU\n");
    EXPECT_EQ(log.read(), std::vector<int>{31});
    auto moved = std::move(log);
    write("4,4,4,-;NVRM: Xid (PCI:0000:3b:00): 94, again\n");
    EXPECT_EQ(moved.read(), (std::vector<int>{31, 94}));
}

TEST_F(KernelsLog, IsUnknownWhereItCannotBeRead) {
    EXPECT_EQ(XidLog("0000:3b:00.0", file + ".none").read(), std::nullopt);
}

}  // namespace
}  // namespace tocuda
