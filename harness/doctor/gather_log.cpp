// tocuda, Apache-2.0.
// The Xid messages of NVIDIA's module in the kernel's log: from the kernel itself, else from a journal or a log file.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "doctor/gather.hpp"
#include "model/words.hpp"

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

// "NVRM: Xid (PCI:0000:3b:00): 31, pid=1234, ..."
std::vector<Xid> xids_in(std::string_view text) {
    constexpr std::string_view begin = "NVRM: Xid (PCI:";
    std::vector<Xid> found;
    for (auto at = text.find(begin); at != std::string_view::npos; at = text.find(begin)) {
        text.remove_prefix(at + begin.size());
        const auto address_end = text.find("): ");
        const auto number_end = address_end == std::string_view::npos ? address_end : text.find(',', address_end);
        if (number_end == std::string_view::npos) break;
        const auto number = whole_number<int>(text.substr(address_end + 3, number_end - address_end - 3));
        if (!number) continue;
        const std::string address(text.substr(0, address_end));
        const auto same = std::ranges::find_if(
            found, [&](const Xid& one) { return one.number == *number && one.address == address; });
        if (same != found.end()) ++same->times;
        else found.push_back({*number, address});
    }
    std::ranges::sort(found, {}, &Xid::number);
    return found;
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
        if (const auto text = end_of(file)) return {"/" + file.lexically_relative(root).string(), xids_in(*text)};
    return {};
}

}  // namespace tocuda::doctor
