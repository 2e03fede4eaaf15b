// tocuda, Apache-2.0.
// Files below a folder that stands for /: symbolic links are followed as the machine with that root would.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda::doctor {

class Rooted {
public:
    explicit Rooted(std::filesystem::path folder) : root(std::move(folder)) {}

    // Where a path of that machine is here; the part that does not exist is kept as it is.
    std::filesystem::path here(const std::string& path) const;
    // The path on that machine with all links followed; nullopt if there is no such file.
    std::optional<std::string> real(const std::string& path) const;

    bool exists(const std::string& path) const;
    bool is_folder(const std::string& path) const;
    std::optional<std::string> text(const std::string& path) const;
    std::vector<std::string> names(const std::string& folder) const;  // sorted; empty if it is no folder

private:
    std::filesystem::path root;

    std::string followed(const std::string& path) const;
};

// "/a/b/../c" as "/a/c".
std::string normal(std::string_view path);

}  // namespace tocuda::doctor
