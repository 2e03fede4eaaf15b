// tocuda, Apache-2.0.
// Plain memory at nearly the speed of page-locked memory: several threads copy between it and a ring of page-locked
// buffers, while a copy engine moves what is in the others.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "transfers/direction.hpp"
#include "transfers/relay.hpp"

namespace tocuda {

// 0: what suits this machine, and the size of each transfer.
struct StagedShape {
    std::size_t threads = 0;
    std::size_t chunk_bytes = 0;
    std::size_t buffers = 4;
    RelayWait waiting = RelayWait::yielding;

    bool operator==(const StagedShape&) const = default;
};

// Below, one call of the runtime is as fast as waking a thread.
inline constexpr std::size_t worth_staging = std::size_t{2} << 20;

inline constexpr std::size_t most_threads = 12;

class StagedCopier {
public:
    // On the current device. Buffers for chunks of at most so many bytes; 0: for those that are chosen here.
    explicit StagedCopier(const StagedShape& shape);
    ~StagedCopier();

    // The whole of it has arrived when this returns. From or into device memory as the direction says.
    void copy(std::byte* to, const std::byte* from, std::size_t bytes, Direction direction);

    std::size_t threads() const;
    const StagedShape& shape() const { return how; }
    static bool stages(std::size_t bytes) { return bytes >= worth_staging; }

private:
    class CudaEngine;
    StagedShape how;
    std::unique_ptr<Crew> crew;
    std::unique_ptr<CudaEngine> engine;
    std::unique_ptr<Relay> relay;
    Crew alone{1};
    std::unique_ptr<Relay> relay_of_one;
};

}  // namespace tocuda
