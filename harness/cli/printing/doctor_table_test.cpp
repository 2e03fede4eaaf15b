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

TEST(DoctorTable, KeepsACommandInOneLineAndWrapsWhatIsSaidOfIt) {
    const std::string command =
        "export LD_LIBRARY_PATH=$(python -c 'import nvidia.cudnn as n; print(list(n.__path__)[0])')/lib";
    const std::string note = "(a folder of its own, which no other program looks at, whatever else is installed there)";
    const std::string sentence = "use a smaller batch, or a smaller model, or several GPUs, or less of everything else";
    doctor::Explanation told;
    told.remedies = {command + "   " + note, sentence};
    const auto text = explanation_text(told, Paper(false));
    EXPECT_NE(text.find("Do:   " + command + "\n      (a folder of its own"), std::string::npos) << text;
    EXPECT_EQ(text.find(sentence), std::string::npos) << "a sentence is wrapped:\n" << text;
    EXPECT_EQ(text.find(note), std::string::npos) << "a note is wrapped:\n" << text;
}

}  // namespace
}  // namespace tocuda
