// tocuda, Apache-2.0.
// For tests: a folder for each test's result files.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "model/folder_test.hpp"

namespace tocuda {

class ResultFolder : public ::testing::Test {
protected:
    std::filesystem::path write(const std::string& name, const std::string& content) const {
        std::ofstream(folder / name, std::ios::binary) << content;
        return folder / name;
    }
    static std::string content(const std::filesystem::path& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    const TestFolder own{};
    const std::filesystem::path& folder = own.path();
};

}  // namespace tocuda
