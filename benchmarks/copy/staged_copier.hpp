// tocuda, Apache-2.0.
// Moves pageable memory nearly as fast as page-locked memory: several threads copy between it and a ring of page-locked
// buffers, while a copy engine moves the other buffers of the ring.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "benchmarks/copy/direction.hpp"
#include "measurement/parameter.hpp"
#include "measurement/relay.hpp"

namespace tocuda {

// 0 means a value that suits this machine and the size of each transfer.
struct StagedShape {
    std::size_t threads = 0;
    std::size_t chunk_bytes = 0;
    std::size_t buffers = 4;
    RelayWait waiting = RelayWait::yielding;

    bool operator==(const StagedShape&) const = default;
};

// The table of chosen variants supplies what a parameter set leaves at 0 or `chosen`, or does not have.
StagedShape chosen_shape(Direction direction, const Parameters& set = {});

// Below this size, one call of the runtime is as fast as waking a thread.
inline constexpr std::size_t worth_staging = std::size_t{2} << 20;

inline constexpr std::size_t most_threads = 12;

class StagedCopier {
public:
    // On the current device. Allocates buffers of shape.chunk_bytes, or of the largest chunk that cut_for chooses if it
    // is 0.
    explicit StagedCopier(const StagedShape& shape);
    ~StagedCopier();

    // When this returns, all bytes have arrived. `direction` says which of the pointers is device memory.
    void copy(std::byte* to, const std::byte* from, std::size_t bytes, Direction direction);

    // Towards the GPU, always through the buffers, which `fill` fills part by part: bytes that are yet to be read from
    // a file at an offset, for example. `from` is only passed on to it. Parts have this size, a power of two up to
    // most_chunk, or one that suits.
    void send(std::byte* to, std::span<const std::byte> from, const CopyPart& fill, std::size_t part_bytes = 0);
    // Towards the host in the same way: `empty` takes each part from a buffer. `to` is only passed on to it.
    void fetch(std::span<std::byte> to, const std::byte* from, const CopyPart& empty, std::size_t part_bytes = 0);

    std::size_t threads() const;
    const StagedShape& shape() const { return how; }
    static bool stages(std::size_t bytes) { return bytes >= worth_staging; }

private:
    class CudaEngine;
    Cut cut_of(std::size_t bytes, std::size_t part_bytes) const;

    StagedShape how;
    std::unique_ptr<Crew> crew;
    std::unique_ptr<CudaEngine> engine;
    std::unique_ptr<Relay> relay;
    Crew alone{1};
    std::unique_ptr<Relay> relay_of_one;
};

// One copier at a time, because each has its own threads and page-locked memory.
class OneCopier {
public:
    std::shared_ptr<StagedCopier> of(const StagedShape& shape) {
        if (last && asked == shape) return last;
        last.reset();
        last = std::make_shared<StagedCopier>(shape);
        asked = shape;
        return last;
    }

private:
    StagedShape asked{};
    std::shared_ptr<StagedCopier> last{};
};

}  // namespace tocuda
