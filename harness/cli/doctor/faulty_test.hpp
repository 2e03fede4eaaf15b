// tocuda, Apache-2.0.
// For tests of machines with exactly one fault: it is named first, with its evidence and a command to type.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "doctor/made_up_machine_test.hpp"

namespace tocuda::doctor {

class Faulty : public testing::Test {
protected:
    // The cause is this check, and evidence and remedy contain these words.
    void expect(const std::string& check, const std::string& evidence, const std::string& remedy) const {
        const auto findings = machine.findings();
        const auto* cause = cause_of(findings);
        ASSERT_NE(cause, nullptr) << in_words(findings);
        EXPECT_EQ(cause->check, check) << in_words(findings);
        EXPECT_NE(cause->evidence.find(evidence), std::string::npos) << in_words(findings);
        EXPECT_NE(cause->remedy.find(remedy), std::string::npos) << in_words(findings);
        for (const auto& one : findings) {
            EXPECT_FALSE(one.evidence.empty()) << one.check;
            EXPECT_TRUE(one.state != State::fault || !one.remedy.empty()) << one.check;
        }
    }

    std::string remedy() const {
        const auto findings = machine.findings();
        return cause_of(findings)->remedy;
    }

    MadeUpMachine machine;
};

}  // namespace tocuda::doctor
