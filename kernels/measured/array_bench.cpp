// tocuda, Apache-2.0.
// Allocates each array once, for the largest set that fits.
#include "kernels/measured/array_bench.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "kernels/measured/rotation.hpp"
#include "measurement/check.hpp"
#include "measurement/guarded.hpp"
#include "measurement/room.hpp"

namespace tocuda {
namespace {

class OverThem final : public Bench {
public:
    OverThem(const std::vector<Parameters>& sets, OverArrays what)
        : over(std::move(what)), gpu(gpu_facts()), free(free_device_bytes()) {
        for (const auto& set : sets) {
            if (!why_not_allowed(set).empty()) continue;
            auto both = most;
            const auto runs = runs_of(set);
            both.resize(std::max(both.size(), runs.size()));
            for (std::size_t i = 0; i < runs.size(); ++i) both[i] = std::max(both[i], runs[i]);
            if (needed(both) <= free) most = std::move(both);
        }
        if (!most.empty() && over.expected) expected.emplace(most.front());
        for (const auto bytes : most) memory.emplace_back(bytes + Guarded::guard_bytes);
        for (const auto& each : memory) arrays.push_back(each.get());
    }

    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_not_allowed(set); !why.empty()) return why;
        const auto runs = runs_of(set);
        if (auto why = why_no_room(needed(runs), free); !why.empty()) return why;
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (runs[i] > most[i]) return "it fits, but not beside the arrays of the other sets of this process";
        return "";
    }

    Trial trial(const Parameters& set) override {
        const auto sizes = over.sizes(set, gpu);
        const auto places = places_of(set, gpu, footprint_of(sizes));
        const auto at_place = [this, sizes, operation = over.operation(set, gpu)](const Stream& on, std::size_t place) {
            operation(on, arrays_at(sizes, place));
        };
        const auto queue = [at_place, turn = Turn(places)](const Stream& on) mutable { at_place(on, turn.take()); };
        return {
            .bytes_one_way = static_cast<std::int64_t>(sizes.one_way),
            .bytes_touched = static_cast<std::int64_t>(sizes.touched),
            .peak = memory_peak(gpu, places * footprint_of(sizes)),
            .compared = over.compared,
            .differs = [this, set, sizes, places, at_place,
                        wrong = over.found_wrong ? over.found_wrong(set, gpu) : nullptr]() -> std::string {
                for (std::size_t place = 0; place < places; ++place) {
                    const auto queue_here = [&](const Stream& on) { at_place(on, place); };
                    if (auto why = what_differs(set, arrays_at(sizes, place), sizes.bytes.front(), queue_here, wrong);
                        !why.empty())
                        return why;
                }
                return "";
            },
            .queue = queue,
            .flags = over.flags ? over.flags(set, gpu) : std::vector<std::string>{}};
    }

private:
    std::string why_not_allowed(const Parameters& set) const {
        if (auto why = why_not_capable(gpu, over.compute_capability); !why.empty()) return why;
        if (auto why = why_not_cold(set, gpu); !why.empty()) return why;
        return over.why_skipped ? over.why_skipped(set, gpu) : "";
    }

    static std::size_t footprint_of(const ArraySizes& sizes) {
        return std::accumulate(sizes.bytes.begin(), sizes.bytes.end(), std::size_t{0});
    }

    // Returns the distance between two places of an array, with the guard between them.
    static std::size_t stride_of(std::size_t bytes) {
        return parts(bytes + Guarded::guard_bytes, place_granule) * place_granule;
    }

    // Returns the bytes that a set uses of each array, without the last guard.
    std::vector<std::size_t> runs_of(const Parameters& set) const {
        const auto sizes = over.sizes(set, gpu);
        const auto places = places_of(set, gpu, footprint_of(sizes));
        std::vector<std::size_t> runs;
        for (const auto bytes : sizes.bytes) {
            const bool countable = stride_of(bytes) >= bytes && stride_of(bytes) <= ~std::size_t{0} / places;
            runs.push_back(places == 1 ? bytes : countable ? (places - 1) * stride_of(bytes) + bytes : ~std::size_t{0});
        }
        return runs;
    }

    Arrays arrays_at(const ArraySizes& sizes, std::size_t place) const {
        auto here = arrays;
        for (std::size_t i = 0; i < sizes.bytes.size(); ++i) here[i] += place * stride_of(sizes.bytes[i]);
        return here;
    }

    // Returns the bytes of all arrays and of the expected result.
    std::size_t needed(const std::vector<std::size_t>& bytes) const {
        std::size_t sum = over.expected && !bytes.empty() ? allocated_bytes({bytes.front()}) : 0;
        for (const auto each : bytes) {
            const auto rounded = allocated_bytes({std::max(each, each + Guarded::guard_bytes)});
            sum = rounded > ~std::size_t{0} - sum ? ~std::size_t{0} : sum + rounded;
        }
        return sum;
    }

    std::string what_differs(const Parameters& set, const Arrays& here, std::size_t bytes,
                             const std::function<void(const Stream&)>& queue,
                             const std::function<std::string(const Stream&, const Arrays&)>& found_wrong) const {
        over.fill(stream, here, set);
        require("cudaMemsetAsync", cudaMemsetAsync(here.front(), std::to_integer<int>(Guarded::guard),
                                                   bytes + Guarded::guard_bytes, stream.get()));
        queue(stream);
        stream.synchronize();
        if (found_wrong) return found_wrong(stream, here);
        over.expected(stream, expected->get(), set);
        if (const auto place = first_difference(stream, {expected->get(), bytes}, {here.front(), bytes}))
            return at_byte(*place, bytes);
        if (const auto place = first_unlike(stream, {here.front() + bytes, Guarded::guard_bytes}, Guarded::guard))
            return at_byte(bytes + *place, bytes);
        return "";
    }

    static std::string at_byte(std::size_t byte, std::size_t of) {
        return "byte " + std::to_string(byte) + " of " + std::to_string(of) + " differs from the reference";
    }

    OverArrays over;
    GpuFacts gpu;
    std::size_t free;
    Stream stream{};
    std::vector<std::size_t> most{};  // bytes of each array
    std::optional<DeviceMemory> expected{};
    std::vector<DeviceMemory> memory{};
    Arrays arrays{};
};

}  // namespace

std::unique_ptr<Bench> array_bench(const std::vector<Parameters>& sets, const OverArrays& over) {
    return std::make_unique<OverThem>(sets, over);
}

}  // namespace tocuda
