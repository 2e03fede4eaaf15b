// tocuda, Apache-2.0.
// Creates a tensor on the GPU, so that nothing crosses the link, against a fill of as many bytes by the runtime.
#include "benchmarks/framework/two_ways.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/parameter.hpp"

namespace tocuda::framework::factory {
namespace {

constexpr int filling = 0x5A;

class Factory final : public TwoWays {
public:
    explicit Factory(const std::vector<Parameters>& sets) : TwoWays(times(1, 2), 1), target(fit.most_bytes(sets)) {}

protected:
    TimedWay by_libtorch(const Parameters& set) override {
        const auto make = [bytes = static_cast<std::int64_t>(bytes_of(set))] {
            auto made = at::full({bytes}, filling, at::TensorOptions().dtype(at::kByte).device(at::kCUDA));
            until_done();
            return made;
        };
        return {.call = [make] { make(); },
                .compared = "every byte; on a simulated GPU, where LibTorch's kernels do not run, only the size",
                .differs = [make, bytes = bytes_of(set)]() -> std::string {
                    const auto made = make();
                    if (made.nbytes() != bytes) return "it has " + std::to_string(made.nbytes()) + " bytes";
                    return !gpu_computes() || at::equal(made.cpu(), at::full_like(made.cpu(), filling))
                               ? ""
                               : "a byte differs";
                }};
    }

    TimedWay by_runtime(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto fill = [this, bytes] {
            require("cudaMemsetAsync", cudaMemsetAsync(target.get(), filling, bytes, stream.get()));
            stream.synchronize();
        };
        return {.call = fill, .compared = "every byte", .differs = [this, fill, bytes] {
                    fill();
                    std::vector<std::byte> found(bytes);
                    download(found, target.get(), stream);
                    return found == std::vector<std::byte>(bytes, std::byte{filling}) ? "" : "a byte differs";
                }};
    }

    Peak peak() const override { return {}; }  // small tensors stay in the cache, and a fill is not a transfer

private:
    DeviceMemory target;
    Stream stream{};
};

const RegisteredBenchmark full{
    {.benchmark =
         described_two_ways("full", "full(..., device=cuda), compared with the runtime's fill of as many bytes",
                            {{"bytes", {}}}, few_sizes()),
     .set_up = [](const std::vector<Parameters>& sets) { return std::make_unique<Factory>(sets); }}};

}  // namespace
}  // namespace tocuda::framework::factory
