// tocuda, Apache-2.0.
// Bandwidth against the working set: read, written or copied by one multiprocessor or all of them, from caches that
// hold what they can, or from none; and shared memory.
#include "kernels/curve.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/block_sum.hpp"
#include "kernels/emptied_cache.hpp"
#include "measurement/check.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/payload.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/room.hpp"

namespace tocuda::benchmarks::curves {
namespace {

constexpr std::int64_t least_bytes = least_curve_bytes;
constexpr std::int64_t most_bytes = 64 * gib;  // so that tiles can be counted in 32 bits

// What a launch touches at least, so that starting it does not count: a tenth of a millisecond from the fastest cache.
// On simulated GPUs, whose bytes the CPU moves, less.
std::size_t enough_bytes(unsigned blocks, bool simulated) {
    return simulated ? 64 * mib : std::min<std::size_t>(blocks * 64 * mib, 4 * gib);
}

// Odd, so that no part of a sum of words is lost by overflow; and three if a cache can hold the set, because the first
// pass fills it.
unsigned passes_for(const Curve& once, std::size_t enough, bool cached) {
    const auto passes = enough / once.touched();
    return static_cast<unsigned>(
        std::max<std::size_t>(cached ? 3 : 1, passes - (passes % 2 == 0 && passes > 0 ? 1 : 0)));
}

std::uint32_t sum_of_payload(std::size_t bytes) {
    return joined_on_host(bytes / 8, std::plus<>(), [](std::size_t first, std::size_t some) {
        std::uint32_t sum = 0;
        for (auto word = first; word < first + some; ++word) {
            const auto both = scrambled(word);
            sum += static_cast<std::uint32_t>(both) + static_cast<std::uint32_t>(both >> 32);
        }
        return sum;
    });
}

const Allowed allowed_bytes{.least = least_bytes, .most = most_bytes, .multiple_of = least_bytes};

class Curves final : public Bench {
public:
    Curves(const std::vector<Parameters>& sets, CurveWay measured, bool in_shared_memory)
        : way(measured), shared(in_shared_memory), memory(largest(sets)),
          target(way == CurveWay::copy ? memory.bytes() : 0), sums(sums_bytes()) {}

    std::string why_skipped(const Parameters& set) const override {
        if (!shared && text(set, "state") == "cold" && gpu.l2_bytes == 0)
            return "state=cold needs the size of the L2 cache; the runtime does not report it";
        if (shared && bytes_of(set) > gpu.shared_bytes)
            return "a block of this GPU has at most " + std::to_string(gpu.shared_bytes) + " bytes of shared memory";
        const auto on_host = gpus_are_simulated() ? free_on_host : std::nullopt;
        if (on_host && bytes_of(set) > *on_host / 4)
            return std::to_string(bytes_of(set)) +
                   " bytes are more than a quarter of the host's free memory, and a simulated GPU keeps its memory "
                   "there; a smaller size is needed";
        const auto arrays = way == CurveWay::copy ? 2U : 1U;
        const auto guarded = Guarded::allocated(bytes_of(set) / arrays);
        const auto emptying = EmptiedCache::needed_bytes(gpu.l2_bytes);
        return why_no_room(allocated_bytes({guarded, arrays == 2 ? guarded : 0, emptying, sums_bytes()}), free);
    }

    Trial trial(const Parameters& set) override {
        const auto curve = curve_of(set);
        const auto touched = static_cast<std::int64_t>(curve.touched());
        Trial trial{.bytes_one_way = way == CurveWay::copy ? touched / 2 : touched,
                    .bytes_touched = touched,
                    .compared = way == CurveWay::read ? "the sums of all words, by multiprocessor where each reads all"
                                                      : Guarded::compared(),
                    .differs = [this, curve] { return what_differs(curve); }};
        const Queued queued{.operation = [this, curve](const Stream& on) { launch(on, curve); }};
        if (curve.cold)
            trial.timing = SelfTimed{.seconds = [this, curve] { return cold_seconds(curve); }, .busy = queued};
        else trial.timing = queued;
        const bool by_all = text(set, "on") == "gpu" && !shared;
        if (by_all) trial.peak = memory_peak(gpu, curve.bytes);
        if (by_all && curve.passes < passes_of(curve, false))
            trial.flags.emplace_back("simulated: starting the kernel counts, with fewer passes than on a real GPU");
        if (curve.blocks() < curve.multiprocessors)
            trial.flags.push_back("by " + std::to_string(curve.blocks()) + " of " +
                                  std::to_string(curve.multiprocessors) + " multiprocessors: a tile for each");
        return trial;
    }

private:
    std::size_t largest(const std::vector<Parameters>& sets) const {
        return largest_that_fits(sets, [this](const Parameters& set) { return why_skipped(set).empty(); }) /
               (way == CurveWay::copy ? 2 : 1);
    }
    std::size_t sums_bytes() const {
        return std::size_t{gpu.multiprocessors} * curve_threads(way) * sizeof(std::uint32_t);
    }

