// tocuda, Apache-2.0.
// The files of a fleet as one: sections byte for byte, in an order that is their own, equal ones once. Nothing of a
// file is held but where its sections lie, and no more than a few files are open at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "record/record_reader.hpp"

namespace tocuda {

struct FoundSection {
    std::string run{};
    std::string sha256{};  // before its end line: with `run` what the order is of
    std::string whole{};
    std::size_t file = 0;  // which of those that were given
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    int rows = 0;
    bool partial = false;
};

struct MergePlan {
    std::vector<FoundSection> sections{};  // in the order in which they are written
    int duplicates = 0;                    // that are not
    long rows = 0;
    std::vector<std::string> warnings{};
};

// Reads all files, strictly. Whatever the order of the files and the number of threads, sections and their bytes are
// the same; the first file that cannot be read, in the order given, is told.
std::variant<MergePlan, Unreadable> plan_merge(const std::vector<std::filesystem::path>& files, unsigned threads);

// Why the output cannot be that, or nothing: one of the files themselves, a folder, a device.
std::string why_no_output(const std::filesystem::path& output, const std::vector<std::filesystem::path>& files);

// Writes them beside the output and puts that in its place when all of it is on the disk. What went wrong, or nothing:
// then nothing was changed.
std::string write_merged(const MergePlan& plan, const std::vector<std::filesystem::path>& files,
                         const std::filesystem::path& output);

}  // namespace tocuda
