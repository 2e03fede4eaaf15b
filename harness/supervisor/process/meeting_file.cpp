// tocuda, Apache-2.0.
#include "process/meeting_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include "process/spawning.hpp"

namespace tocuda {

MeetingFile::MeetingFile(std::filesystem::path name, std::uint32_t members) : file(std::move(name)) {
    const auto fail = [&] {
        throw std::filesystem::filesystem_error("cannot create the barrier file", file,
                                                std::error_code(errno, std::generic_category()));
    };
    const Descriptor opened(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    // Allocates the space now: writing to a page for which the disk has no space would be a bus error.
    if (!opened.open() || ::ftruncate(opened.get(), sizeof(Meeting)) != 0 ||
        ::posix_fallocate(opened.get(), 0, sizeof(Meeting)) != 0)
        fail();
    void* place = ::mmap(nullptr, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED, opened.get(), 0);
    if (place == MAP_FAILED) fail();
    meeting = std::construct_at(static_cast<Meeting*>(place));
    meeting->members = members;
}

MeetingFile::~MeetingFile() {
    ::munmap(meeting, sizeof(Meeting));
    ::unlink(file.c_str());
}

}  // namespace tocuda
