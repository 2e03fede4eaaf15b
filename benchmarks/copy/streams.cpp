// tocuda, Apache-2.0.
// Copies one page-locked buffer in equal pieces over several streams, which start after the timed stream's earlier work
// and end before its later work.
#include <algorithm>

#include "benchmarks/copy/one_way.hpp"
#include "measurement/block.hpp"
#include "measurement/cuda_objects.hpp"

namespace tocuda::benchmarks::streams {
namespace {

struct Branch {
    Stream stream{};
    Event done{cudaEventDisableTiming};
};

constexpr std::int64_t most_streams = 64;

class Split : public OneWay {
public:
    Split(const std::vector<Parameters>& sets, Direction way)
        : OneWay(sets, way, [](std::size_t bytes) { return pinned_memory(bytes, cudaHostAllocDefault); }),
          branches(most_branches(sets)) {}

protected:
    void operate(Trial& trial, const Parameters& set) override {
        const auto pieces = static_cast<std::size_t>(whole(set, "streams"));
        trial.timing = Queued{
            .operation = [this, bytes = bytes_of(set), pieces](const Stream& queue) { split(bytes, pieces, queue); },
            .commands = static_cast<std::int64_t>(1 + 4 * pieces)};
    }

private:
    static std::size_t most_branches(const std::vector<Parameters>& sets) {
        std::int64_t count = 1;
        for (const auto& set : sets) count = std::max(count, std::min(most_streams, whole(set, "streams")));
        return static_cast<std::size_t>(count);
    }

    void split(std::size_t bytes, std::size_t pieces, const Stream& queue) const {
        const auto piece = parts(parts(bytes, pieces), 256) * 256;
        begun.record(queue);
        for (std::size_t i = 0; i < std::min(pieces, branches.size()) && i * piece < bytes; ++i) {
            const auto& [stream_of_it, done] = branches[i];
            const auto place = i * piece;
            const auto last = i + 1 == std::min(pieces, branches.size());
            stream_of_it.wait_for(begun);
            copy_async(passage.to() + place, passage.from() + place,
                       last ? bytes - place : std::min(piece, bytes - place), passage.direction, stream_of_it);
            done.record(stream_of_it);
            queue.wait_for(done);
        }
    }

    Event begun{cudaEventDisableTiming};
    std::vector<Branch> branches;
};

const RegisteredEachWay registered{
    {.name = "streams",
     .summary = "copy one page-locked buffer in pieces over several streams",
     .clock = Clock::device,
     .parameters = {{"bytes", {}}, {"streams", {2, 4}}},
     .quick = {{"bytes", {}}},
     .full = {{"bytes", {4 * kib, 64 * kib, mib, 16 * mib, 256 * mib, gib, 4 * gib}}, {"streams", {1, 2, 4, 8, 16}}},
     .allowed = {{"streams", {.least = 1, .most = most_streams}}}},
    set_up<Split>};

}  // namespace
}  // namespace tocuda::benchmarks::streams
