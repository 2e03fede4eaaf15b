// tocuda, Apache-2.0.
// For tests: verifies the text of a made-up result file and edits such texts.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "record/made_up_file_test.hpp"
#include "record/verification.hpp"

namespace tocuda::made_up {

inline Verification verified(const std::string& text, const std::string& name = file_name) {
    return verify_bytes(text, name, now).value();
}

inline std::string listed(const Verification& verification) {
    std::string text;
    for (const auto& [what, line] : verification.problems) text += std::to_string(line) + ": " + what + "\n";
    return text;
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return place == std::string::npos ? text : text.replace(place, from.size(), to);
}

inline std::string without_line(const std::string& text, int line) {
    std::size_t begin = 0;
    for (int i = 1; i < line; ++i) begin = text.find('\n', begin) + 1;
    return text.substr(0, begin) + text.substr(text.find('\n', begin) + 1);
}

}  // namespace tocuda::made_up
