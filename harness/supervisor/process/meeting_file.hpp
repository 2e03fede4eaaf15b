// tocuda, Apache-2.0.
// Owns the barrier file that processes measuring at the same time share. Used by the process that starts them; the
// destructor deletes the file.
#pragma once

#include <filesystem>

#include "model/meeting.hpp"

namespace tocuda {

class MeetingFile {
public:
    MeetingFile(std::filesystem::path file, std::uint32_t members);  // throws if it cannot be created
    ~MeetingFile();
    MeetingFile(const MeetingFile&) = delete;
    MeetingFile& operator=(const MeetingFile&) = delete;

    const std::filesystem::path& path() const { return file; }
    // Records that a member has ended, so that the others no longer wait for it.
    void leave() { ++meeting->left; }

private:
    std::filesystem::path file;
    Meeting* meeting = nullptr;
};

}  // namespace tocuda
