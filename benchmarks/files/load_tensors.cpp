// tocuda, Apache-2.0.
// Copies many small tensors to the GPU, as a loader of models does: one by one, in one call for all of them, by a
// kernel that gathers them, or, for comparison, as one array.
#include <cuda_runtime_api.h>

#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/gather.hpp"
#include "measurement/check.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/gpu/host_memory.hpp"
#include "measurement/parameter.hpp"
#include "measurement/payload.hpp"
#include "measurement/peaks.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::load_tensors {
namespace {

constexpr std::size_t granule = 256;  // as allocators align tensors

// Tensors of one size that lie side by side, copied in an order in which no two neighbours follow each other.
struct Tensors {
    explicit Tensors(const Parameters& set)
        : count(static_cast<std::size_t>(whole(set, "count"))), each(bytes_of(set) / count / granule * granule) {}
    std::size_t count;
    std::size_t each;
    std::size_t bytes() const { return count * each; }

    std::vector<Segment> from(const std::byte* source, std::byte* target) const {
        std::size_t step = count / 2 + 1;
        while (std::gcd(step, count) != 1) ++step;
        std::vector<Segment> segments;
        for (std::size_t i = 0; i < count; ++i) {
            const auto at = i * step % count * each;
            segments.push_back({target + at, source + at, each});
        }
        return segments;
    }
};

// The lists that cudaMemcpyBatchAsync takes.
class Batch {
public:
    explicit Batch(const std::vector<Segment>& segments) {
        for (const auto& segment : segments) {
            to.push_back(segment.to);
            from.push_back(segment.from);
            sizes.push_back(segment.bytes);
        }
        attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    }

    cudaError_t copy(const Stream& stream) {
        std::size_t first = 0;
        return cudaMemcpyBatchAsync(to.data(), from.data(), sizes.data(), sizes.size(), &attributes, &first, 1,
                                    stream.get());
    }

private:
    std::vector<void*> to{};
    std::vector<const void*> from{};
    std::vector<std::size_t> sizes{};
    cudaMemcpyAttributes attributes{};
};

class LoadTensors final : public Bench {
public:
    explicit LoadTensors(const std::vector<Parameters>& sets)
        : fit([](const Parameters& set) -> Room {
              return {.host_bytes = 2 * bytes_of(set), .device_bytes = Guarded::allocated(bytes_of(set))};
          }),
          most(largest_that_fits(sets, [this](const Parameters& set) { return why_skipped(set).empty(); })),
          target(most) {
        batches_fail = why_no_batches();
    }

    std::string why_skipped(const Parameters& set) const override {
        if (bytes_of(set) / static_cast<std::size_t>(whole(set, "count")) < granule)
            return "at least " + std::to_string(granule) + " bytes are needed for each tensor";
        if (text(set, "by") == "gather" && text(set, "memory") != "pinned")
            return "the gathering kernel needs page-locked memory";
        if (text(set, "by") == "batch" && !batches_fail.empty()) return batches_fail;
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) override {
        const Tensors tensors(set);
        auto& memory = text(set, "memory") == "pinned" ? pinned : pageable;
        if (!memory) {
            memory.emplace(text(set, "memory") == "pinned" ? pinned_memory(most, cudaHostAllocDefault)
                                                           : pageable_memory(most));
            write_payload(std::span(memory->get(), most), 0);
        }
        auto peak = link_peak();
        peak.counted = Counted::one_way;
        const auto call = load(text(set, "by"), tensors, memory->get());
        return {.bytes_one_way = static_cast<std::int64_t>(tensors.bytes()),
                .bytes_touched = 2 * static_cast<std::int64_t>(tensors.bytes()),
                .peak = peak,
                .compared = Guarded::compared(),
                .differs = [this, bytes = tensors.bytes(), call] { return target.what_differs(stream, bytes, call); },
                .timing = Called{call},
                .flags = {std::to_string(tensors.each) + " bytes in each tensor"}};
    }

private:
    std::function<void()> load(const std::string& by, const Tensors& tensors, const std::byte* source) {
        const auto segments = tensors.from(source, target.at());
        if (by == "one") return [this, source, bytes = tensors.bytes()] { copy({target.at(), source, bytes}), wait(); };
        if (by == "loop")
            return [this, segments] {
                for (const auto& segment : segments) copy(segment);
                wait();
            };
        if (by == "batch")
            return [this, batch = std::make_shared<Batch>(segments)] {
                require("cudaMemcpyBatchAsync", batch->copy(stream));
                wait();
            };
        const auto list = std::make_shared<DeviceMemory>(segments.size() * sizeof(Segment));
        const auto seen = tensors.from(as_the_gpu_sees(pinned->get()), target.at());
        upload(list->get(), std::as_bytes(std::span(seen)), stream);
        return [this, list,
                what = Gathered{.segments = reinterpret_cast<const Segment*>(list->get()),
                                .count = tensors.count,
                                .target = target.at(),
                                .source = as_the_gpu_sees(pinned->get()),
                                .bytes = tensors.bytes()}] {
            launch_gather(stream, what, multiprocessors);
            wait();
        };
    }

    void copy(const Segment& segment) const {
        require("cudaMemcpyAsync",
                cudaMemcpyAsync(segment.to, segment.from, segment.bytes, cudaMemcpyHostToDevice, stream.get()));
    }
    void wait() const { stream.synchronize(); }

    // CUDA 12.8 has them, if the driver does.
    std::string why_no_batches() const {
        const auto memory = pinned_memory(2 * granule, cudaHostAllocDefault);
        const DeviceMemory device(2 * granule);
        const auto answer = Batch({{device.get(), memory.get(), granule}}).copy(stream);
        stream.synchronize();
        if (answer == cudaSuccess) return "";
        static_cast<void>(cudaGetLastError());
        return std::string("cudaMemcpyBatchAsync: ") + cudaGetErrorString(answer);
    }

    const Fit fit;
    std::string batches_fail{};
    const std::size_t most;
    const unsigned multiprocessors = gpu_facts().multiprocessors;
    Stream stream{};
    Guarded target;
    std::optional<HostMemory> pageable{};
    std::optional<HostMemory> pinned{};
};

const RegisteredBenchmark registered{{
    .benchmark =
        {.name = "load/tensors",
         .summary = "copy many small tensors to the GPU: one by one, in one call (batch), by a gathering "
                    "kernel, or as one array",
         .clock = Clock::host,
         .parameters = {{"bytes", {256 * mib}}, {"by", {}}, {"count", {2400}}, {"memory", {"pageable", "pinned"}}},
         .full = {{"by", {"one", "loop", "batch", "gather"}}, {"count", {100, 2400, 10000}}},
         .allowed = {{"bytes", {.least = granule}}, {"count", {.least = 1, .most = 1'000'000}}},
         .needs = {.gpus = 1}},
    .set_up = [](const std::vector<Parameters>& sets) { return std::make_unique<LoadTensors>(sets); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::load_tensors