    Curve curve_of(const Parameters& set) const {
        const bool one = text(set, "on") == "one";
        Curve curve{.way = way, .bytes = bytes_of(set), .multiprocessors = one ? 1 : gpu.multiprocessors};
        if (shared) curve.each_its_own = true;
        else curve.cold = text(set, "state") == "cold";
        curve.passes = passes_of(curve, gpus_are_simulated());
        return curve;
    }
    unsigned passes_of(Curve curve, bool simulated) const {
        if (curve.cold) return 1;
        curve.passes = 1;
        return passes_for(curve, enough_bytes(curve.blocks(), simulated), shared || curve.bytes <= gpu.l2_bytes);
    }

    void launch(const Stream& on, const Curve& curve) const {
        auto* const found = reinterpret_cast<std::uint32_t*>(sums.get());
        if (shared) launch_shared_curve(on, curve, memory.at(), found);
        else launch_curve(on, curve, way == CurveWay::copy ? target.at() : memory.at(), memory.at(), found);
    }

    // The events stand behind the work that empties the L2 cache, so that queuing the launch is not timed.
    double cold_seconds(const Curve& curve) const {
        cache.empty(stream);
        before.record(stream);
        launch(stream, curve);
        after.record(stream);
        stream.synchronize();
        return seconds_between(before, after);
    }

    std::string what_differs(const Curve& curve) const {
        const auto once = [&] { launch(stream, curve); };
        if (way != CurveWay::write) write_payload(stream, {memory.at(), curve.array_bytes()});
        if (way == CurveWay::copy) return target.what_differs(stream, curve.array_bytes(), once);
        return way == CurveWay::write ? wrong_write(curve) : wrong_sum(curve);
    }

    std::string wrong_sum(const Curve& curve) const {
        std::vector<std::uint32_t> found(std::size_t{curve.blocks()} * curve.threads());
        const auto bytes = found.size() * sizeof(std::uint32_t);
        require("cudaMemsetAsync", cudaMemsetAsync(sums.get(), 0, bytes, stream.get()));
        launch(stream, curve);
        download(std::as_writable_bytes(std::span(found)), sums.get(), stream);
        const auto [known, is_new] = sum_by_bytes.try_emplace(curve.bytes);
        if (is_new) known->second = sum_of_payload(curve.bytes);
        const auto wanted = known->second * curve.passes;
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            sum += found[i];
            if ((i + 1) % curve.threads() != 0 || (!curve.whole_each() && i + 1 != found.size())) continue;
            if (sum != wanted)
                return "the sum of the words read is " + std::to_string(sum) + ", not " + std::to_string(wanted);
            sum = 0;
        }
        return "";
    }

    std::string wrong_write(const Curve& curve) const {
        const auto guarded = curve.bytes + 2 * Guarded::guard_bytes;
        auto* const guard = memory.at() - Guarded::guard_bytes;
        require("cudaMemsetAsync", cudaMemsetAsync(guard, std::to_integer<int>(Guarded::guard), guarded, stream.get()));
        require("cudaMemsetAsync", cudaMemsetAsync(sums.get(), 0, sizeof(unsigned long long), stream.get()));
        launch(stream, curve);
        launch_count_written(stream, memory.at(), curve.bytes, reinterpret_cast<unsigned long long*>(sums.get()));
        unsigned long long alike = 0;
        download(std::as_writable_bytes(std::span(&alike, 1)), sums.get(), stream);
        if (alike != curve.bytes / 16)
            return std::to_string(curve.bytes / 16 - alike) + " of " + std::to_string(curve.bytes / 16) +
                   " vectors of 16 bytes are not what was written";
        for (const auto* around : {guard, memory.at() + curve.bytes})
            if (first_unlike(stream, {around, Guarded::guard_bytes}, Guarded::guard))
                return "bytes around the working set were written";
        return "";
    }

