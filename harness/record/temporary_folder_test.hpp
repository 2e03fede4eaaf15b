// tocuda, Apache-2.0.
// For tests: a folder of each test's own, which goes away with it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tocuda {

class TemporaryFolder : public ::testing::Test {
protected:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "tocuda-record-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::filesystem::filesystem_error("mkdtemp", name, {});
        folder = name;
    }
    ~TemporaryFolder() override { std::filesystem::remove_all(folder); }

    std::filesystem::path write(const std::string& name, const std::string& content) const {
        std::ofstream(folder / name, std::ios::binary) << content;
        return folder / name;
    }
    static std::string content(const std::filesystem::path& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    std::filesystem::path folder;
};

}  // namespace tocuda
