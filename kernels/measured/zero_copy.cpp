// tocuda, Apache-2.0.
// A kernel reads or writes page-locked host memory over the link, without a copy engine.
#include "kernels/launches.hpp"
#include "measurement/peaks.hpp"
#include "transfers/one_way.hpp"

namespace tocuda::measured::zero_copy {
namespace {

class ZeroCopy final : public OneWay {
public:
    ZeroCopy(const std::vector<Parameters>& sets, Direction way)
        : OneWay(sets, way, [](std::size_t bytes) { return pinned_memory(bytes, cudaHostAllocMapped); }) {
        void* found = nullptr;
        require("cudaHostGetDevicePointer", cudaHostGetDevicePointer(&found, passage.host(), 0));
        seen = static_cast<std::byte*>(found);
    }

    std::string why_skipped(const Parameters& set) const override {
        if (whole(set, "blocks") > most_blocks) return "blocks must be at most " + std::to_string(most_blocks);
        return OneWay::why_skipped(set);
    }

protected:
    void operate(Trial& trial, const Parameters& set) override {
        const bool up = passage.direction == Direction::host_to_device;
        auto* to = up ? passage.device() : seen;
        const auto* from = up ? seen : passage.device();
        trial.peak = link_peak();
        trial.peak.counted = Counted::one_way;
        trial.queue = [=, bytes = bytes_of(set),
                       blocks = static_cast<unsigned>(whole(set, "blocks"))](const Stream& queue) {
            if (blocks == 0) launch_unrolled_copy(queue, to, from, bytes, {.in_flight = 8});
            else launch_persistent_copy(queue, to, from, bytes, {}, {.multiprocessors = blocks, .blocks_each = 1});
        };
    }

private:
    static constexpr std::int64_t most_blocks = 65536;
    std::byte* seen = nullptr;
};

Measurable zero_copy(Direction direction) {
    const bool up = direction == Direction::host_to_device;
    return {.benchmark = {.name = name_of(direction, "zero_copy"),
                          .summary = up ? "a kernel reads page-locked memory over the link"
                                        : "a kernel writes page-locked memory over the link",
                          .clock = Clock::device,
                          .parameters = {{"bytes", {mib, 64 * mib, gib}}, {"blocks", {0}}},
                          .quick = {{"bytes", {64 * mib}}},
                          .full = {{"bytes", all_sizes()}, {"blocks", {0, 16, 64, 256}}},
                          .needs = {.gpus = 1}},
            .set_up = [=](const std::vector<Parameters>& sets) { return std::make_unique<ZeroCopy>(sets, direction); }};
}

const RegisteredBenchmark to_the_gpu{zero_copy(Direction::host_to_device)};
const RegisteredBenchmark to_the_host{zero_copy(Direction::device_to_host)};

}  // namespace
}  // namespace tocuda::measured::zero_copy
