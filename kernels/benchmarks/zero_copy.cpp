// tocuda, Apache-2.0.
// A kernel reads or writes page-locked host memory over the link, without a copy engine.
#include "kernels/kernel.hpp"
#include "measurement/peaks.hpp"
#include "runtime_calls/one_way.hpp"

namespace tocuda::kernels::zero_copy {
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
        const Arrays arrays = up ? Arrays{passage.device(), seen} : Arrays{seen, passage.device()};
        trial.peak = link_peak();
        trial.peak.counted = Counted::one_way;
        trial.queue = [=, copy = copy_by(set)](const Stream& queue) { copy(queue, arrays); };
    }

private:
    // With `blocks` the persistent copy, as on a GPU that runs so many blocks at once.
    static Operation copy_by(const Parameters& set) {
        const auto blocks = static_cast<unsigned>(whole(set, "blocks"));
        const auto& bytes = set.at("bytes");
        if (blocks == 0)
            return kernel_named("copy/device_to_device/unrolled")
                .operation({{{"bytes", bytes}, {"in_flight", 8}, {"threads", 256}, {"hint", "plain"}}, {}});
        return kernel_named("copy/device_to_device/persistent")
            .operation({{{"bytes", bytes}, {"blocks_each", 1}, {"hint", "plain"}, {"order", "interleaved"}},
                        {.multiprocessors = blocks}});
    }

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
}  // namespace tocuda::kernels::zero_copy
