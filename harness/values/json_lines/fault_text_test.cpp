// tocuda, Apache-2.0.
// Faults are parsed, and errors name the invalid word.
#include <gtest/gtest.h>

#include "json_lines/simulated_text.hpp"

namespace tocuda {
namespace {

TEST(Fault, ParsesAFailingCall) {
    EXPECT_EQ(*parse_fault("cudaMalloc 3 2"), (SimulatedFault{.function = "cudaMalloc", .call = 3, .error = 2}));
}

TEST(Fault, ParsesSticky) {
    const auto fault = parse_fault("cudaFree 1 700 sticky");
    ASSERT_TRUE(fault) << fault.error().what;
    EXPECT_TRUE(fault->sticky);
    EXPECT_EQ(fault->error, 700);
}

TEST(Fault, ParsesHang) {
    EXPECT_EQ(*parse_fault("cudaMemcpyAsync 2 hang"),
              (SimulatedFault{.function = "cudaMemcpyAsync", .call = 2, .hang = true}));
}

TEST(Fault, ParsesAWrongByte) {
    EXPECT_EQ(*parse_fault("cudaMemcpyAsync 2 wrong"),
              (SimulatedFault{.function = "cudaMemcpyAsync", .call = 2, .wrong = true}));
}

TEST(Fault, ParsesOneBetweenTwoGpus) {
    for (const char* kind : {"lost", "mirrored", "stalled", "uncopied"})
        EXPECT_EQ(*parse_fault(std::string("peer 3 0 ") + kind), (SimulatedFault{.peer = kind, .from = 3, .to = 0}));
}

struct Bad {
    const char* text;
    const char* what;
};
class BadFault : public testing::TestWithParam<Bad> {};

TEST_P(BadFault, NamesTheInvalidWord) {
    const auto fault = parse_fault(GetParam().text);
    ASSERT_FALSE(fault);
    EXPECT_EQ(fault.error().what, "fault '" + std::string(GetParam().text) + "': " + GetParam().what +
                                      "; a fault is FUNCTION CALL ERROR|hang|wrong [sticky], as in 'cudaMalloc 3 2 "
                                      "sticky', or peer FROM TO lost|mirrored|stalled|uncopied");
}

INSTANTIATE_TEST_SUITE_P(
    Fault, BadFault,
    testing::Values(Bad{"", "has 0 words"}, Bad{"cudaMalloc", "has 1 word"},
                    Bad{"cudaMalloc 1 2 sticky now", "has 5 words"},
                    Bad{"cudaMalloc 1 1000", "'1000' is no error of CUDA (1 to 999)"},
                    Bad{"malloc 1 2", "'malloc' is not a runtime function"},
                    Bad{"cudaMalloc 0 2", "'0' is not a call number (the first call is 1)"},
                    Bad{"cudaMalloc two 2", "'two' is not a call number (the first call is 1)"},
                    Bad{"cudaMalloc 1 two", "'two' is neither an error number nor 'hang' nor 'wrong'"},
                    Bad{"cudaMalloc 1 -2", "'-2' is neither an error number nor 'hang' nor 'wrong'"},
                    Bad{"cudaMalloc 1 9999999999", "'9999999999' is neither an error number nor 'hang' nor 'wrong'"},
                    Bad{"peer 0 lost", "has 3 words"}, Bad{"peer 0 one lost", "'one' is not a GPU's number"},
                    Bad{"peer 1 1 lost", "a GPU is no peer of itself"},
                    Bad{"peer 0 1 found", "'found' is not among lost, mirrored, stalled, uncopied"},
                    Bad{"cudaMalloc 1 2 often", "'often' is not 'sticky'"}));

}  // namespace
}  // namespace tocuda
