// tocuda, Apache-2.0.
// The place of a meeting, for the one who starts those that meet there. The file goes away with this object.
#pragma once

#include <filesystem>

#include "model/meeting.hpp"

namespace tocuda {

class MeetingFile {
public:
    MeetingFile(std::filesystem::path file, std::uint32_t members);  // throws where it cannot be made
    ~MeetingFile();
    MeetingFile(const MeetingFile&) = delete;
    MeetingFile& operator=(const MeetingFile&) = delete;

    const std::filesystem::path& path() const { return file; }
    // One of them has ended: the others wait for it no longer.
    void leave() { ++meeting->left; }

private:
    std::filesystem::path file;
    Meeting* meeting = nullptr;
};

}  // namespace tocuda
