// tocuda, Apache-2.0.
// Takes each array once, for the largest set that fits.
#include "kernels/measured/array_bench.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "measurement/check.hpp"
#include "measurement/guarded.hpp"
#include "measurement/room.hpp"

namespace tocuda {
namespace {

class OverThem final : public Bench {
public:
    OverThem(const std::vector<Parameters>& sets, OverArrays what) : over(std::move(what)), gpu(gpu_facts()), free(free_device_bytes()) {
        for (const auto& set : sets) {
            if (!why_not_allowed(set).empty()) continue;
            auto both = most;
            const auto sizes = over.sizes(set, gpu).bytes;
            both.resize(std::max(both.size(), sizes.size()));
            for (std::size_t i = 0; i < sizes.size(); ++i) both[i] = std::max(both[i], sizes[i]);
            if (needed(both) <= free) most = std::move(both);
        }
        if (!most.empty() && over.expected) expected.emplace(most.front());
        for (const auto bytes : most) memory.emplace_back(bytes + Guarded::guard_bytes);
        for (const auto& each : memory) arrays.push_back(each.get());
    }

    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_not_allowed(set); !why.empty()) return why;
        const auto sizes = over.sizes(set, gpu).bytes;
        if (auto why = why_no_room(needed(sizes), free); !why.empty()) return why;
        for (std::size_t i = 0; i < sizes.size(); ++i)
            if (sizes[i] > most[i]) return "it fits, but not beside what the other sets of this process take";
        return "";
    }

    Trial trial(const Parameters& set) override {
        const auto sizes = over.sizes(set, gpu);
        std::size_t footprint = 0;
        for (const auto bytes : sizes.bytes) footprint += bytes;
        const auto queue = [this, operation = over.operation(set, gpu)](const Stream& on) { operation(on, arrays); };
        return {.bytes_one_way = static_cast<std::int64_t>(sizes.one_way),
                .bytes_touched = static_cast<std::int64_t>(sizes.touched),
                .peak = memory_peak(gpu, footprint),
                .compared = over.compared,
                .differs = [this, set, queue, bytes = sizes.bytes.front(), wrong = over.found_wrong ? over.found_wrong(set, gpu) : nullptr] {
                    return what_differs(set, bytes, queue, wrong);
                },
                .queue = queue};
    }

private:
    std::string why_not_allowed(const Parameters& set) const { return over.why_skipped ? over.why_skipped(set) : ""; }

    // The result that is expected is an array more.
    std::size_t needed(const std::vector<std::size_t>& bytes) const {
        std::size_t sum = over.expected && !bytes.empty() ? allocated_bytes({bytes.front()}) : 0;
        for (const auto each : bytes) {
            const auto rounded = allocated_bytes({std::max(each, each + Guarded::guard_bytes)});
            sum = rounded > ~std::size_t{0} - sum ? ~std::size_t{0} : sum + rounded;
        }
        return sum;
    }

    std::string what_differs(const Parameters& set, std::size_t bytes, const std::function<void(const Stream&)>& queue,
                             const std::function<std::string(const Stream&, const Arrays&)>& found_wrong) const {
        over.fill(stream, arrays, set);
        require("cudaMemsetAsync", cudaMemsetAsync(arrays.front(), std::to_integer<int>(Guarded::guard), bytes + Guarded::guard_bytes, stream.get()));
        queue(stream);
        stream.synchronize();
        if (found_wrong) return found_wrong(stream, arrays);
        over.expected(stream, expected->get(), set);
        if (const auto place = first_difference(stream, {expected->get(), bytes}, {arrays.front(), bytes})) return at_byte(*place, bytes);
        if (const auto place = first_unlike(stream, {arrays.front() + bytes, Guarded::guard_bytes}, Guarded::guard)) return at_byte(bytes + *place, bytes);
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

std::unique_ptr<Bench> array_bench(const std::vector<Parameters>& sets, const OverArrays& over) { return std::make_unique<OverThem>(sets, over); }

}  // namespace tocuda
