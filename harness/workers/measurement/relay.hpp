// tocuda, Apache-2.0.
// Moves bytes through a ring of buffers: a crew of threads copies on the near side while an engine moves buffers on the
// far side, so that both stay busy. A chunk fills one buffer. The crew splits it into parts, so that all threads fill
// even the first buffer together.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "measurement/threads.hpp"

namespace tocuda {

// How a transfer is cut: each chunk goes through one buffer, and each part of a chunk is copied by one thread.
struct Cut {
    std::size_t chunk_bytes = 0;  // at most the size of a buffer
    std::size_t part_bytes = 0;   // at most the size of a chunk
};

inline constexpr std::size_t least_chunk = std::size_t{256} << 10;
inline constexpr std::size_t most_chunk = std::size_t{4} << 20;

// With `chunk_bytes` 0, a chunk is a sixteenth of the transfer, rounded down to a power of two. Parts are whole pages,
// two for each thread, so that a delayed thread delays little.
Cut cut_for(std::size_t bytes, std::size_t threads, std::size_t chunk_bytes);

// Moves bytes between a buffer and the far side, in the order of the calls. Any thread of the crew may call it.
class CopyEngine {
public:
    virtual ~CopyEngine() = default;
    virtual void start(std::size_t buffer, std::size_t place,
                       std::size_t bytes) = 0;  // `place` is the offset on the far side
    virtual void wait(std::size_t buffer) = 0;  // until the buffer's last start has ended
    virtual void drain() noexcept = 0;          // until everything has ended, even if it failed
};

using CopyPart = std::function<void(std::byte* to, const std::byte* from, std::size_t bytes)>;

// How a thread of the crew waits until a buffer is free or full: it yields to other threads, or it spins for a while
// and notices the change sooner.
enum class RelayWait { yielding, pausing };

class Relay {
public:
    Relay(Crew& crew, CopyEngine& engine, std::vector<std::byte*> buffers, RelayWait waiting = RelayWait::yielding);

    // When these return, all bytes have arrived. If they throw, everything that was started has ended.
    void send(std::span<const std::byte> from, const Cut& cut, const CopyPart& copy);
    void fetch(std::span<std::byte> to, const Cut& cut, const CopyPart& copy);

private:
    struct alignas(64) Buffer {
        std::byte* memory = nullptr;
        std::atomic<std::size_t> parts_left{0};  // of the chunk being copied
        std::atomic<std::size_t> started{0};     // how often the engine was started
        std::atomic<std::size_t> waiting{0};     // for how many of these a thread waits or has waited
        std::atomic<std::size_t> waited{0};      // for how many of these a thread has waited
    };
    struct Part {
        std::size_t chunk;
        std::size_t place;  // in the whole transfer
        std::size_t bytes;
    };

    std::size_t chunks() const;
    std::size_t bytes_of(std::size_t chunk) const;
    std::size_t parts_of(std::size_t chunk) const;
    Part part(std::size_t number) const;
    Buffer& buffer_of(std::size_t chunk) { return ring[chunk % ring_size]; }

    void begin(std::size_t bytes, const Cut& cut);
    void start(std::size_t chunk);
    bool comes(const std::atomic<std::size_t>& count, std::size_t times) const;  // false if a thread failed
    void wait_for(std::size_t chunk);                                            // until the engine has moved the chunk
    void share(const std::function<void(const Part&)>& each);

    Crew& crew;
    CopyEngine& engine;
    std::size_t ring_size;
    RelayWait how_to_wait;
    std::unique_ptr<Buffer[]> ring;
    std::size_t whole = 0;
    Cut how{};
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
};

}  // namespace tocuda
