// tocuda, Apache-2.0.
// For tests: a machine made of files in a folder of its own, which goes away with it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tocuda {

class MachineTree {
public:
    MachineTree() {
        std::string pattern = std::filesystem::temp_directory_path() / "tocuda-machine-XXXXXX";
        if (mkdtemp(pattern.data()) == nullptr) throw std::filesystem::filesystem_error("mkdtemp", pattern, {});
        root = pattern;
    }
    ~MachineTree() {
        std::error_code ignored;
        std::filesystem::permissions(root, std::filesystem::perms::owner_all, ignored);
        std::filesystem::remove_all(root, ignored);
    }
    MachineTree(const MachineTree&) = delete;
    MachineTree& operator=(const MachineTree&) = delete;

    void write(const std::string& file, const std::string& text) const {
        std::filesystem::create_directories((root / file).parent_path());
        std::ofstream(root / file) << text;
    }
    void folder(const std::string& name) const { std::filesystem::create_directories(root / name); }

    std::filesystem::path root;
};

}  // namespace tocuda
