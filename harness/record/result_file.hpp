// tocuda, Apache-2.0.
// A result file while it is written: lines are appended and synced one by one, so that whatever happens leaves whole
// lines. A line that could not be written whole is taken back.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "model/machine.hpp"
#include "record/digest.hpp"

namespace tocuda {

struct RecordError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class ResultFile {
public:
    // Creates DIRECTORY/<time>-<verb>-<device>-<run>.jsonl and writes the run line. Throws RecordError with a text for
    // people.
    static ResultFile create(const std::filesystem::path& directory, const RunLine& run);
    // Appends a section to a file that nobody else writes to; a torn last line moves to FILE.torn first, and a section
    // that was cut off gets its end.
    static ResultFile resume(const std::filesystem::path& file, const RunLine& run);

    ~ResultFile();
    ResultFile(ResultFile&&) noexcept;
    ResultFile& operator=(ResultFile&&) = delete;

    void append(std::string_view line);
    void end(const std::string& status);
    const std::filesystem::path& path() const { return place; }
    int rows() const { return written_rows; }

private:
    ResultFile(std::filesystem::path path, int descriptor) : place(std::move(path)), file(descriptor) {}
    void write_line(std::string_view line);
    void keep_to_ourselves() const;
    void end_cut_section();

    std::filesystem::path place;
    int file;
    int written_rows = 0;
    Digest digest;
};

// Says why nothing can be written there, or nothing. Tried before anything is run.
std::string why_not_writable(const std::filesystem::path& directory);

}  // namespace tocuda
