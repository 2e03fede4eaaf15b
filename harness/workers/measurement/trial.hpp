// tocuda, Apache-2.0.
// A trial is one parameter set, ready to be measured; a bench holds the memory that the sets of one process share,
// allocated once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
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

// Operations that the host queues in the GPU's stream and the GPU's clock times.
struct Queued {
    std::function<void(const Stream&)> operation{};  // queues one; it must not synchronise or allocate
    // How many commands one call of `operation` (or of `beside`) queues: at most 512 are queued at a time.
    std::int64_t commands = 1;
    // For traffic in the other direction: queues part number `part` of `of` parts of one such operation in a second
    // stream. Twice as many operations are queued there; those that run while the timed ones do are counted.
    std::function<void(const Stream&, std::int64_t part, std::int64_t of)> beside{};
    // For an operation of several GPUs, of which `operation` times the first.
    std::shared_ptr<const OtherGpus> others{};
    // Sustained: for so long operations are queued back to back, with a sample and a reading of the telemetry for each
    // second.
    double seconds = 0;
    // Under a load: starts it, calls `timed` while it runs, ends it, and returns whether it ran until `timed` had
    // returned.
    std::function<bool(const std::function<void()>& timed)> under{};
};

// An operation that the host's clock times: returns when everything it started has ended.
struct Called {
    std::function<void()> operation{};
};

// Operations that time themselves: a separate process, or a kernel that reads the GPU's clocks.
struct SelfTimed {
    std::function<double()> seconds{};  // runs `together` operations and returns their seconds
    std::int64_t together = 1;
    // How many cycles of the SM's clock the last call took, 0 if none were counted, and the step of the timer that it
    // reads, 0 if unknown.
    std::function<double()> cycles{};
    double tick_seconds = 0;
    // The seconds of each operation of the last call, where each was timed alone.
    std::function<std::vector<double>()> singles{};
    // Keeps the GPU busy with the same operation while its telemetry is read, for a benchmark of the device's clock.
    Queued busy{};
};

struct Trial {
    std::int64_t bytes_one_way = 0;
    std::int64_t bytes_touched = 0;
    std::int64_t items = 0;  // what one operation does, where that is counted and no bytes
    Peak peak{};
    std::string compared{};  // what `differs` compares: "every byte, and 256 bytes before and after"
    // Runs the operation once and returns what differs from the reference, or an empty string. Called before the first
    // sample and after the last.
    std::function<std::string()> differs{};
    // Called before each sample that the GPU's clock does not time, and not timed itself (fresh pages, an emptied
    // cache).
    std::function<void()> prepare{};
    std::variant<std::monostate, Queued, Called, SelfTimed> timing{};
    // Called before the samples, once the GPU of the process is warm: warms up the others that take part.
    std::function<void()> warm{};

    std::string peer{};  // the UUID of the other GPU, if there is one
    // For a benchmark with GPUs as parameters: the UUIDs of those, and whether the GPU of the process, whose clocks and
    // temperature are read, is not among them.
    std::string from{};
    std::string to{};
    bool elsewhere = false;
    Flags flags{};

    const SelfTimed* self_timed() const { return std::get_if<SelfTimed>(&timing); }
    // What is queued to be timed, or to keep the GPU busy; empty for an operation that is called.
    const Queued& queued() const;
};

inline const Queued& Trial::queued() const {
    static const Queued none;
    if (const auto* self = self_timed()) return self->busy;
    const auto* queued = std::get_if<Queued>(&timing);
    return queued ? *queued : none;
}

class Bench {
public:
    virtual ~Bench() = default;
    // Returns what is needed and what was found; empty if the set can be measured. Called before the set's trial is
    // made.
    virtual std::string why_skipped(const Parameters&) const { return ""; }
    virtual Trial trial(const Parameters& set) = 0;
};

}  // namespace tocuda
