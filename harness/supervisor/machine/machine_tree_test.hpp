// tocuda, Apache-2.0.
// For tests: a machine made of files in a temporary folder, which is removed in the destructor.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "model/folder_test.hpp"

namespace tocuda {

class MachineTree {
public:
    void write(const std::string& file, const std::string& text) const {
        std::filesystem::create_directories((root / file).parent_path());
        std::ofstream(root / file) << text;
    }
    void folder(const std::string& name) const { std::filesystem::create_directories(root / name); }

private:
    const TestFolder own{};

public:
    const std::filesystem::path& root = own.path();
};

}  // namespace tocuda
