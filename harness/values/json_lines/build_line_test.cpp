// tocuda, Apache-2.0.
// The version line is read back, and so is the sentence of older builds.
#include "json_lines/build_line.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(BuildLine, IsReadBack) {
    for (const auto& build :
         {Build{{"0.1.0", "0123456789abcdef0123456789abcdef01234567", false}, 3}, Build{{"0.2.0", {}, true}, 1}}) {
        const auto read = build_line(to_line(build));
        ASSERT_TRUE(read) << read.error().what;
        EXPECT_EQ(*read, build);
    }
}

TEST(BuildLine, SentenceMeansProtocolOne) {
    for (const auto& build : {Build{{"0.1.0", "0123456789ab", true}, 1}, Build{{"0.1.0", "0123456789ab", false}, 1},
                              Build{{"0.1.0", {}, false}, 1}}) {
        const auto read = build_line(version_text(build));
        ASSERT_TRUE(read) << read.error().what;
        EXPECT_EQ(*read, build);
    }
}

TEST(BuildLine, RefusesAnythingElse) {
    for (const char* text : {"", "bash 5.2 (1)", "tocuda 0.1.0", "{}", "{\"version\":1}"})
        EXPECT_FALSE(build_line(text)) << text;
    EXPECT_FALSE(build_line("tocuda " + std::string(std::size_t{1} << 22U, '1') + " (commit unknown)"))
        << "too long for the regular expression";
}

}  // namespace
}  // namespace tocuda
