// tocuda, Apache-2.0.
// Bytes through a ring of buffers: a crew copies on this side of them, an engine moves on the other, and both are
// always busy. A chunk fills one buffer; the crew shares it out in parts, so that even the first buffer is full as soon
// as all can fill it.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "transfers/crew.hpp"
#include "transfers/cut.hpp"

namespace tocuda {

// What moves the bytes between a buffer and the far side, in the order in which it is asked. Called by any thread of
// the crew.
class Engine {
public:
    virtual ~Engine() = default;
    virtual void start(std::size_t buffer, std::size_t place, std::size_t bytes) = 0;  // `place` on the far side
    virtual void wait(std::size_t buffer) = 0;  // until what was started last with it has ended
    virtual void drain() noexcept = 0;          // until everything has ended, well or not
};

using CopyPart = std::function<void(std::byte* to, const std::byte* from, std::size_t bytes)>;

// How a thread of the crew waits until a buffer is free or full: it lets others run, or it keeps its processor for a
// while, and sees it sooner.
enum class RelayWait { yielding, pausing };

class Relay {
public:
    Relay(Crew& crew, Engine& engine, std::vector<std::byte*> buffers, RelayWait waiting = RelayWait::yielding);

    // The whole of it has arrived when these return. Where something throws, everything that was started has ended.
    void send(std::span<const std::byte> from, const Cut& cut, const CopyPart& copy);
    void fetch(std::span<std::byte> to, const Cut& cut, const CopyPart& copy);

private:
    struct alignas(64) Buffer {
        std::byte* memory = nullptr;
        std::atomic<std::size_t> parts_left{0};  // of the chunk that the crew is at
        std::atomic<std::size_t> started{0};     // how often the engine was
        std::atomic<std::size_t> waiting{0};     // for how many of these someone waits or has waited
        std::atomic<std::size_t> waited{0};      // for how many of these someone has waited
    };
    struct Part {
        std::size_t chunk;
        std::size_t place;  // in the whole
        std::size_t bytes;
    };

    std::size_t chunks() const;
    std::size_t bytes_of(std::size_t chunk) const;
    std::size_t parts_of(std::size_t chunk) const;
    Part part(std::size_t number) const;
    Buffer& buffer_of(std::size_t chunk) { return ring[chunk % ring_size]; }

    void begin(std::size_t bytes, const Cut& cut);
    void start(std::size_t chunk);
    bool comes(const std::atomic<std::size_t>& count, std::size_t times) const;  // false where someone failed
    void wait_for(std::size_t chunk);                                            // until the engine is through with it
    void share(const std::function<void(const Part&)>& each);

    Crew& crew;
    Engine& engine;
    std::size_t ring_size;
    RelayWait how_to_wait;
    std::unique_ptr<Buffer[]> ring;
    std::size_t whole = 0;
    Cut how{};
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
};

}  // namespace tocuda
