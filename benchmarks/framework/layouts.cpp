// tocuda, Apache-2.0.
// Strided sources: the work of .to(cuda) before anything can be copied, against the runtime's copy of as many
// contiguous bytes.
#include <cmath>

#include "benchmarks/framework/two_ways.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/parameter.hpp"

namespace tocuda::framework::layouts {
namespace {

// The tensor has as many whole floats as fit into the bytes. A sliced one takes every second float of twice the memory.
at::Tensor laid_out(const at::Tensor& memory, const std::string& layout, std::size_t bytes) {
    const auto floats = static_cast<std::int64_t>(bytes / sizeof(float));
    const auto numbers = memory.view(at::kFloat);
    if (layout == "sliced") return numbers.narrow(0, 0, 2 * floats).view({floats, 2}).select(1, 0);
    const auto columns = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::sqrt(static_cast<double>(floats))));
    auto rows = columns;
    while (floats % rows != 0) --rows;
    return numbers.narrow(0, 0, floats).view({rows, floats / rows}).t();
}

class Strided final : public TwoWays {
public:
    explicit Strided(const std::vector<Parameters>& sets)
        : TwoWays(times(5, 2), 2), most(fit.most_bytes(sets)), memory(payload_tensor(2 * most)), target(most) {}

protected:
    TimedWay by_libtorch(const Parameters& set) override {
        const auto source = laid_out(memory, text(set, "layout"), bytes_of(set));
        const auto move = [source] {
            auto moved = source.to(at::kCUDA);
            until_done();
            return moved;
        };
        return {.call = [move] { move(); },
                .compared = "every element, brought back by LibTorch",
                .differs =
                    [move, source] {
                        // Compared as integers, because the payload contains NaNs.
                        const auto found = move().cpu().view(at::kInt);
                        return at::equal(found, source.view(at::kInt)) ? "" : "an element differs";
                    }};
    }

    TimedWay by_runtime(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto move = [this, bytes] {
            require("cudaMemcpyAsync", cudaMemcpyAsync(target.get(), memory.const_data_ptr(), bytes,
                                                       cudaMemcpyHostToDevice, stream.get()));
            stream.synchronize();
        };
        return moved_by_runtime(move, target, stream, bytes);
    }

private:
    std::size_t most;
    at::Tensor memory;
    DeviceMemory target;
    Stream stream{};
};

Measurable strided() {
    auto benchmark = described_two_ways(
        "strided_to", ".to(cuda) of a strided tensor, compared with the runtime's copy of as many contiguous bytes",
        {{"bytes", {}}, {"layout", {"transposed", "sliced"}}}, few_sizes());
    benchmark.allowed["bytes"] = {.least = sizeof(float), .multiple_of = sizeof(float)};
    return {.benchmark = std::move(benchmark),
            .set_up = [](const std::vector<Parameters>& sets) { return std::make_unique<Strided>(sets); }};
}

const RegisteredBenchmark registered{strided()};

}  // namespace
}  // namespace tocuda::framework::layouts
