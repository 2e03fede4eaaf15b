// tocuda, Apache-2.0.
// A block of host memory and one of GPU memory, with the payload at the end that is copied from.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "benchmarks/copy/direction.hpp"
#include "measurement/check.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/host_memory.hpp"

namespace tocuda {

// Which processor checks the host's end. The CPU reads write-combined memory a hundred times slower than the GPU.
enum class Look { by_the_cpu, by_the_gpu };

class Passage {
public:
    // `memory` holds with_guards(most_bytes) bytes: the payload and a guard before and after it.
    Passage(Direction way, HostMemory memory, std::size_t most_bytes, Look look = Look::by_the_cpu);

    std::byte* to() const;
    const std::byte* from() const;
    std::byte* host() const;  // source or target, by direction; starts a page
    std::byte* device() const { return device_end.at(); }

    // Covers the target with guards, calls `prepare` if it is set, then `once`. Returns the first byte that differs
    // from the payload or, around it, from the guard. Empty if nothing differs.
    std::string what_differs(std::size_t bytes, const std::function<void()>& prepare,
                             const std::function<void()>& once);
    // Replaces the host's pages, which are pageable, by untouched ones. If they are the source, the payload is written
    // to them again, at the latest before the next check.
    void renew_host_pages(std::size_t bytes);

    static std::string compared(Direction direction);

    static constexpr std::size_t guard_bytes = 4096;  // on the host: one page, so that the payload starts a page
    static constexpr std::size_t with_guards(std::size_t bytes) { return bytes + 2 * guard_bytes; }

    const Direction direction;

private:
    std::optional<std::size_t> unlike_for_the_gpu(std::size_t bytes) const;
    std::string host_differs(std::size_t bytes) const;

    std::size_t most;
    std::size_t lost = 0;  // bytes of the source to be written again
    Look look_of_host;
    Stream stream{};
    HostMemory host_end;
    Guarded device_end;
};

// Queues a copy by the runtime.
void copy_async(std::byte* to, const std::byte* from, std::size_t bytes, Direction direction, const Stream& stream);

}  // namespace tocuda
