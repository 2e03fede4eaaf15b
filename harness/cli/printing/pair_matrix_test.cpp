// tocuda, Apache-2.0.
// The matrix of all pairs of GPUs.
#include "printing/pair_matrix.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

RowSummary row(std::int64_t from, std::int64_t to, double bytes_per_second) {
    RowSummary made{.benchmark = "pairs/copy",
                    .parameters = {{"by", "push"}, {"from", from}, {"to", to}},
                    .median_seconds = 1e-3,
                    .bytes_one_way = 1,
                    .bytes_per_second_one_way = bytes_per_second};
    return made;
}

TEST(PairMatrix, HasALineForEachSender) {
    auto wrong = row(1, 0, 1e9);
    wrong.status = Status::wrong;
    EXPECT_EQ(pair_matrices_text({row(0, 1, 50e9), wrong, row(2, 1, 7e9), row(2, 0, 8e9)}, Paper(false)),
              "\npairs/copy by=push, GB/s\n"
              "  from \\ to         0         1         2\n"
              "          0         -     50.00         -\n"
              "          1     wrong         -         -\n"
              "          2     8.000     7.000         -\n"
              "  Slowest: 2 to 1, 7.000 GB/s; the fastest has 50.00 GB/s.\n"
              "  No valid value: 1 to 0 (wrong).\n");
}

TEST(PairMatrix, HasTimesWhereNothingIsMoved) {
    auto slow = row(0, 1, 0);
    slow.bytes_per_second_one_way.reset();
    slow.bytes_one_way = 0;
    auto other = slow;
    other.parameters["to"] = 2;
    auto third = slow;
    third.parameters["from"] = 2;
    const auto alike = pair_matrices_text({slow, other, third}, Paper(false));
    EXPECT_NE(alike.find("All alike: 1.000 ms.\n"), std::string::npos) << alike;
    third.median_seconds = 2e-3;
    const auto text = pair_matrices_text({slow, other, third}, Paper(false));
    EXPECT_NE(text.find("Slowest: 2 to 1, 2.000 ms; the fastest has 1.000 ms.\n"), std::string::npos) << text;
}

TEST(PairMatrix, IsNotDrawnForTwoGpusOrOtherRows) {
    EXPECT_EQ(pair_matrices_text({row(0, 1, 1e9), row(1, 0, 1e9)}, Paper(false)), "");
    auto convert = row(0, 1, 1e9);
    convert.parameters["from"] = "float";
    EXPECT_EQ(pair_matrices_text({convert, convert, convert}, Paper(false)), "");
}

}  // namespace
}  // namespace tocuda
