// tocuda, Apache-2.0.
// Times are written as text and read back.
#include "model/utc.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

TEST(Utc, IsWrittenToTheSecond) { EXPECT_EQ(utc_text(sys_seconds{seconds{1795255200}}), "2026-11-21T10:00:00Z"); }

TEST(Utc, LeapDayIsWritten) { EXPECT_EQ(utc_text(sys_seconds{seconds{1709164800}}), "2024-02-29T00:00:00Z"); }

TEST(Utc, IsReadBack) {
    for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1709251199}, std::int64_t{4102444799}})
        EXPECT_EQ(utc_of(utc_text(sys_seconds{seconds{count}})), sys_seconds{seconds{count}}) << count;
}

TEST(Utc, RefusesAnythingElse) {
    for (const char* text :
         {"", "2026-11-21", "2026-11-21T10:00:00", "2026-13-01T10:00:00Z", "2026-02-30T10:00:00Z",
          "2026-11-21T25:00:00Z", "2026-11-21 10:00:00Z", "2026-11-21T-1:00:00Z", "2026-11-21T10:00:00Zx"})
        EXPECT_EQ(utc_of(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tocuda
