// tocuda, Apache-2.0.
// The Xid messages of NVIDIA's module in the kernel's log: from the kernel itself, else from a journal or a log file.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "doctor/gather_machine.hpp"
#include "doctor/xid_meanings.hpp"

namespace tocuda::doctor {
namespace {

namespace fs = std::filesystem;

constexpr off_t most_bytes = off_t{8} << 20;  // the end of a journal; the kernel's own buffer is shorter

// The kernel gives out one message for each call, and reports those that were overwritten meanwhile.
std::optional<std::string> end_of(const fs::path& file) {
    const int opened = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (opened < 0) return std::nullopt;
    if (::lseek(opened, -most_bytes, SEEK_END) < 0) ::lseek(opened, 0, SEEK_SET);
    std::string text;
    std::array<char, 8192> part{};
    while (static_cast<off_t>(text.size()) < 2 * most_bytes) {
        const auto got = ::read(opened, part.data(), part.size());
        if (got < 0 && (errno == EPIPE || errno == EINTR)) continue;
        if (got <= 0) break;
        text.append(part.data(), static_cast<std::size_t>(got));
    }
    ::close(opened);
    return text;
}

// The messages of NVIDIA's modules, whatever separates them in this kind of file.
std::string lines_of_driver(std::string_view text) {
    constexpr std::size_t most = 65536;
    std::string lines;
    for (auto at = text.find("NVRM: "); at != std::string_view::npos; at = text.find("NVRM: ", at + 1)) {
        const auto end = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                                      [](char each) { return each == '\n' || each == '\0'; });
        lines.append(text.begin() + static_cast<std::ptrdiff_t>(at), end).append("\n");
    }
    return lines.size() > most ? lines.substr(lines.size() - most) : lines;
}

std::vector<fs::path> places(const fs::path& root) {
    std::vector<fs::path> files{root / "dev/kmsg"};
    std::error_code none;
    for (const char* journals : {"run/log/journal", "var/log/journal"})
        for (const auto& folder : fs::directory_iterator(root / journals, none))
            files.push_back(folder.path() / "system.journal");
    for (const char* log : {"var/log/kern.log", "var/log/messages"}) files.push_back(root / log);
    return files;
}

}  // namespace

KernelLog see_kernel_log(const fs::path& root) {
    for (const auto& file : places(root))
        if (const auto text = end_of(file))
            return {"/" + file.lexically_relative(root).string(), lines_of_driver(*text), counted_xids(*text)};
    return {};
}

}  // namespace tocuda::doctor
