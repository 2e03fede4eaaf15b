// tocuda, Apache-2.0.
// Threads take parts in the order of their offsets; the thread that copies the last part of a chunk starts the engine.
#include "measurement/relay.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <thread>

#include "measurement/block.hpp"

namespace tocuda {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t least_part = std::size_t{64} << 10;

// About 40 us on a current processor, which is about how long a chunk takes. With fewer processors than threads, the
// awaited thread must get to run at some point.
constexpr unsigned most_pauses = 1000;

void pause_processor() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace

Cut cut_for(std::size_t bytes, std::size_t threads, std::size_t chunk_bytes) {
    const auto chosen = std::clamp(std::bit_floor(std::max<std::size_t>(bytes / 16, 1)), least_chunk, most_chunk);
    const auto chunk = chunk_bytes == 0 ? chosen : chunk_bytes;
    const auto part = parts(parts(chunk, 2 * std::max<std::size_t>(threads, 1)), page) * page;
    return {.chunk_bytes = chunk, .part_bytes = std::min(chunk, std::max(part, least_part))};
}

Relay::Relay(Crew& copying, CopyEngine& moving, std::vector<std::byte*> buffers, RelayWait waiting)
    : crew(copying), engine(moving), ring_size(buffers.size()), how_to_wait(waiting),
      ring(std::make_unique<Buffer[]>(buffers.size())) {
    if (buffers.empty()) throw std::invalid_argument("a relay needs a buffer");
    for (std::size_t i = 0; i < ring_size; ++i) ring[i].memory = buffers[i];
}

std::size_t Relay::chunks() const { return parts(whole, how.chunk_bytes); }
std::size_t Relay::bytes_of(std::size_t chunk) const {
    return std::min(how.chunk_bytes, whole - chunk * how.chunk_bytes);
}
std::size_t Relay::parts_of(std::size_t chunk) const { return parts(bytes_of(chunk), how.part_bytes); }

Relay::Part Relay::part(std::size_t number) const {
    const auto each = parts(how.chunk_bytes, how.part_bytes);
    const auto chunk = number / each;
    const auto within = number % each * how.part_bytes;
    return {chunk, chunk * how.chunk_bytes + within, std::min(how.part_bytes, bytes_of(chunk) - within)};
}

void Relay::begin(std::size_t bytes, const Cut& cut) {
    if (cut.part_bytes == 0 || cut.chunk_bytes < cut.part_bytes)
        throw std::invalid_argument("a chunk must hold at least one part, and a part at least one byte");
    whole = bytes;
    how = cut;
    next = 0;
    stopped = false;
    for (std::size_t i = 0; i < ring_size; ++i) {
        ring[i].parts_left = i < chunks() ? parts_of(i) : 0;
        ring[i].started = 0;
        ring[i].waiting = 0;
        ring[i].waited = 0;
    }
}

void Relay::start(std::size_t chunk) {
    engine.start(chunk % ring_size, chunk * how.chunk_bytes, bytes_of(chunk));
    buffer_of(chunk).started.fetch_add(1, std::memory_order_release);
}

bool Relay::comes(const std::atomic<std::size_t>& count, std::size_t times) const {
    for (unsigned tries = 0; count.load(std::memory_order_acquire) < times; ++tries) {
        if (stopped) return false;
        if (how_to_wait == RelayWait::pausing && tries % (most_pauses + 1) < most_pauses) pause_processor();
        else std::this_thread::yield();
    }
    return true;
}

// The first thread to arrive waits for the engine, and the others wait for that thread: this leaves the engine's own
// locks to the threads that start it.
void Relay::wait_for(std::size_t chunk) {
    auto& buffer = buffer_of(chunk);
    const auto times = chunk / ring_size + 1;
    if (!comes(buffer.started, times)) return;
    auto before = times - 1;
    if (buffer.waiting.compare_exchange_strong(before, times)) {
        engine.wait(chunk % ring_size);
        buffer.waited.store(times, std::memory_order_release);
    } else {
        comes(buffer.waited, times);
    }
}

void Relay::share(const std::function<void(const Part&)>& each) {
    const auto total =
        whole == 0 ? 0 : (chunks() - 1) * parts(how.chunk_bytes, how.part_bytes) + parts_of(chunks() - 1);
    try {
        crew.run([&] {
            try {
                for (auto number = next++; number < total && !stopped; number = next++) each(part(number));
            } catch (...) {
                stopped = true;
                throw;
            }
        });
        for (auto chunk = chunks() - std::min(chunks(), ring_size); chunk < chunks(); ++chunk)
            engine.wait(chunk % ring_size);
    } catch (...) {
        engine.drain();
        throw;
    }
}

void Relay::send(std::span<const std::byte> from, const Cut& cut, const CopyPart& copy) {
    begin(from.size(), cut);
    share([&](const Part& part) {
        auto& buffer = buffer_of(part.chunk);
        if (part.chunk >= ring_size) wait_for(part.chunk - ring_size);
        if (stopped) return;
        copy(buffer.memory + part.place % how.chunk_bytes, from.data() + part.place, part.bytes);
        if (buffer.parts_left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        if (part.chunk + ring_size < chunks()) buffer.parts_left = parts_of(part.chunk + ring_size);
        start(part.chunk);
    });
}

void Relay::fetch(std::span<std::byte> to, const Cut& cut, const CopyPart& copy) {
    begin(to.size(), cut);
    try {
        for (std::size_t chunk = 0; chunk < std::min(chunks(), ring_size); ++chunk) start(chunk);
    } catch (...) {
        engine.drain();
        throw;
    }
    share([&](const Part& part) {
        auto& buffer = buffer_of(part.chunk);
        wait_for(part.chunk);
        if (stopped) return;
        copy(to.data() + part.place, buffer.memory + part.place % how.chunk_bytes, part.bytes);
        if (buffer.parts_left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        const auto following = part.chunk + ring_size;
        if (following >= chunks()) return;
        buffer.parts_left = parts_of(following);
        start(following);
    });
}

}  // namespace tocuda
