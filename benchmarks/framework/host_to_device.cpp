// tocuda, Apache-2.0.
// LibTorch's copies from the host's memory to the GPU's.
#include "benchmarks/framework/two_ways.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"

namespace tocuda::framework::host_to_device {
namespace {

struct Mechanism {
    std::string name;
    std::string summary;
    Pages pages = Pages::pageable;  // of the source, for both ways
    std::function<at::Tensor(const at::Tensor& source, const at::Tensor& target)> move{};
    Values sizes{};  // default sizes; if empty, measured only on request
    Role role{};
};

class ToTheGpu final : public TwoWays {
public:
    ToTheGpu(const Mechanism& how, const std::vector<Parameters>& sets)
        : TwoWays(times(3, 3), 2), mechanism(how), most(fit.most_bytes(sets)), source(payload_tensor(most, how.pages)),
          held(at::empty({static_cast<std::int64_t>(most)}, at::TensorOptions().dtype(at::kByte).device(at::kCUDA))),
          target(most) {}

protected:
    TimedWay by_libtorch(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto move = [this, from = first(source, bytes), to = first(held, bytes)] {
            auto moved = mechanism.move(from, to);
            until_done();
            return moved;
        };
        return moved_by_libtorch(move, bytes);
    }

    TimedWay by_runtime(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto move = [this, bytes] {
            require("cudaMemcpyAsync", cudaMemcpyAsync(target.get(), source.const_data_ptr(), bytes,
                                                       cudaMemcpyHostToDevice, stream.get()));
            stream.synchronize();
        };
        return moved_by_runtime(move, target, stream, bytes);
    }

private:
    Mechanism mechanism;
    std::size_t most;
    at::Tensor source;
    at::Tensor held;
    DeviceMemory target;
    Stream stream{};
};

Measurable measurable(const Mechanism& mechanism) {
    auto benchmark = described_two_ways(mechanism.name, mechanism.summary, {{"bytes", mechanism.sizes}}, all_sizes());
    benchmark.role = mechanism.role;
    return {.benchmark = std::move(benchmark), .set_up = [mechanism](const std::vector<Parameters>& sets) {
                return std::make_unique<ToTheGpu>(mechanism, sets);
            }};
}

const RegisteredBenchmark to{measurable({.name = "to",
                                         .summary = ".to(cuda) of pageable memory, compared with the runtime's copy",
                                         .move = [](const auto& source, const auto&) { return source.to(at::kCUDA); },
                                         .sizes = {4 * kib, 64 * mib},
                                         .role = {.sheet = {{.order = 420,
                                                             .section = "LibTorch",
                                                             .words = "to(cuda), times the runtime's own time",
                                                             .ratio = true}},
                                                  .characterise = {"bytes=4KiB,256MiB"},
                                                  .headline = headline::libtorch}})};

const RegisteredBenchmark copied{
    measurable({.name = "copy_to_gpu",
                .summary = "copy_ of pageable memory into a tensor on the GPU, compared with the runtime's copy",
                .move = [](const auto& source, const auto& target) { return target.copy_(source); }})};

const RegisteredBenchmark pinned{
    measurable({.name = "pinned_to",
                .summary = ".to(cuda, non_blocking) of pinned memory, compared with the runtime's copy",
                .pages = Pages::pinned,
                .move = [](const auto& source, const auto&) { return source.to(at::kCUDA, at::kByte, true); },
                .role = {.characterise = {"bytes=4KiB,256MiB"}}})};

// The simulated clock does not see LibTorch's own copy on the host.
at::Tensor pinned_copy(const at::Tensor& source) {
    auto copy = source.pin_memory();
    pass_host_seconds(static_cast<double>(source.nbytes()) / simulated_thread_bytes_per_second);
    return copy;
}

const RegisteredBenchmark pinning{measurable(
    {.name = "pin_memory_to",
     .summary = "pin_memory().to(cuda, non_blocking), compared with the runtime's copy of pageable memory",
     .move = [](const auto& source, const auto&) { return pinned_copy(source).to(at::kCUDA, at::kByte, true); }})};

}  // namespace
}  // namespace tocuda::framework::host_to_device
