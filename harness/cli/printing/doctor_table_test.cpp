// tocuda, Apache-2.0.
#include "printing/doctor_table.hpp"

#include <gtest/gtest.h>

#include "doctor/deep.hpp"

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

TEST(DoctorTable, SaysThatTwoGpusDoNotReachEachOther) {
    const auto peers = doctor::fault(doctor::peers_check, "cuda:0 to cuda:1", "reboot");
    EXPECT_TRUE(doctor_table({.findings = {peers}}, Paper(false)).starts_with("GPUs not usable together: cuda:0 to"));
    EXPECT_TRUE(doctor_table({.findings = {doctor::fault("cuInit", "999", "reboot"), peers}}, Paper(false))
                    .starts_with("GPU not usable: 999"));
}

}  // namespace
}  // namespace tocuda
