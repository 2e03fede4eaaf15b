// tocuda, Apache-2.0.
// One parameter set, ready to be measured, and the bench on which the sets of one process lie: the memory they share,
// taken once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/benchmark.hpp"

namespace tocuda {

class Stream;

// Which of the operations is set follows from the benchmark's clock: `queue` for the device's, `call` or `timed` for
// the host's.
struct Trial {
    std::int64_t bytes_one_way = 0;
    std::int64_t bytes_touched = 0;
    Peak peak{};
    std::string compared{};  // what `differs` compares, in words: "every byte, and 256 before and after"
    // Does it once and says what differs from the reference, or nothing. Called before the first sample and after the
    // last.
    std::function<std::string()> differs{};

    // Device clock: puts one operation into the stream. Nothing in it may synchronise or allocate.
    std::function<void(const Stream&)> queue{};
    // How many operations of the runtime one call of `queue` (or of `beside`) puts into streams: no more than 512 are
    // queued at a time.
    std::int64_t operations = 1;
    // Device clock, where as much has to go the other way meanwhile: this part, of so many, of one operation of it, for
    // a second stream. Twice as many operations are queued there; those count that pass while the timed ones do.
    std::function<void(const Stream&, std::int64_t part, std::int64_t of)> beside{};

    // Host clock: not timed, before each sample (fresh pages, an emptied cache).
    std::function<void()> prepare{};
    // Host clock: one operation, until everything it caused has ended.
    std::function<void()> call{};
    // Host clock, where the operation times itself (a process of its own): seconds.
    std::function<double()> timed{};

    std::string peer{};  // the UUID of the other GPU, where there is one
    std::vector<std::string> flags{};
};

class Bench {
public:
    virtual ~Bench() = default;
    // What is needed and what was found, or nothing. Asked of every set before its trial is made.
    virtual std::string why_skipped(const Parameters& set) const = 0;
    virtual Trial trial(const Parameters& set) = 0;
};

}  // namespace tocuda
