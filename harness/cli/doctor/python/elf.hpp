// tocuda, Apache-2.0.
// Reads what the dynamic loader reads of a shared library, without loading it: a few pages of a file of any size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda::doctor {

struct ElfSymbol {
    std::string name;
    std::string file{};  // the library whose version it needs; empty if it needs no version
};

struct ElfFile {
    std::string machine{};  // "x86_64", "aarch64"; else the number
    std::string soname{};
    std::vector<std::string> needed{};
    std::optional<std::string> rpath{};
    std::optional<std::string> runpath{};
};

// nullopt if it is no 64-bit little-endian ELF file, or a damaged one.
std::optional<ElfFile> read_elf(const std::filesystem::path& file);

// The symbols that a library takes from others, except those of C++ without a version, which libraries that are built
// together take from each other; and the symbols that it offers.
std::vector<ElfSymbol> imports_of(const std::filesystem::path& file);
std::set<std::string, std::less<>> exports_of(const std::filesystem::path& file);

// The bytes of a section such as .rodata; empty if there is none.
std::string section_of(const std::filesystem::path& file, std::string_view name);

}  // namespace tocuda::doctor
