// tocuda, Apache-2.0.
// A piece of host memory, a piece of the GPU's, and the payload at the one end that goes to the other.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "measurement/guarded.hpp"
#include "measurement/stream.hpp"
#include "transfers/direction.hpp"
#include "transfers/host_memory.hpp"

namespace tocuda {

// Who looks at the host's end. What is written combined is read by the CPU a hundred times slower than by the GPU.
enum class Look { by_the_cpu, by_the_gpu };

class Passage {
public:
    // The memory has room for so many bytes and for a guard before and after, as `with_guards` says it.
    Passage(Direction way, HostMemory memory, std::size_t most_bytes, Look look = Look::by_the_cpu);

    std::byte* to() const;
    const std::byte* from() const;
    std::byte* host() const;  // whichever of the two it is; at the start of a page
    std::byte* device() const { return device_end.at(); }

    // Covers the target with guards, calls `prepare`, where there is something to call, and `once`; then says what is
    // not the payload or, around it, not the guard. Empty where nothing is wrong.
    std::string what_differs(std::size_t bytes, const std::function<void()>& prepare,
                             const std::function<void()>& once);
    // Pages that nothing has touched take the place of the host's, which are pageable; what goes to the GPU is written
    // into them, at the latest when it is checked next.
    void renew_host_pages(std::size_t bytes);

    static std::string compared(Direction direction);

    static constexpr std::size_t guard_bytes =
        4096;  // on the host: a page, so that what is between them begins with one
    static constexpr std::size_t with_guards(std::size_t bytes) { return bytes + 2 * guard_bytes; }

    const Direction direction;

private:
    std::optional<std::size_t> unlike_for_the_gpu(std::size_t bytes) const;
    std::string host_differs(std::size_t bytes) const;

    std::size_t most;
    std::size_t lost = 0;  // so much of what goes to the GPU has to be written again
    Look look_of_host;
    Stream stream{};
    HostMemory host_end;
    Guarded device_end;
};

// The runtime's copy, queued.
void copy_async(std::byte* to, const std::byte* from, std::size_t bytes, Direction direction, const Stream& stream);

}  // namespace tocuda
