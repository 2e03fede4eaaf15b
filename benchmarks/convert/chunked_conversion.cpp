// tocuda, Apache-2.0.
// While one chunk is cast, the copy engine transfers the next, so that only the cast of the last chunk takes extra
// time.
#include <algorithm>
#include <array>
#include <bit>

#include "benchmarks/convert/conversion.hpp"
#include "benchmarks/copy/passage.hpp"
#include "measurement/parameter.hpp"
#include "measurement/peaks.hpp"

namespace tocuda::benchmarks::chunked_conversion {
namespace {

// An event that synchronises two streams, without timing.
class Signal {
public:
    Signal() { require("cudaEventCreateWithFlags", cudaEventCreateWithFlags(&event, cudaEventDisableTiming)); }
    ~Signal() { cudaEventDestroy(event); }
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;

    void after(const Stream& stream) const { require("cudaEventRecord", cudaEventRecord(event, stream.get())); }
    void before(const Stream& stream) const {
        require("cudaStreamWaitEvent", cudaStreamWaitEvent(stream.get(), event, 0));
    }

private:
    cudaEvent_t event = nullptr;
};

// Large chunks need few calls and gaps; small chunks leave little to cast at the end.
std::size_t chunk_for(std::size_t bytes, std::size_t asked) {
    if (asked != 0) return asked;
    return std::clamp(std::bit_floor(std::max<std::size_t>(bytes / 8, 1)), std::size_t{mib}, std::size_t{16 * mib});
}

constexpr std::int64_t most_asked = 16 * mib;

class Chunked final : public Converting {
public:
    explicit Chunked(const std::vector<Parameters>& sets)
        : Converting(sets, needed_beside(0, 1)), each(std::min<std::size_t>(most_asked, std::bit_ceil(most))),
          buffers(ring * each) {}

protected:
    void operate(Trial& trial, const Parameters& set, const Conversion& conversion) override {
        const auto chunk = chunk_for(conversion.source_bytes(), static_cast<std::size_t>(whole(set, "chunk")));
        const auto numbers = std::min(chunk, each) / bytes_each(conversion.types.from);
        trial.peak = link_peak();
        trial.peak.counted = Counted::one_way;
        trial.flags.push_back("chunks of " + std::to_string(numbers * bytes_each(conversion.types.from)) + " bytes");
        trial.timing = Called{[this, conversion, numbers] { convert(conversion, numbers); }};
    }

private:
    static constexpr std::size_t ring = 4;

    // A buffer is reused once its content has been cast.
    void convert(const Conversion& conversion, std::size_t numbers) {
        const auto [from, to] = conversion.types;
        for (std::size_t place = 0, chunk = 0; place < conversion.count; place += numbers, ++chunk) {
            const auto count = std::min(numbers, conversion.count - place);
            const auto slot = chunk % ring;
            auto* buffer = buffers.get() + slot * each;
            if (chunk >= ring) cast[slot].before(stream);
            copy_async(buffer, source() + place * bytes_each(from), count * bytes_each(from), Direction::host_to_device,
                       stream);
            arrived[slot].after(stream);
            arrived[slot].before(casting);
            launch_cast(casting, conversion.types, target() + place * bytes_each(to), buffer, count);
            cast[slot].after(casting);
        }
        casting.synchronize();
    }

    const std::size_t each;
    DeviceMemory buffers;
    Stream casting{};
    std::array<Signal, ring> arrived{};
    std::array<Signal, ring> cast{};
};

const RegisteredBenchmark chunked{as_another_way(
    conversion("chunked", "copy page-locked numbers to the GPU in chunks, and cast each while the next is copied",
               {{"from", {"float"}}, {"to", {"bfloat16"}}, {"chunk", {0}}}, {{"chunk", {0, 4 * mib}}},
               {{"chunk", {.least = 64 * kib, .most = most_asked, .or_zero = true}}},
               [](const std::vector<Parameters>& sets) { return std::make_unique<Chunked>(sets); }))};

}  // namespace
}  // namespace tocuda::benchmarks::chunked_conversion
