// tocuda, Apache-2.0.
#include "telemetry/xid_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "model/words.hpp"
#include "model/xid.hpp"

namespace tocuda {
namespace {

// As the kernel writes it: "0000:3b:00".
std::string address_in_log(const std::string& bus_id) { return lower(bus_id.substr(0, bus_id.find('.'))); }

}  // namespace

XidLog::XidLog(const std::string& bus_id, const std::string& log)
    : address(address_in_log(bus_id)), file(::open(log.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (file >= 0) ::lseek(file, 0, SEEK_END);
}

XidLog::XidLog(XidLog&& other) noexcept
    : address(std::move(other.address)), file(std::exchange(other.file, -1)), numbers(std::move(other.numbers)) {}

XidLog::~XidLog() {
    if (file >= 0) ::close(file);
}

// The kernel gives out one message for each call, and reports those that were overwritten meanwhile.
std::optional<std::vector<int>> XidLog::read() {
    if (file < 0) return std::nullopt;
    std::array<char, 8192> message{};
    while (true) {
        const auto got = ::read(file, message.data(), message.size());
        if (got < 0 && (errno == EPIPE || errno == EINTR)) continue;
        if (got <= 0) return numbers;
        for (const auto& xid : xids_in({message.data(), static_cast<std::size_t>(got)}))
            if (xid.address == address) numbers.push_back(xid.number);
    }
}

}  // namespace tocuda
