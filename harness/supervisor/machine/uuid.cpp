// tocuda, Apache-2.0.
#include "machine/uuid.hpp"

#include <sys/random.h>

#include <cerrno>
#include <string_view>
#include <system_error>

namespace tocuda {

std::string uuid_text(std::span<const std::uint8_t, 16> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
    }
    return text;
}

std::string random_uuid() {
    std::array<std::uint8_t, 16> bytes{};
    // getrandom returns requests of up to 256 bytes completely or not at all.
    while (getrandom(bytes.data(), bytes.size(), 0) < 0)
        if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "getrandom");
    bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0f) | 0x40);
    bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3f) | 0x80);
    return uuid_text(bytes);
}

}  // namespace tocuda
