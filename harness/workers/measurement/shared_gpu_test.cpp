// tocuda, Apache-2.0.
#include "measurement/shared_gpu.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(SharedGpu, WholeGpuOfOneProcessHasNoFlag) { EXPECT_EQ(sharing_flags(false, false, "/nowhere"), Flags{}); }

TEST(SharedGpu, MigAndMpsAreNamed) {
    EXPECT_EQ(sharing_flags(true, false, "/nowhere"), Flags{"mig_instance"});
    EXPECT_EQ(sharing_flags(false, true, "/nowhere"), Flags{"mps_server"});
    EXPECT_EQ(sharing_flags(true, true, "/nowhere"), (Flags{"mig_instance", "mps_server"}));
}

TEST(SharedGpu, ListeningDaemonCountsIfTheDriverDoesNotSay) {
    const auto control = "/proc/self/exe";  // any file
    EXPECT_EQ(sharing_flags(false, std::nullopt, control), Flags{"mps_server"});
    EXPECT_EQ(sharing_flags(false, false, control), Flags{}) << "the driver knows better";
    EXPECT_EQ(sharing_flags(false, std::nullopt, "/nowhere/control"), Flags{});
}

TEST(SharedGpu, DaemonListensWhereTheVariableSays) {
    ::unsetenv("CUDA_MPS_PIPE_DIRECTORY");
    EXPECT_EQ(mps_control(), "/tmp/nvidia-mps/control");
    ::setenv("CUDA_MPS_PIPE_DIRECTORY", "/run/mps", 1);
    EXPECT_EQ(mps_control(), "/run/mps/control");
    ::unsetenv("CUDA_MPS_PIPE_DIRECTORY");
}

}  // namespace
}  // namespace tocuda
