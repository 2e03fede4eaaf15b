// tocuda, Apache-2.0.
// The caller of the crew's job runs what is timed; every other thread copies until that has ended.
#include "benchmarks/copy/host_memory_load.hpp"

#include <cstring>
#include <thread>

#include "benchmarks/copy/streaming_copy.hpp"

namespace tocuda {
namespace {

constexpr std::size_t half = HostMemoryLoad::thread_bytes / 2;
constexpr std::size_t part_bytes = std::size_t{64} << 10;  // copied within some ten microseconds

// Ends the threads even if what is timed throws.
class EndsWith {
public:
    explicit EndsWith(std::atomic<bool>& flag) : over(flag) {}
    EndsWith(const EndsWith&) = delete;
    EndsWith& operator=(const EndsWith&) = delete;
    ~EndsWith() { over = true; }

private:
    std::atomic<bool>& over;
};

}  // namespace

HostMemoryLoad::HostMemoryLoad(std::size_t threads) : lanes(threads), crew(static_cast<unsigned>(threads) + 1) {
    outlasts([] {});  // allocates the memory
}

bool HostMemoryLoad::outlasts(const std::function<void()>& timed, bool takes_real_time) {
    const auto caller = std::this_thread::get_id();
    std::atomic<std::size_t> next{0};
    bool lasted = false;
    for (auto& lane : lanes) lane.parts = 0;
    over = failed = false;
    crew.run([&] {
        if (std::this_thread::get_id() != caller) return take_part(lanes.at(next++));
        const EndsWith end(over);
        std::vector<std::uint64_t> before(lanes.size());
        while (!failed && lanes_beyond(before) < lanes.size()) std::this_thread::yield();
        if (failed) return;
        for (std::size_t i = 0; i < lanes.size(); ++i) before[i] = lanes[i].parts;
        timed();
        while (!takes_real_time && lanes_beyond(before) < lanes.size()) std::this_thread::yield();
        lasted = 2 * lanes_beyond(before) >= lanes.size();
    });
    return lasted;
}

// A thread without memory never copies, so that the caller must not wait for it.
void HostMemoryLoad::take_part(Lane& lane) {
    try {
        copy_until_over(lane);
    } catch (...) {
        failed = true;
        throw;
    }
}

// The first time, the thread's pages come to its own NUMA node, because it touches them first.
void HostMemoryLoad::copy_until_over(Lane& lane) const {
    if (!lane.memory) {
        lane.memory.reset(new std::byte[thread_bytes]);
        std::memset(lane.memory.get(), 1, thread_bytes);
    }
    for (std::size_t place = 0; !over; place = (place + part_bytes) % half) {
        streaming_copy(&lane.memory[half + place], &lane.memory[place], part_bytes);
        ++lane.parts;
    }
}

std::size_t HostMemoryLoad::lanes_beyond(const std::vector<std::uint64_t>& before) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < lanes.size(); ++i) count += lanes[i].parts > before[i] ? 1U : 0U;
    return count;
}

}  // namespace tocuda
