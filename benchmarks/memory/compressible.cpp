// tocuda, Apache-2.0.
// A copy by a kernel within memory that the GPU may compress, and within memory that it may not. Both are made by the
// driver's functions for virtual memory, so that they differ in nothing else.
#include <memory>

#include "benchmarks/allocate/virtual_memory.hpp"
#include "kernels/kernel.hpp"
#include "measurement/check.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/host_time.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::compressible {
namespace {

constexpr std::byte zero{0};

struct Both {
    Both(const VirtualKind& kind, std::size_t bytes) : target(kind, bytes), source(kind, bytes) {
        target.make();
        source.make();
    }
    VirtualMemory target;
    VirtualMemory source;
};

class Compressible final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        if (bytes_of(set) == 0) return "at least 1 byte is needed; 0 bytes cannot be allocated";
        if (auto why = fit.why_skipped(set); !why.empty()) return why;
        return why_no_virtual_memory({.compressible = true});  // alone, the plain row says nothing
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const bool zeros = text(set, "data") == "zeros";
        const bool compresses = text(set, "memory") == "compressible";
        const auto memory = std::make_shared<Both>(VirtualKind{.compressible = compresses}, bytes);
        const auto copy =
            kernel_named("copy/device_to_device/unrolled")
                .operation(
                    {{{"bytes", set.at("bytes")}, {"in_flight", 8}, {"threads", 256}, {"hint", "plain"}, {"width", 16}},
                     gpu});
        const auto queue = [memory, copy](const Stream& on) { copy(on, {memory->target.at(), memory->source.at()}); };
        Trial trial{
            .bytes_one_way = static_cast<std::int64_t>(bytes),
            .bytes_touched = 2 * static_cast<std::int64_t>(bytes),
            .peak = zeros && compresses ? Peak{} : memory_peak(gpu, 2 * bytes),  // of bytes that are not moved
            .compared = "every byte",
            .differs = [this, memory, queue, bytes, zeros] { return what_differs(*memory, queue, bytes, zeros); },
            .timing = Queued{.operation = queue}};
        if (gpus_are_simulated()) trial.flags.emplace_back("simulated: compression changes no time");
        return trial;
    }

private:
    std::string what_differs(const Both& memory, const std::function<void(const Stream&)>& queue, std::size_t bytes,
                             bool zeros) const {
        const std::span source(memory.source.at(), bytes);
        const std::span target(memory.target.at(), bytes);
        if (zeros) fill(source, zero);
        else write_payload(stream, source);
        fill(target, Guarded::guard);
        queue(stream);
        stream.synchronize();
        const auto place = zeros ? first_unlike(stream, target, zero) : first_unlike_payload(stream, target);
        return place ? "byte " + std::to_string(*place) + " of " + std::to_string(bytes) + " differs from the reference"
                     : "";
    }

    void fill(std::span<std::byte> memory, std::byte value) const {
        require("cudaMemsetAsync",
                cudaMemsetAsync(memory.data(), std::to_integer<int>(value), memory.size(), stream.get()));
        stream.synchronize();
    }

    const GpuFacts gpu = gpu_facts();
    Stream stream{};
    // Plain and compressible memory take turns, each with a source and a target.
    const Fit fit{[](const Parameters& set) -> Room {
        const auto bytes = bytes_of(set);
        return {.device_bytes = allocated_bytes({bytes, bytes, bytes, bytes})};
    }};
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "memory/compressible",
                  .summary = "copy within memory that the GPU may compress, and within memory that it may not",
                  .how = "two events on a stream around the same kernel in turns on memory that cuMemCreate made with "
                         "and without compression. Random bytes show what asking for compression costs, zeros the most "
                         "that it can gain: GB/s then counts bytes that need not be moved, and has no peak",
                  .clock = Clock::device,
                  .parameters = {{"bytes", {64 * mib, gib}}, {"data", {"random", "zeros"}}, {"memory", {}}},
                  .quick = {{"memory", {}}},
                  .full = {{"memory", {"plain", "compressible"}}},
                  .alternates = "memory",
                  .needs = {.gpus = 1},
                  .cost = {.bytes = Handling::on_gpu},
                  .role = {.campaign = "kinds"}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Compressible>(); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::compressible
