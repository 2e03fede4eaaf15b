// tocuda, Apache-2.0.
// The measurement of the vector copy: within the memory of one GPU, checked once for each size and then timed in batches.
#include "kernels/vector_copy.hpp"

#include <string>
#include <vector>

#include "measurement/device_memory.hpp"
#include "measurement/device_samples.hpp"
#include "measurement/launch.hpp"
#include "measurement/payload.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda {
namespace {

constexpr std::size_t guard_bytes = 256;
constexpr std::byte guard{0xC3};
constexpr std::size_t chunk_bytes = std::size_t{16} << 20;  // what is on the host at a time
constexpr int samples_taken = 10;

std::size_t bytes_of(const Parameters& set) { return static_cast<std::size_t>(std::get<std::int64_t>(set.at("bytes").held)); }

// Source and target, each between guards, taken once for the largest size.
class Copy {
public:
    explicit Copy(std::size_t most_bytes) : source(most_bytes + 2 * guard_bytes), target(most_bytes + 2 * guard_bytes) {
        std::vector<std::byte> chunk(std::min(chunk_bytes, most_bytes));
        for (std::size_t place = 0; place < most_bytes; place += chunk.size()) {
            const auto part = std::span(chunk).first(std::min(chunk.size(), most_bytes - place));
            write_payload(part, place);
            upload(from() + place, part, stream);
        }
    }

    Samples measure(const Parameters& set) const {
        const auto bytes = bytes_of(set);
        Samples samples{.parameters = set, .bytes_one_way = static_cast<std::int64_t>(bytes),
                        .bytes_touched = static_cast<std::int64_t>(VectorCopy::grid(bytes).bytes_touched)};
        samples.check = what_differs(bytes);
        if (!samples.check.empty()) {
            samples.status = Status::wrong;
            return samples;
        }
        samples.check = "every byte, and " + std::to_string(guard_bytes) + " before and after";
        auto taken = samples_on_device(stream, samples_taken, [&] { copy(bytes); });
        samples.batch = taken.batch;
        samples.seconds = std::move(taken.seconds);
        if (std::any_of(samples.seconds.begin(), samples.seconds.end(), [](double seconds) { return !(seconds > 0); })) {
            samples.status = Status::invalid;
            samples.check = "the clock stood still";
        }
        return samples;
    }

private:
    std::byte* from() const { return source.get() + guard_bytes; }
    std::byte* to() const { return target.get() + guard_bytes; }

    void copy(std::size_t bytes) const {
        launch(stream, VectorCopy::grid(bytes), VectorCopy{}, to(), static_cast<const std::byte*>(from()), bytes);
    }

    // After one copy into a target of guards alone; empty where nothing differs from the reference.
    std::string what_differs(std::size_t bytes) const {
        const auto all = bytes + 2 * guard_bytes;
        require("cudaMemsetAsync", cudaMemsetAsync(target.get(), std::to_integer<int>(guard), all, stream.get()));
        copy(bytes);
        std::vector<std::byte> found(std::min(all, chunk_bytes));
        for (std::size_t place = 0; place < all; place += found.size()) {
            const auto part = std::span(found).first(std::min(found.size(), all - place));
            download(part, target.get() + place, stream);
            const auto difference = first_difference(expected(place, part.size(), bytes), part);
            if (!difference) continue;
            const auto byte = static_cast<std::ptrdiff_t>(place + *difference) - static_cast<std::ptrdiff_t>(guard_bytes);
            return "byte " + std::to_string(byte) + " of " + std::to_string(bytes) + " differs from the reference";
        }
        return "";
    }

    // This part of a target, guards included, as the reference leaves it.
    static std::vector<std::byte> expected(std::size_t place, std::size_t size, std::size_t bytes) {
        std::vector<std::byte> part(size, guard);
        const auto first = std::max(place, guard_bytes);
        const auto end = std::min(place + size, guard_bytes + bytes);
        if (first >= end) return part;
        std::vector<std::byte> payload(end - first);
        write_payload(payload, first - guard_bytes);
        copy_reference(std::span(part).subspan(first - place, payload.size()), payload);
        return part;
    }

    Stream stream{};
    DeviceMemory source;
    DeviceMemory target;
};

// The two allocations for this size, each rounded up as the runtime does.
bool fits(const Parameters& set, std::size_t free) {
    constexpr auto granule = std::size_t{2} << 20;
    return bytes_of(set) < free / 2 && 2 * parts(bytes_of(set) + 2 * guard_bytes, granule) * granule <= free;
}

void measure(const std::vector<Parameters>& sets, const SaySamples& say) {
    std::size_t said = 0;
    try {
        const auto free = free_device_bytes();
        std::size_t most = 0;
        for (const auto& set : sets)
            if (fits(set, free)) most = std::max(most, bytes_of(set));
        const Copy copy(most);
        for (; said < sets.size(); ++said) {
            if (fits(sets[said], free)) say(copy.measure(sets[said]));
            else say({.parameters = sets[said], .status = Status::skipped,
                      .check = "twice as many bytes are needed; " + std::to_string(free) + " are free"});
        }
    } catch (const CudaError& error) {
        for (; said < sets.size(); ++said) say({.parameters = sets[said], .status = Status::failed, .check = error.what()});
    }
}

const RegisteredBenchmark vector16{{
    .benchmark = {.name = "copy/device_to_device/vector16",
                  .summary = "copy within the memory of one GPU by a kernel, 16 bytes at a time",
                  .clock = Clock::device,
                  .parameters = {{"bytes", {std::int64_t{4} << 10, std::int64_t{1} << 20, std::int64_t{64} << 20, std::int64_t{1} << 30}}},
                  .needs = {.gpus = 1}},
    .measure = measure,
}};

}  // namespace
}  // namespace tocuda
