// tocuda, Apache-2.0.
// Operations are queued in chunks of some milliseconds, several of them ahead, with an event after each.
#include <algorithm>
#include <cmath>
#include <vector>

#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/cuda_instruments.hpp"
#include "measurement/instruments.hpp"

namespace tocuda {
namespace {

constexpr double chunk_seconds = 20e-3;
constexpr std::int64_t chunks_ahead = 4;

class Chunks {
public:
    Chunks(const Queued& sustained, double seconds) : operation(sustained.operation), ends(chunks_ahead + 1) {
        const auto most =
            std::max<std::int64_t>(1, queued_most / (chunks_ahead * std::max<std::int64_t>(1, sustained.commands)));
        const auto wanted = seconds > 0 ? std::ceil(chunk_seconds / seconds) : 1.0;
        operations = static_cast<std::int64_t>(std::clamp(wanted, 1.0, static_cast<double>(most)));
        since.record(stream);
        for (int i = 0; i < chunks_ahead; ++i) queue_one();
    }

    // Waits for the next chunk and queues another one behind those ahead.
    void pass_one() {
        current().synchronize();
        if (ends[(queued - 1) % ends.size()].reached()) busy = false;
        queue_one();
        counted += operations;
    }

    // Since the last call of `begin_again`, by the GPU's clock.
    double seconds() { return seconds_between(since, current()); }
    double seconds_of_one() { return seconds() / static_cast<double>(counted); }

    void begin_again() {
        std::swap(since, current());
        counted = 0;
    }
    void go_on() { ++passed; }
    void end() const { stream.synchronize(); }
    bool was_busy() const { return busy; }

private:
    Event& current() { return ends[passed % ends.size()]; }

    void queue_one() {
        for (std::int64_t i = 0; i < operations; ++i) operation(stream);
        ends[queued++ % ends.size()].record(stream);
    }

    const std::function<void(const Stream&)>& operation;
    std::int64_t operations = 1;  // of a chunk
    Stream stream{};
    Event since{};
    std::vector<Event> ends;  // of the chunks that are queued, and of the one that has just ended
    std::size_t queued = 0;
    std::size_t passed = 0;
    std::int64_t counted = 0;
    bool busy = true;
};

}  // namespace

bool sustain(const Queued& sustained, double seconds, const std::function<void(double)>& each_second) {
    Chunks chunks(sustained, seconds);
    for (double whole = 0; whole < sustained.seconds; chunks.go_on()) {
        chunks.pass_one();
        const double since = chunks.seconds();
        if (whole + since < std::floor(whole) + 1) continue;
        each_second(chunks.seconds_of_one());
        chunks.begin_again();
        whole += since;
    }
    chunks.end();
    return chunks.was_busy();
}

}  // namespace tocuda
