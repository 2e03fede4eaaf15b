// tocuda, Apache-2.0.
// Writes a file beside the one that it replaces, so that a failure leaves the old one unchanged.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "model/problem.hpp"
#include "record/record_reader.hpp"

namespace tocuda {

// A temporary file beside the output; removed unless it was renamed to the output. After a failure errno says why.
class Replacement {
public:
    explicit Replacement(const std::filesystem::path& path);
    ~Replacement();
    Replacement(const Replacement&) = delete;
    Replacement& operator=(const Replacement&) = delete;

    bool opened() const { return file.number >= 0; }
    bool write(std::string_view bytes) const;
    bool put_in_place();  // once everything is on disk

private:
    std::filesystem::path output;
    std::string name;
    OpenFile file;
    bool in_place = false;
};

// Replaces a file's content as a whole.
Expected<void> replace_content(const std::filesystem::path& file, std::string_view bytes);

}  // namespace tocuda
