// tocuda, Apache-2.0.
// Leaves some of the free memory for everything else.
#include "measurement/too_large.hpp"

#include "measurement/room.hpp"

namespace tocuda {
namespace {

constexpr std::size_t left_to_the_host = std::size_t{512} << 20;
constexpr std::size_t left_to_the_device = std::size_t{64} << 20;

std::size_t less(std::size_t bytes, std::size_t left) { return bytes > left ? bytes - left : 0; }

}  // namespace

std::string why_too_large(const Room& needed, const Free& free) {
    const auto device = why_no_room(needed.device_bytes, less(free.device_bytes, left_to_the_device));
    if (!device.empty() || !free.host_bytes) return device;
    return why_no_room(needed.host_bytes, less(*free.host_bytes, left_to_the_host), "of the host's memory");
}

}  // namespace tocuda
