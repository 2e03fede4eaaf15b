// tocuda, Apache-2.0.
// One source and one target for all sets of a process.
#include "kernels/measured/copy_bench.hpp"

#include <utility>

#include "measurement/check.hpp"
#include "measurement/guarded.hpp"
#include "measurement/parameter.hpp"
#include "measurement/room.hpp"

namespace tocuda {
namespace {

constexpr std::size_t most_offset = 128;

std::size_t needed(std::size_t bytes) {
    return bytes > bytes + most_offset ? bytes : allocated_bytes({Guarded::allocated(bytes + most_offset), Guarded::allocated(bytes)});
}

class Copies final : public Bench {
public:
    Copies(std::size_t most_bytes, std::size_t free_bytes, CopyWithin what)
        : within(std::move(what)), gpu(gpu_facts()), free(free_bytes), source(most_bytes + most_offset), target(most_bytes) {}

    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_not_capable(gpu, within.compute_capability); !why.empty()) return why;
        if (within.why_skipped)
            if (auto why = within.why_skipped(set, gpu); !why.empty()) return why;
        return why_no_room(needed(bytes_of(set)), free);
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto offset = within.offset ? within.offset(set) : 0;
        const auto queue = [this, offset, copy = within.copy(set, gpu)](const Stream& on) { copy(on, target.at(), source.at(offset)); };
        const auto differs = [this, bytes, offset, queue] {
            if (written_at != offset) write_payload(stream, {source.at(offset), source.bytes() - most_offset});
            written_at = offset;
            return target.what_differs(stream, bytes, [&] { queue(stream); });
        };
        return {.bytes_one_way = static_cast<std::int64_t>(bytes),
                .bytes_touched = 2 * static_cast<std::int64_t>(bytes),
                .peak = memory_peak(gpu, 2 * bytes),
                .compared = Guarded::compared(),
                .differs = differs,
                .queue = queue};
    }

private:
    CopyWithin within;
    GpuFacts gpu;
    Stream stream{};
    std::size_t free;
    Guarded source;
    Guarded target;
    std::size_t written_at = most_offset;  // where the payload in the source begins; at first nowhere
};

}  // namespace

std::unique_ptr<Bench> copy_bench(const std::vector<Parameters>& sets, const CopyWithin& within) {
    const auto free = free_device_bytes();
    return std::make_unique<Copies>(largest_that_fits(sets, [&](const Parameters& set) { return needed(bytes_of(set)) <= free; }), free, within);
}

Values default_bytes() { return {std::int64_t{4} << 10, std::int64_t{1} << 20, std::int64_t{64} << 20, std::int64_t{1} << 30}; }

Values full_bytes() { return {std::int64_t{64} << 20, std::int64_t{1} << 30, std::int64_t{4} << 30}; }

Measurable copy_within_one_gpu(std::string name, std::string summary, std::map<std::string, Values> parameters, std::map<std::string, Values> full,
                               CopyWithin within) {
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
                                                                          : std::to_string(capability / 10) + "." + std::to_string(capability % 10)}},
            .set_up = [within = std::move(within)](const std::vector<Parameters>& sets) { return copy_bench(sets, within); }};
}

}  // namespace tocuda
