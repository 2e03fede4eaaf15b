// tocuda, Apache-2.0.
// Tests which variables a child's environment keeps, loses and gains.
#include "process/clean_environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tocuda {
namespace {

class Scrubbed : public testing::TestWithParam<std::string> {};
TEST_P(Scrubbed, ChangesEvidence) { EXPECT_TRUE(changes_evidence(GetParam())); }
INSTANTIATE_TEST_SUITE_P(CleanEnvironment, Scrubbed,
                         testing::Values("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF",
                                         "PYTORCH_NVML_BASED_CUDA_CHECK", "PYTORCH_NO_CUDA_MEMORY_CACHING",
                                         "CUDA_LAUNCH_BLOCKING", "CUDA_FORCE_PTX_JIT", "CUDA_MODULE_LOADING",
                                         "CUBLAS_WORKSPACE_CONFIG", "TORCH_SHOW_CPP_STACKTRACES", "BENCHMARK_FILTER",
                                         "TOCUDA_DRIVER", "TOCUDA_SIMULATION", "LD_PRELOAD", "LD_AUDIT"),
                         [](const auto& test) { return test.param; });

class Kept : public testing::TestWithParam<std::string> {};
TEST_P(Kept, DoesNotChangeEvidence) { EXPECT_FALSE(changes_evidence(GetParam())); }
INSTANTIATE_TEST_SUITE_P(CleanEnvironment, Kept,
                         testing::Values("PATH", "HOME", "LD_LIBRARY_PATH", "PYTHONPATH", "CUDA_VISIBLE_DEVICES",
                                         "CUDA_DEVICE_ORDER", "CUDA_HOME", "CUDA_CACHE_PATH", "TORCH_HOME",
                                         "TOCUDA_PREFIX", "TOCUDA_PYTHON", "OMP_NUM_THREADS", "BENCHMARKS",
                                         "ASAN_OPTIONS"),
                         [](const auto& test) { return test.param; });

TEST(CleanEnvironment, VariantSetsReplacesAndRemoves) {
    const Environment here{{"KEPT", "1"}, {"REPLACED", "old"}, {"TAKEN", "2"}};
    const Environment variant{{"REPLACED", "new"}, {"TAKEN", std::nullopt}, {"SET", ""}};
    EXPECT_EQ(child_environment(here, {variant}), (std::vector<std::string>{"KEPT=1", "REPLACED=new", "SET="}));
}

TEST(CleanEnvironment, VariantMaySetScrubbedVariables) {
    const Environment here{{"PYTORCH_CUDA_ALLOC_CONF", "backend:native"}};
    EXPECT_EQ(child_environment(here, {{{"PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:20"}}}),
              std::vector<std::string>{"PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:20"});
}

TEST(CleanEnvironment, LaterChangesWin) {
    EXPECT_EQ(child_environment({}, {{{"A", std::nullopt}, {"B", "stand-in"}}, {{"A", "variant"}, {"B", "variant"}}}),
              (std::vector<std::string>{"A=variant", "B=variant"}));
}

TEST(CleanEnvironment, ReadsValuesThatContainEqualsSigns) {
    setenv("CLEAN_ENVIRONMENT_TEST", "a=b=c", 1);
    const auto here = environment_of_this_process();
    unsetenv("CLEAN_ENVIRONMENT_TEST");
    EXPECT_EQ(here.at("CLEAN_ENVIRONMENT_TEST"), "a=b=c");
}

}  // namespace
}  // namespace tocuda
