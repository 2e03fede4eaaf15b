// tocuda, Apache-2.0.
// Writes the payload once and the guards before each check.
#include "benchmarks/copy/passage.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "measurement/block.hpp"
#include "measurement/check.hpp"
#include "measurement/host_time.hpp"
#include "measurement/payload.hpp"

namespace tocuda {
namespace {

constexpr std::byte guard = Guarded::guard;

void cover(std::byte* memory, std::size_t bytes) { std::memset(memory, std::to_integer<int>(guard), bytes); }

Place first_unlike_guard(std::span<const std::byte> found) {
    const auto at = std::find_if(found.begin(), found.end(), [](std::byte each) { return each != guard; });
    return at == found.end() ? std::nullopt : Place(static_cast<std::size_t>(at - found.begin()));
}

}  // namespace

void copy_async(std::byte* to, const std::byte* from, std::size_t bytes, Direction direction, const Stream& stream) {
    require("cudaMemcpyAsync", cudaMemcpyAsync(to, from, bytes, kind(direction), stream.get()));
}

Passage::Passage(Direction way, HostMemory memory, std::size_t most_bytes, Look look)
    : direction(way), most(most_bytes), look_of_host(look), host_end(std::move(memory)), device_end(most_bytes) {
    if (direction == Direction::host_to_device) write_payload(std::span(host(), most_bytes), 0);
    else write_payload(stream, std::span(device(), most_bytes), 0);
}

std::byte* Passage::host() const { return host_end.get() + guard_bytes; }
std::byte* Passage::to() const { return direction == Direction::host_to_device ? device() : host(); }
const std::byte* Passage::from() const { return direction == Direction::host_to_device ? host() : device(); }

// Towards the host, `prepare` may have replaced the payload's last page together with the guard on it.
std::string Passage::what_differs(std::size_t bytes, const std::function<void()>& prepare,
                                  const std::function<void()>& once) {
    if (direction == Direction::host_to_device) {
        write_payload(std::span(host(), std::exchange(lost, 0)), 0);
        return device_end.what_differs(stream, bytes, [&] {
            if (prepare) prepare();
            once();
        });
    }
    cover(host_end.get(), with_guards(bytes));
    if (prepare) {
        prepare();
        cover(host() + bytes, guard_bytes);
    }
    once();
    return host_differs(bytes);
}

// The CPU also checks the first line, to make sure that both see the same memory.
Place Passage::unlike_for_the_gpu(std::size_t bytes) const {
    const auto* const seen = as_the_gpu_sees(host_end.get()) + guard_bytes;
    const auto line = std::min<std::size_t>(64, bytes);
    if (const auto place = first_unlike_payload(std::span<const std::byte>(host(), line), 0)) return place;
    return first_unlike_payload(stream, std::span(seen, bytes));
}

std::string Passage::host_differs(std::size_t bytes) const {
    const std::span<const std::byte> before(host_end.get(), guard_bytes);
    const std::span<const std::byte> payload(host(), bytes);
    const std::span<const std::byte> after(host() + bytes, guard_bytes);
    if (const auto place = first_unlike_guard(before))
        return byte_differs(static_cast<std::ptrdiff_t>(*place) - static_cast<std::ptrdiff_t>(guard_bytes), bytes);
    const auto place = look_of_host == Look::by_the_gpu ? unlike_for_the_gpu(bytes) : first_unlike_payload(payload, 0);
    if (place) return byte_differs(static_cast<std::ptrdiff_t>(*place), bytes);
    if (const auto beyond = first_unlike_guard(after))
        return byte_differs(static_cast<std::ptrdiff_t>(bytes + *beyond), bytes);
    return "";
}

void Passage::renew_host_pages(std::size_t bytes) {
    renew_pages(host(), bytes);
    if (direction == Direction::device_to_host) return;
    const auto renewed = std::min(most, parts(bytes, guard_bytes) * guard_bytes);
    if (only_the_clock_counts()) lost = std::max(lost, renewed);
    else write_payload(std::span(host(), renewed), 0);
}

std::string Passage::compared(Direction direction) {
    if (direction == Direction::host_to_device) return Guarded::compared();
    return "every byte, and " + std::to_string(guard_bytes) + " bytes before and after";
}

}  // namespace tocuda
