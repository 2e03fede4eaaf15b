// tocuda, Apache-2.0.
#include "model/row_flag.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(Flag, IsACodeWithADetail) {
    EXPECT_EQ(Flag("sw_power_cap"), Flag("sw_power_cap", ""));
    EXPECT_EQ(Flag("xid (79)"), Flag("xid", "79"));
    EXPECT_EQ(Flag("affinity_not_set (sched_setaffinity (2): denied)"),
              Flag("affinity_not_set", "sched_setaffinity (2): denied"));
}

TEST(Flag, RemarkHasNoCode) {
    for (const auto* text : {"in pieces of 16 MiB", "cast by 16 threads", "simulated: nothing is multiplied (at all)",
                             "NCCL 2.28, 2 GPUs", "by 12 of 132 blocks", "xid (79", ""})
        EXPECT_EQ(Flag(text), Flag("", text));
}

TEST(Flag, TextOfFilesStays) {
    for (const auto* text : {"sw_power_cap", "coarse_timer (1000 ns)", "in pieces of 16 MiB", "slower (by (3) %)"})
        EXPECT_EQ(Flag(text).text(), text);
}

TEST(Flag, OlderRecordingsNameTheirChoiceInAnotherForm) {
    EXPECT_EQ(Flag("by unrolled hint=plain in_flight=4 (run ea3f9968)").text(),
              "chosen (unrolled hint=plain in_flight=4, run ea3f9968)");
}

}  // namespace
}  // namespace tocuda
