// tocuda, Apache-2.0.
// A trial is one parameter set, ready to be measured; a bench holds the memory that the sets of one process share,
// allocated once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/benchmark.hpp"

namespace tocuda {

class Event;
class Stream;

// The other GPUs of an operation that several take part in, timed by their own clocks.
class OtherGpus {
public:
    OtherGpus() = default;
    virtual ~OtherGpus() = default;
    OtherGpus(const OtherGpus&) = delete;
    OtherGpus& operator=(const OtherGpus&) = delete;

    virtual void begin(const Event& first) const = 0;  // queued: their time begins once the first GPU's has
    virtual void end() const = 0;                      // queued behind the operations
    virtual std::vector<double> seconds() const = 0;   // of each, once all of it has ended
};

// The benchmark's clock decides which operation is set: `queue` for the device's, `call` for the host's; `timed` for
// either.
struct Trial {
    std::int64_t bytes_one_way = 0;
    std::int64_t bytes_touched = 0;
    std::int64_t items = 0;  // what one operation does, where that is counted and no bytes
    Peak peak{};
    std::string compared{};  // what `differs` compares: "every byte, and 256 bytes before and after"
    // Runs the operation once and returns what differs from the reference, or an empty string. Called before the first
    // sample and after the last.
    std::function<std::string()> differs{};

    // Device clock: queues one operation in the stream. It must not synchronise or allocate.
    std::function<void(const Stream&)> queue{};
    // How many runtime operations one call of `queue` (or of `beside`) queues: at most 512 are queued at a time.
    std::int64_t operations = 1;
    // Device clock, for traffic in the other direction: queues part number `part` of `of` parts of one such operation
    // in a second stream. Twice as many operations are queued there; those that run while the timed ones do are
    // counted.
    std::function<void(const Stream&, std::int64_t part, std::int64_t of)> beside{};

    // Device clock, for an operation of several GPUs, of which `queue` times the first.
    std::shared_ptr<const OtherGpus> others{};

    // Device clock, sustained: for so long operations are queued back to back, with a sample and a reading of the
    // telemetry for each second.
    double seconds = 0;
    // Device clock, under a load: starts it, calls `timed` while it runs, ends it, and returns whether it ran until
    // `timed` had returned.
    std::function<bool(const std::function<void()>& timed)> under{};

    // Host clock: called before each sample and not timed (fresh pages, an emptied cache).
    std::function<void()> prepare{};
    // Host clock: runs one operation and returns when everything it started has ended.
    std::function<void()> call{};
    // Either clock, for an operation that times itself (a separate process, a kernel that reads the GPU's clocks):
    // returns the seconds of `timed_together` operations.
    std::function<double()> timed{};
    std::int64_t timed_together = 1;
    // Beside `timed`: how many cycles of the SM's clock its last call took, 0 if none were counted, and the step of the
    // timer that it reads, 0 if unknown.
    std::function<double()> cycles{};
    double tick_seconds = 0;
    // Beside `timed`: the seconds of each operation of its last call, where each was timed alone.
    std::function<std::vector<double>()> singles{};

    // Called before the samples, once the GPU of the process is warm: warms up the others that take part.
    std::function<void()> warm{};

    std::string peer{};  // the UUID of the other GPU, if there is one
    // For a benchmark with GPUs as parameters: the UUIDs of those, and whether the GPU of the process, whose clocks and
    // temperature are read, is not among them.
    std::string from{};
    std::string to{};
    bool elsewhere = false;
    std::vector<std::string> flags{};
};

class Bench {
public:
    virtual ~Bench() = default;
    // Returns what is needed and what was found; empty if the set can be measured. Called before the set's trial is
    // made.
    virtual std::string why_skipped(const Parameters&) const { return ""; }
    virtual Trial trial(const Parameters& set) = 0;
};

}  // namespace tocuda
