// tocuda, Apache-2.0.
// Measures kernels: allocates each array once, for the largest set that fits, and checks every byte of the target.
#include "kernels/kernel.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "kernels/rotation.hpp"
#include "measurement/check.hpp"
#include "measurement/host_time.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/room.hpp"

namespace tocuda {
namespace {

static_assert(kernel_guard_bytes == Guarded::guard_bytes);
constexpr std::size_t most_offset = 128;

std::size_t footprint_of(const ArraySizes& sizes) {
    return std::accumulate(sizes.bytes.begin(), sizes.bytes.end(), std::size_t{0});
}

// Returns the distance between two places of an array, with the guards between them.
std::size_t stride_of(std::size_t bytes) {
    return parts(bytes + 2 * kernel_guard_bytes, place_granule) * place_granule;
}

class KernelBench final : public Bench {
public:
    KernelBench(const Kernel& benched, const std::vector<Parameters>& sets)
        : kernel(benched), gpu(gpu_facts()), free(free_device_bytes()) {
        for (const auto& set : sets) {
            if (!tocuda::why_skipped(kernel, {set, gpu}).empty()) continue;
            auto both = most;
            const auto runs = runs_of(set);
            both.resize(std::max(both.size(), runs.size()));
            for (std::size_t i = 0; i < runs.size(); ++i) both[i] = std::max(both[i], runs[i]);
            if (needed(both) <= free) most = std::move(both);
        }
        if (!most.empty() && kernel.expected) expected.emplace(most.front());
        for (const auto bytes : most) memory.emplace_back(bytes + most_offset);
    }

    std::string why_skipped(const Parameters& set) const override {
        if (auto why = tocuda::why_skipped(kernel, {set, gpu}); !why.empty()) return why;
        const auto runs = runs_of(set);
        if (auto why = why_no_room(needed(runs), free); !why.empty()) return why;
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (runs[i] > most[i]) return "it fits, but not beside the arrays of the other sets of this process";
        return "";
    }

    Trial trial(const Parameters& set) override {
        const Setting setting{set, gpu};
        const auto sizes = kernel.arrays(setting);
        const auto places = places_of(set, gpu, footprint_of(sizes));
        const auto operation = kernel.operation(setting);
        const auto at = [this, setting, sizes](std::size_t place) { return arrays_at(setting, sizes, place); };
        return {.bytes_one_way = static_cast<std::int64_t>(sizes.one_way),
                .bytes_touched = static_cast<std::int64_t>(sizes.touched),
                .items = kernel.operations ? kernel.operations(setting) : 0,
                .peak = memory_peak(gpu, places * footprint_of(sizes)),
                .compared = kernel.compared,
                .differs = [this, setting, places, at, operation]() -> std::string {
                    for (std::size_t place = 0; place < places; ++place) {
                        const auto once = [&, here = at(place)] { operation(stream, here); };
                        auto why = what_differs(kernel, setting, at(place), expected ? expected->get() : nullptr,
                                                stream, once);
                        if (!why.empty()) return why;
                    }
                    return "";
                },
                .timing = Queued{.operation = [at, operation, turn = Turn(places)](
                                                  const Stream& on) mutable { operation(on, at(turn.take())); }},
                .flags = flags_of(setting)};
    }

private:
    Flags flags_of(const Setting& setting) const {
        auto flags = kernel.flags ? kernel.flags(setting) : Flags{};
        if (!kernel.simulated.empty() && gpus_are_simulated()) flags.push_back("simulated: " + kernel.simulated);
        return flags;
    }

    // Returns the bytes that a set uses of each array, without the last guard.
    std::vector<std::size_t> runs_of(const Parameters& set) const {
        const auto sizes = kernel.arrays({set, gpu});
        const auto places = places_of(set, gpu, footprint_of(sizes));
        std::vector<std::size_t> runs;
        for (const auto bytes : sizes.bytes) {
            const bool countable = stride_of(bytes) >= bytes && stride_of(bytes) <= ~std::size_t{0} / places;
            runs.push_back(places == 1 ? bytes : countable ? (places - 1) * stride_of(bytes) + bytes : ~std::size_t{0});
        }
        return runs;
    }

    Arrays arrays_at(const Setting& setting, const ArraySizes& sizes, std::size_t place) const {
        Arrays here;
        for (std::size_t i = 0; i < sizes.bytes.size(); ++i)
            here.push_back(memory[i].at(place * stride_of(sizes.bytes[i])));
        if (kernel.offset) here[1] += kernel.offset(setting);
        return here;
    }

    // Returns the bytes of all arrays and of the expected result.
    std::size_t needed(const std::vector<std::size_t>& bytes) const {
        std::size_t sum = kernel.expected && !bytes.empty() ? allocated_bytes({bytes.front()}) : 0;
        for (const auto each : bytes) {
            const auto rounded = allocated_bytes({std::max(each, Guarded::allocated(each + most_offset))});
            sum = rounded > ~std::size_t{0} - sum ? ~std::size_t{0} : sum + rounded;
        }
        return sum;
    }

