// tocuda, Apache-2.0.
// Cast then move, move then cast, or both in one kernel.
#include <algorithm>

#include "benchmarks/convert/conversion.hpp"
#include "benchmarks/copy/passage.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/peaks.hpp"

namespace tocuda::benchmarks::ways_to_convert {
namespace {

Peak link_both_ends() {
    auto peak = link_peak();
    peak.counted = Counted::one_way;
    return peak;
}

unsigned blocks_of(const Parameters& set) { return static_cast<unsigned>(whole(set, "blocks")); }

// The baseline for the casts: moves the same bytes without a cast.
class Plain final : public Converting {
public:
    explicit Plain(const std::vector<Parameters>& sets) : Converting(sets, needed_beside(0, 0)) {}

protected:
    Conversion conversion_of(const Parameters& set) const override {
        return {.types = {Number::float32, Number::float32}, .count = bytes_of(set) / sizeof(float)};
    }
    void operate(Trial& trial, const Parameters&, const Conversion& conversion) override {
        trial.peak = link_both_ends();
        trial.timing = Called{[this, bytes = conversion.source_bytes()] {
            copy_async(target(), source(), bytes, Direction::host_to_device, stream);
            stream.synchronize();
        }};
    }
};

// Only the bytes of the target cross the link, so its peak does not limit the bytes of the source.
class CastThenMove final : public Converting {
public:
    explicit CastThenMove(const std::vector<Parameters>& sets)
        : Converting(sets, needed_beside(2, 0)), between(pinned_memory(2 * most, cudaHostAllocDefault)) {}

protected:
    void operate(Trial& trial, const Parameters&, const Conversion& conversion) override {
        trial.flags.push_back("cast by " + std::to_string(crew.size()) + " threads");
        trial.timing = Called{[this, conversion] {
            cast(conversion);
            copy_async(target(), between.get(), conversion.target_bytes(), Direction::host_to_device, stream);
            stream.synchronize();
        }};
    }

private:
    void cast(const Conversion& conversion) {
        const auto from = conversion.types.from;
        const auto to = conversion.types.to;
        const auto rate = std::min(crew.size() * simulated_thread_bytes_per_second, simulated_host_bytes_per_second);
        const bool done = !only_the_clock_counts();
        in_parts(crew, conversion.count, [&](std::size_t place, std::size_t count) {
            if (done)
                cast_on_host(conversion.types, between.get() + place * bytes_each(to),
                             source() + place * bytes_each(from), count);
            pass_host_seconds(static_cast<double>(count * bytes_each(from)) / rate);
        });
    }

    HostMemory between;
};

class MoveThenCast final : public Converting {
public:
    explicit MoveThenCast(const std::vector<Parameters>& sets) : Converting(sets, needed_beside(0, 1)), arrived(most) {}

protected:
    void operate(Trial& trial, const Parameters&, const Conversion& conversion) override {
        trial.peak = link_both_ends();
        trial.timing = Called{[this, conversion] {
            copy_async(arrived.get(), source(), conversion.source_bytes(), Direction::host_to_device, stream);
            launch_cast(stream, conversion.types, target(), arrived.get(), conversion.count);
            stream.synchronize();
        }};
    }

private:
    DeviceMemory arrived;
};

// The cast kernel reads from host memory.
class Fused final : public Converting {
public:
    explicit Fused(const std::vector<Parameters>& sets) : Converting(sets, needed_beside(0, 0)) {
        void* found = nullptr;
        require("cudaHostGetDevicePointer", cudaHostGetDevicePointer(&found, source(), 0));
        seen = static_cast<const std::byte*>(found);
    }

protected:
    void operate(Trial& trial, const Parameters& set, const Conversion& conversion) override {
        trial.peak = link_both_ends();
        trial.timing = Called{[this, conversion, blocks = blocks_of(set)] {
            launch_cast(stream, conversion.types, target(), seen, conversion.count, blocks);
            stream.synchronize();
        }};
    }

private:
    const std::byte* seen = nullptr;
};

template <class Way>
std::unique_ptr<Bench> on_one(const std::vector<Parameters>& sets) {
    return std::make_unique<Way>(sets);
}

Values from_types() { return {"float"}; }
Values to_types() { return {"bfloat16"}; }

const RegisteredBenchmark plain{
    conversion("plain", "copy page-locked numbers to the GPU without a cast, with the same clock as the casts", {}, {},
               {}, on_one<Plain>)};
const RegisteredBenchmark cast_then_move{
    as_another_way(conversion("cast_then_move", "cast with the CPU's threads, then copy the result to the GPU",
                              {{"from", from_types()}, {"to", to_types()}}, {}, {}, on_one<CastThenMove>))};
const RegisteredBenchmark move_then_cast{
    conversion("move_then_cast", "copy page-locked numbers to the GPU, then cast there",
               {{"from", from_types()}, {"to", to_types()}}, {}, {}, on_one<MoveThenCast>)};
const RegisteredBenchmark fused{
    as_another_way(conversion("fused", "a kernel reads page-locked numbers over the link and writes the cast ones",
                              {{"from", from_types()}, {"to", to_types()}, {"blocks", {0}}}, {{"blocks", {0, 64}}},
                              {{"blocks", {.most = 65536}}}, on_one<Fused>))};

}  // namespace
}  // namespace tocuda::benchmarks::ways_to_convert
