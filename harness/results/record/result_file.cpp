// tocuda, Apache-2.0.
#include "record/result_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "json_lines/lines.hpp"
#include "model/row.hpp"

namespace tocuda {
namespace {

namespace filesystem = std::filesystem;

[[noreturn]] void fail(const filesystem::path& path, const std::string& what) {
    throw RecordError(path.string() + ": " + what + ": " + std::strerror(errno));
}

// Moves the text after the last newline, an incomplete line, to FILE.torn: recorded data is never discarded.
void move_torn_line(const filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    const auto newline = content.rfind('\n');
    const auto whole = newline == std::string::npos ? 0 : newline + 1;
    if (whole == content.size()) return;
    std::ofstream torn(path.string() + ".torn", std::ios::binary | std::ios::app);
    torn << content.substr(whole) << '\n' << std::flush;
    if (!torn) fail(path.string() + ".torn", "cannot be written");
    if (::truncate(path.c_str(), static_cast<off_t>(whole)) != 0)
        fail(path, "cannot be truncated to its last whole line");
}

}  // namespace

Expected<void> check_writable(const filesystem::path& directory) {
    std::error_code error;
    filesystem::create_directories(directory, error);
    if (error) return problem(directory.string() + ": cannot be created: " + error.message());
    const auto failed = [&] { return problem(directory.string() + ": cannot be written: " + std::strerror(errno)); };
    auto trial = (directory / ".tocuda-trial-XXXXXX").string();
    const int file = ::mkstemp(trial.data());
    if (file < 0) return failed();
    const bool written = ::write(file, "\n", 1) == 1 && ::fsync(file) == 0;
    const auto result = written ? Expected<void>() : failed();
    ::close(file);
    ::unlink(trial.c_str());
    return result;
}

ResultFile ResultFile::create(const filesystem::path& directory, const RunLine& run) {
    std::error_code ignored;
    filesystem::create_directories(directory, ignored);
    const auto path = directory / result_file_name(run);
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) fail(path, "cannot be created");
    ResultFile result(path, file);
    result.keep_to_ourselves();
    try {
        result.write_line(to_line(run));
    } catch (const RecordError&) {
        ::unlink(path.c_str());  // a file without a run line is useless
        throw;
    }
    return result;
}

ResultFile ResultFile::resume(const filesystem::path& path, const RunLine& run) {
    const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0) fail(path, "cannot be opened");
    ResultFile result(path, file);
    result.keep_to_ourselves();
    move_torn_line(path);
    result.end_cut_section();
    result.write_line(to_line(run));
    return result;
}

// Adds an end line, whose checksum protects the section from now on.
void ResultFile::end_cut_section() {
    std::ifstream in(place, std::ios::binary);
    Digest section;
    bool is_open = false;
    int rows = 0;
    for (std::string line; std::getline(in, line);) {
        const bool is_first = line.starts_with(R"({"kind":"run")");
        if (is_first) section = Digest();
        rows = is_first ? 0 : rows + 1;
        is_open = is_first || (is_open && !line.starts_with(R"({"kind":"end")"));
        section.add(line + "\n");
    }
    if (!is_open) return;
    write_line(to_line(EndLine{"interrupted", rows, section.hex()}));
    digest = Digest();
}

ResultFile::ResultFile(ResultFile&& other) noexcept
    : place(std::move(other.place)), file(std::exchange(other.file, -1)), written_rows(other.written_rows),
      digest(std::move(other.digest)) {}

ResultFile::~ResultFile() {
    if (file >= 0) ::close(file);
}

// Two writers would mix their lines in one section. The lock is released with the descriptor.
void ResultFile::keep_to_ourselves() const {
    if (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        throw RecordError(place.string() + ": is being written by another tocuda");
}

void ResultFile::write_line(std::string_view text) {
    const std::string line = std::string(text) + "\n";
    struct stat before{};
    if (::fstat(file, &before) != 0) fail(place, "cannot be read");
    std::string_view rest = line;
    while (!rest.empty()) {
        const auto written = ::write(file, rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            const int cause = errno;
            if (::ftruncate(file, before.st_size) != 0)
                throw RecordError(place.string() + ": a partly written line could not be removed");
            errno = cause;
            fail(place, "cannot be written");
        }
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fsync(file) != 0) fail(place, "cannot be synced");
    digest.add(line);
}

void ResultFile::append(std::string_view line) {
    write_line(line);
    ++written_rows;
}

void ResultFile::end(const std::string& status) { write_line(to_line(EndLine{status, written_rows, digest.hex()})); }

std::string result_file_name(const RunLine& run) {
    std::string time;
    std::copy_if(run.time.begin(), run.time.end(), std::back_inserter(time),
                 [](char c) { return c != '-' && c != ':'; });
    return time + "-" + run.verb + "-" + std::string(word(run.device)) + "-" + run.run.substr(0, 8) + ".jsonl";
}

}  // namespace tocuda
