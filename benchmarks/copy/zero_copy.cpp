// tocuda, Apache-2.0.
// A kernel reads or writes page-locked host memory over the link, or both at once, without a copy engine.
#include "benchmarks/copy/both_ways.hpp"
#include "benchmarks/copy/copy_over_link.hpp"
#include "benchmarks/copy/one_way.hpp"
#include "kernels/two_way_copy.hpp"
#include "measurement/peaks.hpp"

namespace tocuda::benchmarks::zero_copy {
namespace {

HostMemory mapped_memory(std::size_t bytes) { return pinned_memory(bytes, cudaHostAllocMapped); }

constexpr std::int64_t most_blocks = 65536;

class ZeroCopy final : public OneWay {
public:
    ZeroCopy(const std::vector<Parameters>& sets, Direction way) : OneWay(sets, way, mapped_memory) {}

protected:
    void operate(Trial& trial, const Parameters& set) override {
        trial.peak = link_peak();
        trial.peak.counted = Counted::one_way;
        trial.timing = Queued{.operation = copy_over_link(passage, set, static_cast<unsigned>(whole(set, "blocks")))};
    }
};

class BothZeroCopies final : public BothWays {
public:
    explicit BothZeroCopies(const std::vector<Parameters>& sets) : BothWays(sets, mapped_memory) {}

protected:
    void operate(Trial& trial, const Parameters& set) override {
        const TwoCopies copies{.to = {up.device(), as_the_gpu_sees(down.host())},
                               .from = {as_the_gpu_sees(up.host()), down.device()},
                               .bytes = bytes_of(set)};
        trial.timing = Queued{.operation = [copies, blocks = static_cast<unsigned>(whole(set, "blocks"))](
                                               const Stream& queue) { launch_two_copies(queue, copies, blocks); }};
    }
};

Measurable zero_copy(Direction direction) {
    const bool up = direction == Direction::host_to_device;
    return {.benchmark = {.name = name_of(direction, "zero_copy"),
                          .summary = up ? "a kernel reads page-locked memory over the link"
                                        : "a kernel writes page-locked memory over the link",
                          .clock = Clock::device,
                          .parameters = {{"bytes", {mib, 64 * mib, 256 * mib}}, {"blocks", {0}}},
                          .quick = {{"bytes", {64 * mib}}},
                          .full = {{"bytes", all_sizes()}, {"blocks", {0, 16, 64, 256}}},
                          .allowed = {{"blocks", {.most = most_blocks}}},
                          .needs = {.gpus = 1},
                          .cost = {.bytes = handling_of(direction)},
                          .role = {.campaign = "links",
                                   .peers = {up ? "nvbandwidth host_to_device_memcpy_sm"
                                                : "nvbandwidth device_to_host_memcpy_sm"}}},
            .set_up = [=](const std::vector<Parameters>& sets) { return std::make_unique<ZeroCopy>(sets, direction); }};
}

const RegisteredBenchmark to_the_gpu{zero_copy(Direction::host_to_device)};
const RegisteredBenchmark to_the_host{zero_copy(Direction::device_to_host)};

const RegisteredBenchmark both_ways{{
    .benchmark = {.name = "copy/both_ways/zero_copy",
                  .summary = "one kernel reads and writes page-locked memory over the link at once",
                  .how = "one kernel, whose warps copy in turns to the GPU and to the host, until both copies have "
                         "ended; GB/s counts both",
                  .clock = Clock::device,
                  .parameters = {{"bytes", {64 * mib}}, {"blocks", {0}}},
                  .quick = {{"bytes", {}}},
                  .full = {{"bytes", few_sizes()}, {"blocks", {0, 64}}},
                  .allowed = {{"blocks", {.most = most_blocks}}},
                  .needs = {.gpus = 1},
                  .group = {"other ways", Group::other_ways}},
    .set_up = [](const std::vector<Parameters>& sets) { return std::make_unique<BothZeroCopies>(sets); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::zero_copy