    const Kernel& kernel;
    GpuFacts gpu;
    std::size_t free;
    Stream stream{};
    std::vector<std::size_t> most{};  // bytes of each array
    std::optional<DeviceMemory> expected{};
    std::vector<Guarded> memory{};
};

std::vector<Kernel>& all() {
    static std::vector<Kernel> kernels;
    return kernels;
}

Measurable measurable(const Kernel& kernel) {
    const auto capability = kernel.compute_capability;
    Benchmark benchmark{
        .name = kernel.name,
        .summary = kernel.summary,
        .how = kernel.how,
        .clock = Clock::device,
        .parameters = kernel.parameters,
        .quick = kernel.quick,
        .full = kernel.full,
        .allowed = kernel.allowed,
        .needs = {.gpus = 1,
                  .compute_capability =
                      capability == 0 ? "" : std::to_string(capability / 10) + "." + std::to_string(capability % 10),
                  .profile = capability > 90 ? "B200" : ""},
        .group = kernel.group,
        .cost = {.bytes = Handling::on_gpu},
        .role = kernel.role};
    benchmark.parameters.try_emplace("bytes", default_bytes());
    benchmark.full.try_emplace("bytes", full_bytes());
    return {.benchmark = std::move(benchmark), .set_up = [name = kernel.name](const std::vector<Parameters>& sets) {
                return std::make_unique<KernelBench>(kernel_named(name), sets);
            }};
}

}  // namespace

RegisteredKernel::RegisteredKernel(Kernel kernel) {
    const auto benchmark = measurable(kernel);
    const RegisteredBenchmark registered(benchmark);
    if (!kernel.tuning.empty()) {
        std::map<std::string, Values> given{{"bytes", {std::int64_t{1} << 30}}};
        if (kernel.parameters.contains("cache")) given["cache"] = {"resident"};
        auto choosing = tuning(benchmark, "tune/" + kernel.tuning, given);
        choosing.benchmark.role.touched = true;
        const RegisteredBenchmark to_choose(std::move(choosing));
    }
    all().push_back(std::move(kernel));
}

const std::vector<Kernel>& registered_kernels() { return all(); }

const Kernel& kernel_named(const std::string& name) {
    const auto found = std::find_if(all().begin(), all().end(), [&](const Kernel& each) { return each.name == name; });
    if (found == all().end()) throw std::logic_error("no kernel is registered as '" + name + "'");
    return *found;
}

ArraySizes arrays_of_copy(const Setting& setting) {
    return {.bytes = {setting.bytes(), setting.bytes()}, .one_way = setting.bytes(), .touched = 2 * setting.bytes()};
}

std::string why_skipped(const Kernel& kernel, const Setting& setting) {
    if (auto why = why_not_capable(setting.gpu, kernel.compute_capability); !why.empty()) return why;
    if (kernel.why_skipped)
        if (auto why = kernel.why_skipped(setting); !why.empty()) return why;
    if (setting.bytes() > 0 && kernel.arrays(setting).one_way == 0)
        return "there is nothing to measure in " + std::to_string(setting.bytes()) + " bytes with these parameters";
    return why_not_cold(setting.set, setting.gpu);
}

std::string what_differs(const Kernel& kernel, const Setting& setting, const Arrays& arrays, std::byte* expected,
                         const Stream& stream, const std::function<void()>& operation) {
    const auto sizes = kernel.arrays(setting).bytes;
    const std::span target(arrays[0], sizes[0]);
    require("cudaMemsetAsync", cudaMemsetAsync(target.data() - kernel_guard_bytes, std::to_integer<int>(Guarded::guard),
                                               target.size() + 2 * kernel_guard_bytes, stream.get()));
    if (kernel.fill) kernel.fill(stream, arrays, setting);  // the target too, if that is an input
    else write_payload(stream, {arrays[1], sizes[1]});
    operation();
    stream.synchronize();
    if (kernel.wrong) {
        if (auto why = kernel.wrong(setting)(stream, arrays); !why.empty()) return why;
    } else {
        if (kernel.expected) kernel.expected(stream, expected, setting);
        const auto place = kernel.expected ? first_difference(stream, {expected, target.size()}, target)
                                           : first_unlike_payload(stream, target);
        if (place) return byte_differs(static_cast<std::ptrdiff_t>(*place), target.size());
    }
    if (const auto place =
            first_unlike(stream, {target.data() - kernel_guard_bytes, kernel_guard_bytes}, Guarded::guard))
        return byte_differs(static_cast<std::ptrdiff_t>(*place) - std::ptrdiff_t{kernel_guard_bytes}, target.size());
    if (const auto place = first_unlike(stream, {target.data() + target.size(), kernel_guard_bytes}, Guarded::guard))
        return byte_differs(static_cast<std::ptrdiff_t>(target.size() + *place), target.size());
    return "";
}

}  // namespace tocuda
