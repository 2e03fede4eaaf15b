// tocuda, Apache-2.0.
// Tests that Google Benchmark runs exactly the requested iterations, whatever its environment variables say.
#include "measurement/iterations.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace tocuda {
namespace {

TEST(Iterations, RunRequestedNumber) {
    for (const int count : {1, 5, 50}) {
        int calls = 0;
        iterate("copy/somehow", count, [&] { return ++calls, 1e-3; });
        EXPECT_EQ(calls, count);
    }
}

TEST(Iterations, AcceptSpecialCharactersInName) {
    int calls = 0;
    iterate("copy/(with) [odd] *letters*", 2, [&] { return ++calls, 0.0; });
    EXPECT_EQ(calls, 2);
}

TEST(Iterations, PrintNothing) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    iterate("copy/somehow", 3, [] { return 1.0; });
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// Runs in a separate process, because the variables are read before main.
TEST(IterationsInAnEnvironment, CountThemselves) {
    int calls = 0;
    iterate("copy/somehow", 7, [&] { return ++calls, 1e-3; });
    EXPECT_EQ(calls, 7);
}

class Variable : public testing::TestWithParam<const char*> {};
TEST_P(Variable, ChangesNothing) {
    const auto program = std::filesystem::read_symlink("/proc/self/exe").string();
    const auto output = std::filesystem::temp_directory_path() / ("iterations." + std::to_string(::getpid()));
    std::string assignment = GetParam();
    if (assignment.ends_with("=")) assignment += output.string();
    const auto command =
        "env " + assignment + " '" + program + "' --gtest_filter=IterationsInAnEnvironment.* >/dev/null 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0);
    EXPECT_FALSE(std::filesystem::exists(output));
    std::filesystem::remove(output);
}
INSTANTIATE_TEST_SUITE_P(Iterations, Variable,
                         testing::Values("BENCHMARK_REPETITIONS=3", "BENCHMARK_FILTER=nothing",
                                         "BENCHMARK_MIN_WARMUP_TIME=0.01", "BENCHMARK_LIST_TESTS=true",
                                         "BENCHMARK_OUT=", "BENCHMARK_ENABLE_RANDOM_INTERLEAVING=true",
                                         "BENCHMARK_MIN_TIME=0.01", "BENCHMARK_DRY_RUN=true"));

}  // namespace
}  // namespace tocuda
