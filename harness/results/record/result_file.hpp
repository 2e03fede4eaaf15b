// tocuda, Apache-2.0.
// Writes a result file. Each line is appended and synced by itself, so that a crash leaves whole lines. A line that
// could not be written completely is removed.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "model/machine.hpp"
#include "model/problem.hpp"
#include "record/digest.hpp"

namespace tocuda {

// The file's name, derived from its first run: "20261121T100000Z-bench-real-11111111.jsonl"
std::string result_file_name(const RunLine& run);

struct RecordError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class ResultFile {
public:
    // Creates DIRECTORY/<time>-<verb>-<device>-<run>.jsonl and writes the run line. Throws RecordError with a message
    // for users.
    static ResultFile create(const std::filesystem::path& directory, const RunLine& run);
    // Appends a section. First moves a torn last line to FILE.torn and adds the end line that a section lacks. Throws
    // RecordError if another process is writing to the file.
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

// Whether files can be written to the folder. Checked before anything runs.
Expected<void> check_writable(const std::filesystem::path& directory);

}  // namespace tocuda
