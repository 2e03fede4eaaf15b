// tocuda, Apache-2.0.
// Checks whether a result file is whole, unaltered and possible. This detects damage and careless edits but not
// forgery, since anyone can write new checksums. Against that, `cite` prints the start of the digest and
// `verify --cited` compares it.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/problem.hpp"
#include "record/record_reader.hpp"

namespace tocuda {

struct VerifiedSection {
    RunLine run{};
    int line = 0;      // of the run line
    int end_line = 0;  // 0: missing
    int rows = 0;
    std::string sha256{};  // of all bytes before the end line
};

struct Verification {
    bool whole = true;                 // every section has its end line, every line parses, the row counts match
    bool unaltered = true;             // every checksum and every row id matches the content
    std::vector<Problem> problems{};   // in line order
    std::vector<std::string> notes{};  // what could not be checked or is unusual
    std::vector<VerifiedSection> sections{};

    bool good() const { return problems.empty(); }
};

inline std::chrono::sys_seconds by_this_clock() {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

// Fails if the file is missing or empty. Anything wrong with a line is one of the problems found; a run more than a day
// after `now` is a note.
Expected<Verification> verify_file(const std::filesystem::path& file, std::chrono::sys_seconds now = by_this_clock());
Expected<Verification> verify_bytes(std::string_view bytes, const std::string& name,
                                    std::chrono::sys_seconds now = by_this_clock());

// Whether a section with an end line has a sha256 that starts with the cited digits.
Expected<void> check_citation(const Verification& verification, const std::string& digits);

}  // namespace tocuda
