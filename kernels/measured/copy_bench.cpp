// tocuda, Apache-2.0.
// Allocates one source and one target for all sets of a process.
#include "kernels/measured/copy_bench.hpp"

#include <algorithm>
#include <utility>

#include "kernels/measured/rotation.hpp"
#include "measurement/check.hpp"
#include "measurement/guarded.hpp"
#include "measurement/parameter.hpp"
#include "measurement/room.hpp"

namespace tocuda {
namespace {

constexpr std::size_t most_offset = 128;

std::size_t needed(std::size_t bytes) {
    return bytes > bytes + most_offset
               ? bytes
               : allocated_bytes({Guarded::allocated(bytes + most_offset), Guarded::allocated(bytes)});
}

// Returns the bytes that a set uses of source and target: one place, or several adjacent ones.
std::size_t run_of(const Parameters& set, const GpuFacts& gpu) {
    const auto bytes = bytes_of(set);
    if (!why_not_cold(set, gpu).empty()) return bytes;
    const auto places = places_of(set, gpu, 2 * bytes);
    return bytes > ~std::size_t{0} / places ? ~std::size_t{0} : places * bytes;
}

class Copies final : public Bench {
public:
    Copies(std::size_t most_bytes, std::size_t free_bytes, CopyWithin what)
        : within(std::move(what)), gpu(gpu_facts()), free(free_bytes), source(most_bytes + most_offset),
          target(most_bytes) {}

    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_not_capable(gpu, within.compute_capability); !why.empty()) return why;
        if (within.why_skipped)
            if (auto why = within.why_skipped(set, gpu); !why.empty()) return why;
        if (auto why = why_not_cold(set, gpu); !why.empty()) return why;
        return why_no_room(needed(run_of(set, gpu)), free);
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto offset = within.offset ? within.offset(set) : 0;
        const auto run = run_of(set, gpu);
        const auto once = [this, offset, copy = within.copy(set, gpu)](const Stream& on, std::size_t place) {
            copy(on, target.at(place), source.at(offset + place));
        };
        const auto places = bytes == 0 ? 1 : run / bytes;
        const auto queue = [once, bytes, turn = Turn(places)](const Stream& on) mutable {
            once(on, turn.take() * bytes);
        };
        const auto differs = [this, bytes, run, places, offset, once] {
            if (written_at != offset) write_payload(stream, {source.at(offset), source.bytes() - most_offset});
            written_at = offset;
            return target.what_differs(stream, run, [&] {
                for (std::size_t place = 0; place < places; ++place) once(stream, place * bytes);
            });
        };
        return {.bytes_one_way = static_cast<std::int64_t>(bytes),
                .bytes_touched = 2 * static_cast<std::int64_t>(bytes),
                .peak = memory_peak(gpu, 2 * run),
                .compared = Guarded::compared(),
                .differs = differs,
                .queue = queue,
                .flags = within.flags ? within.flags(set, gpu) : std::vector<std::string>{}};
    }

private:
    CopyWithin within;
    GpuFacts gpu;
    Stream stream{};
    std::size_t free;
    Guarded source;
    Guarded target;
    std::size_t written_at = most_offset;  // where the payload begins in the source; initially an impossible offset
};

}  // namespace

std::unique_ptr<Bench> copy_bench(const std::vector<Parameters>& sets, const CopyWithin& within) {
    const auto free = free_device_bytes();
    const auto gpu = gpu_facts();
    std::size_t most = 0;
    for (const auto& set : sets)
        if (const auto run = run_of(set, gpu); needed(run) <= free) most = std::max(most, run);
    return std::make_unique<Copies>(most, free, within);
}

Values headline_bytes() {
    return {std::int64_t{1} << 20, std::int64_t{64} << 20, std::int64_t{1} << 30, std::int64_t{4} << 30};
}

Values default_bytes() { return {std::int64_t{64} << 20, std::int64_t{1} << 30}; }

Values full_bytes() { return {std::int64_t{64} << 20, std::int64_t{1} << 30, std::int64_t{4} << 30}; }

Values tuning_bytes() { return {std::int64_t{1} << 30}; }

Measurable copy_within_one_gpu(std::string name, std::string summary, std::map<std::string, Values> parameters,
                               std::map<std::string, Values> full, CopyWithin within) {
    parameters.try_emplace("bytes", default_bytes());
    full.try_emplace("bytes", full_bytes());
    const auto capability = within.compute_capability;
    return {.benchmark = {.name = "copy/device_to_device/" + std::move(name),
                          .summary = std::move(summary),
                          .clock = Clock::device,
                          .parameters = std::move(parameters),
                          .quick = {{"bytes", {}}},
                          .full = std::move(full),
                          .needs = {.gpus = 1,
                                    .compute_capability = capability == 0 ? ""
                                                                          : std::to_string(capability / 10) + "." +
                                                                                std::to_string(capability % 10)}},
            .set_up = [within = std::move(within)](const std::vector<Parameters>& sets) {
                return copy_bench(sets, within);
            }};
}

}  // namespace tocuda
