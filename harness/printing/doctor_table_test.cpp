// tocuda, Apache-2.0.
#include "printing/doctor_table.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(DoctorTable, NamesARemedyOfSeveralFindingsOnce) {
    const auto text =
        doctor_table({.findings = {doctor::fault("a", "broken", "reboot"), doctor::fault("b", "broken", "reload"),
                                   doctor::fault("c", "broken", "reboot"), doctor::warning("d", "slow", "reload"),
                                   doctor::ok("e", "well")}},
                     Paper(false));
    EXPECT_EQ(text.substr(text.find("Do:")), "Do:   reboot\nThen: reload\n") << text;
}

}  // namespace
}  // namespace tocuda
