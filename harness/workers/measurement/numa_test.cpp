// tocuda, Apache-2.0.
// Tests the parsing of the kernel's node lists and the choice of the near and the far node.
#include "measurement/numa.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

using Nodes = std::vector<int>;

TEST(Numa, ChoosesFarthestNodeAsFar) {
    const auto nodes = nodes_of(1, {0, 1, 2}, "32 10 12");
    EXPECT_EQ(nodes.near, 1);
    EXPECT_EQ(nodes.far, 0);
    EXPECT_EQ(nodes.why_not, "");
}

TEST(Numa, ChoosesAnyOtherNodeAsFarWithoutDistances) { EXPECT_EQ(nodes_of(1, {0, 1}, "").far, 0); }

TEST(Numa, RejectsSingleNode) {
    EXPECT_EQ(nodes_of(0, {0}, "10").why_not, "two NUMA nodes with memory are needed; there is 1");
}

TEST(Numa, RejectsUnknownGpuNode) {
    EXPECT_EQ(nodes_of(-1, {0, 1}, "10 20").why_not, "the GPU's NUMA node is needed; this system does not report it");
}

// Two with processors, one with memory alone, one without.
HostNodes several() {
    return HostNodes({{.number = 0, .processors = {0, 1}},
                      {.number = 1, .has_memory = false, .processors = {2, 3}},
                      {.number = 3},
                      {.number = 4, .has_memory = false}});
}

TEST(HostNodes, ThreadsRunWhereProcessorsAre) {
    EXPECT_EQ(several().processors_on(std::nullopt), (Nodes{0, 1, 2, 3}));
    EXPECT_EQ(several().processors_on(1), (Nodes{2, 3}));
    EXPECT_EQ(several().why_not_on(1), "");
    for (const int number : {3, 7})
        EXPECT_EQ(several().why_not_on(number), "a NUMA node with processors that this process may use is needed; " +
                                                    std::to_string(number) + " is not among 0, 1");
}

TEST(HostNodes, MemoryIsWhereNodesHaveSome) {
    EXPECT_EQ(several().why_not_in(3), "");
    EXPECT_EQ(several().why_not_in(1), "a NUMA node with memory is needed; 1 is not among 0, 3");
    EXPECT_TRUE(several().have_memory_elsewhere());
    const std::vector<HostNode> single{{.number = 0, .processors = {0}}};
    EXPECT_FALSE(HostNodes(single).have_memory_elsewhere());
}

}  // namespace
}  // namespace tocuda
