// tocuda, Apache-2.0.
// Merges result files into one: copies sections byte for byte, sorts them independently of the file order and drops
// duplicates. Keeps only the positions of the sections in memory and only a few files open at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "record/record_reader.hpp"

namespace tocuda {

struct FoundSection {
    std::string run{};
    std::string sha256{};  // of the bytes before the end line
    std::string whole{};   // SHA-256 of all bytes
    std::size_t file = 0;  // index into the given files
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    int rows = 0;
    bool partial = false;
};

struct MergePlan {
    std::vector<FoundSection> sections{};  // in output order
    int duplicates = 0;                    // sections dropped as duplicates
    long rows = 0;
    std::vector<std::string> warnings{};
};

// Reads all files strictly, and refuses an altered section, too. The sections and their bytes do not depend on the
// order of the files or the number of threads. On failure returns the first such file in the given order.
Expected<MergePlan> plan_merge(const std::vector<std::filesystem::path>& files, unsigned threads);

// Whether `output` can be used: it must not be an input file, a folder or a device.
Expected<void> check_output(const std::filesystem::path& output, const std::vector<std::filesystem::path>& files);

// The same for an output that is a result file: nothing else is replaced by one.
Expected<void> check_result_output(const std::filesystem::path& output,
                                   const std::vector<std::filesystem::path>& files);

// Writes a temporary file beside the output and renames it once everything is on disk. On failure the output is
// unchanged.
Expected<void> write_merged(const MergePlan& plan, const std::vector<std::filesystem::path>& files,
                            const std::filesystem::path& output);

}  // namespace tocuda