    const CurveWay way;
    const bool shared;
    const GpuFacts gpu = gpu_facts();
    const std::size_t free = free_device_bytes();
    const std::optional<std::size_t> free_on_host = free_host_bytes();
    const Guarded memory;
    const Guarded target;
    const DeviceMemory sums;
    const Stream stream{};
    const Event before{};
    const Event after{};
    const EmptiedCache cache{gpu.l2_bytes};
    mutable std::map<std::size_t, std::uint32_t> sum_by_bytes{};
};

Values sizes(std::int64_t most, std::int64_t factor) {
    Values values;
    for (auto bytes = least_bytes; bytes <= most; bytes *= factor) values.emplace_back(bytes);
    return values;
}

constexpr auto how_to_read =
    "each multiprocessor runs one block, which goes through the working set again and again within one launch, so that "
    "each level holds what it can. A set is divided into tiles of 16 KiB (8 KiB of a copy's source), and the shares "
    "change hands at each pass. Of fewer tiles than multiprocessors each block reads all; written or copied they are "
    "by one block each, because stores to the same lines wait for each other: there the curve rises with the number "
    "of blocks. `on=one`: one block. Where the curve falls, a level no longer holds the set. `state=cold`: one pass "
    "after the L2 cache was filled with other lines, only read, between two events; it contains the start of a kernel, "
    "so small sets show little else";

Measurable measured(CurveWay way, const std::string& name, const std::string& summary) {
    return {
        .benchmark = {.name = "curve/" + name,
                      .summary = summary,
                      .how = how_to_read,
                      .clock = Clock::device,
                      .parameters = {{"bytes", sizes(4 * gib, 4)}, {"on", {}}, {"state", {"resident"}}},
                      .quick = {{"on", {}}},
                      .full = {{"bytes", sizes(16 * gib, 2)}, {"on", {"gpu", "one"}}, {"state", {"resident", "cold"}}},
                      .allowed = {{"bytes", allowed_bytes}},
                      .needs = {.gpus = 1},
                      .cost = {.bytes = Handling::on_gpu}},
        .set_up = [way](const std::vector<Parameters>& sets) { return std::make_unique<Curves>(sets, way, false); }};
}

Measurable with_role(Measurable of, Role role) {
    of.benchmark.role = std::move(role);
    return of;
}

const RegisteredBenchmark read{with_role(
    measured(CurveWay::read, "read", "reading against the working set: L1, L2, memory"),
    {.sheet = {{.order = 60,
                .section = "all multiprocessors read",
                .words = "64 KiB in use",
                .having = "bytes=65536 on=gpu state=resident",
                .touched = true},
               {.order = 70,
                .section = "all multiprocessors read",
                .words = "16 MiB in use",
                .having = "bytes=16777216 on=gpu state=resident",
                .touched = true},
               {.order = 80,
                .section = "all multiprocessors read",
                .words = "4 GiB in use",
                .having = "bytes=4294967296 on=gpu state=resident",
                .figure = "memory_bytes_per_second",
                .touched = true},
               {.order = 90,
                .section = "one multiprocessor reads",
                .words = "16 KiB in use",
                .having = "bytes=16384 on=one state=resident",
                .touched = true},
               {.order = 100,
                .section = "one multiprocessor reads",
                .words = "1 MiB in use",
                .having = "bytes=1048576 on=one state=resident",
                .touched = true},
               {.order = 110,
                .section = "one multiprocessor reads",
                .words = "1 GiB in use",
                .having = "bytes=1073741824 on=one state=resident",
                .touched = true}},
     .characterise = {"on=gpu bytes=16KiB,32KiB,64KiB,128KiB,256KiB,512KiB,1MiB,2MiB,4MiB,8MiB,16MiB,32MiB,64MiB,"
                      "256MiB,4GiB",
                      "on=one bytes=16KiB,1MiB,1GiB"}})};
const RegisteredBenchmark write{measured(CurveWay::write, "write", "writing against the working set: L2, memory")};
const RegisteredBenchmark copy{
    with_role(measured(CurveWay::copy, "copy", "copying against the working set, which is half source and half target"),
              {.characterise = {"on=gpu"}})};
const RegisteredBenchmark of_shared_memory{
    {.benchmark = {.name = "curve/shared",
                   .summary = "reading shared memory, by how much of it a block reads",
                   .how = "a block on one or on each multiprocessor reads its shared memory again and again within one "
                          "launch; filling it once counts in the time",
                   .clock = Clock::device,
                   .parameters = {{"bytes", {}}, {"on", {"gpu", "one"}}},
                   .quick = {{"bytes", {}}},
                   .full = {{"bytes", sizes(128 * kib, 2)}},
                   .allowed = {{"bytes", allowed_bytes}},
                   .needs = {.gpus = 1},
                   .cost = {.bytes = Handling::on_gpu}},
     .set_up = [](const std::vector<Parameters>& sets) {
         return std::make_unique<Curves>(sets, CurveWay::read, true);
     }}};

}  // namespace
}  // namespace tocuda::benchmarks::curves
