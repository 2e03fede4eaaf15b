// tocuda, Apache-2.0.
// Is a result file whole, unaltered and possible? It shows damage and careless edits, not forgery: who writes new
// checksums is believed here. `cite` prints the beginning of the digest for that, and `verify --cited` compares.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/problem.hpp"
#include "record/record_reader.hpp"

namespace tocuda {

struct VerifiedSection {
    RunLine run{};
    int line = 0;      // of its run line
    int end_line = 0;  // 0: it has none
    int rows = 0;
    std::string sha256{};  // of every byte before its end line
};

struct Verification {
    bool whole = true;      // every section has its end, every line reads well, the rows are as many as were written
    bool unaltered = true;  // every checksum and every id is that of what stands there
    std::vector<Problem> problems{};   // in the order of their lines
    std::vector<std::string> notes{};  // what could not be checked, or is odd
    std::vector<VerifiedSection> sections{};

    bool good() const { return problems.empty(); }
};

inline std::chrono::sys_seconds by_this_clock() {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

// Unreadable: no file, or an empty one. Whatever is wrong with a line is a problem.
// What lies in time to come, as `now` tells it, is a note.
std::variant<Verification, Unreadable> verify_file(const std::filesystem::path& file,
                                                   std::chrono::sys_seconds now = by_this_clock());
std::variant<Verification, Unreadable> verify_bytes(std::string_view bytes, const std::string& name,
                                                    std::chrono::sys_seconds now = by_this_clock());

// What does not match where a citation gives the first digits of a digest, or nothing: they are those of a section's
// sha256, before its end.
std::string wrong_with_citation(const Verification& verification, const std::string& digits);

}  // namespace tocuda
