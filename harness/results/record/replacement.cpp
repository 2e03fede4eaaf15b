// tocuda, Apache-2.0.
#include "record/replacement.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tocuda {

Replacement::Replacement(const std::filesystem::path& path)
    : output(path), name((path.parent_path() / ("." + path.filename().string() + ".XXXXXX")).string()),
      file(::mkostemp(name.data(), O_CLOEXEC)) {}

Replacement::~Replacement() {
    if (file.number >= 0 && !in_place) ::unlink(name.c_str());
}

bool Replacement::write(std::string_view bytes) const {
    while (!bytes.empty()) {
        const auto written = ::write(file.number, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

bool Replacement::put_in_place() {
    const auto mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(file.number, 0666 & ~mask) != 0 || ::fsync(file.number) != 0 ||
        ::rename(name.c_str(), output.c_str()) != 0)
        return false;
    in_place = true;
    const OpenFile folder(::open(output.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return folder.number < 0 || ::fsync(folder.number) == 0 || errno == EINVAL;
}

Expected<void> replace_content(const std::filesystem::path& file, std::string_view bytes) {
    std::error_code error;
    const auto place = std::filesystem::weakly_canonical(file, error);
    Replacement replacement(error ? file : place);
    if (replacement.opened() && replacement.write(bytes) && replacement.put_in_place()) return {};
    return problem(file.string() + ": cannot be written: " + std::strerror(errno));
}

}  // namespace tocuda
