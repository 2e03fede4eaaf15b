// tocuda, Apache-2.0.
// A kernel reads more managed memory than the GPU has room for, so that each pass evicts what the next one needs. More
// than a little too much can hang a GPU: ballast leaves 2 GiB free, and at most 3 GiB are managed.
#include <algorithm>
#include <memory>
#include <optional>

#include "benchmarks/copy/managed_memory.hpp"
#include "kernels/kernel.hpp"
#include "measurement/check.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/host_time.hpp"
#include "measurement/payload.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/room.hpp"

namespace tocuda::benchmarks::oversubscribed {
namespace {

constexpr std::size_t left_free = 2 * static_cast<std::size_t>(gib);
constexpr std::size_t most = 3 * static_cast<std::size_t>(gib);
constexpr std::size_t most_excess = most - left_free;

class Oversubscribed final : public Bench {
public:
    Oversubscribed() : unsupported(why_no_managed_pages()), free(free_device_bytes()) {
        if (unsupported.empty() && free > left_free) ballast.emplace(free - left_free);
    }

    std::string why_skipped(const Parameters& set) const override {
        if (!unsupported.empty()) return unsupported;
        const auto bytes = bytes_of(set);
        if (bytes == 0) return "at least 1 byte is needed; 0 bytes cannot be allocated";
        if (bytes > most) return "at most " + std::to_string(most) + " bytes of managed memory are supported here";
        if (bytes > most_excess)
            if (auto why = why_no_room(bytes - most_excess, free); !why.empty()) return why;
        if (gpus_are_simulated() && free_at_first && bytes > *free_at_first / 4)
            return std::to_string(bytes) +
                   " bytes are more than a quarter of the host's free memory, and a simulated GPU keeps its memory "
                   "there; a smaller size is needed";
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) override {
        const Setting setting{{{"bytes", set.at("bytes")}, {"width", 16}}, gpu};
        const auto bytes = setting.bytes();
        const auto memory = std::make_shared<ManagedMemory>(bytes);
        const auto sums = std::make_shared<DeviceMemory>(sums_of(setting));
        const auto read = [this, memory, sums, operation = reader.operation(setting)] {
            operation(stream, {sums->get(), memory->get()});
            stream.synchronize();
        };
        Trial trial{
            .bytes_one_way = static_cast<std::int64_t>(bytes),
            .bytes_touched = static_cast<std::int64_t>(bytes),
            .compared = reader.compared,
            .differs = [this, setting, memory, sums, read] { return what_differs(setting, *memory, *sums, read); },
            .timing = Called{read}};
        if (attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables) != 0)
            trial.flags.emplace_back("the GPU uses the host's page tables: pages that fit may be read over the link");
        if (ballast) trial.flags.push_back(std::to_string(left_free) + " bytes of the GPU's memory left free");
        return trial;
    }

private:
    std::size_t sums_of(const Setting& setting) const { return reader.arrays(setting).bytes.front(); }

    // The CPU writes, so that all pages start on the host.
    std::string what_differs(const Setting& setting, const ManagedMemory& memory, const DeviceMemory& sums,
                             const std::function<void()>& read) const {
        write_payload(std::span(memory.get(), setting.bytes()), 0);
        host_touched(memory.get(), setting.bytes());
        require("cudaMemsetAsync",
                cudaMemsetAsync(sums.get(), std::to_integer<int>(Guarded::guard), sums_of(setting), stream.get()));
        read();
        return reader.wrong(setting)(stream, {sums.get(), memory.get()});
    }

    const GpuFacts gpu = gpu_facts();
    const Kernel& reader = kernel_named("memory/read");
    const std::string unsupported;
    const std::size_t free;
    const std::optional<std::size_t> free_at_first = free_host_bytes();
    const Fit fit{[](const Parameters& set) -> Room { return {.host_bytes = bytes_of(set)}; }};
    Stream stream{};
    std::optional<DeviceMemory> ballast{};
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "managed/oversubscribed",
                  .summary = "read managed memory, 1 GiB less than the GPU has room for and 1 GiB more",
                  .how = "the host's clock around a kernel that reads all bytes once, pass after pass, while ballast "
                         "leaves 2 GiB of the GPU's memory free. What fits is read at the memory's rate; of 3 GiB, "
                         "each pass evicts pages that the next one needs. On simulated GPUs everything fits",
                  .clock = Clock::host,
                  .parameters = {{"bytes", {}}},
                  .quick = {{"bytes", {}}},
                  .full = {{"bytes", {gib, static_cast<std::int64_t>(most)}}},
                  .needs = {.gpus = 1},
                  .group = {"managed", Group::last},
                  .role = {.question = "How fast is managed memory while little of the GPU's is free"}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Oversubscribed>(); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::oversubscribed
