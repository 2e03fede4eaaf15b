// tocuda, Apache-2.0.
// Moves the parameters of a model, which are many small tensors with one copy each, against the same bytes in one flat
// buffer.
#include "benchmarks/framework/two_ways.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/parameter.hpp"

namespace tocuda::framework::parameters {
namespace {

constexpr std::size_t pieces = 256;  // about as many as a transformer of twenty layers has

class Parts final : public TwoWays {
public:
    explicit Parts(const std::vector<Parameters>& sets)
        : TwoWays(times(3, 2), 2), most(fit.most_bytes(sets)), source(payload_tensor(most)), target(most) {}

protected:
    TimedWay by_libtorch(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto parts = tensors(bytes, pieces_of(set));
        const auto move = [parts] {
            std::vector<at::Tensor> moved;
            moved.reserve(parts.size());
            for (const auto& part : parts) moved.push_back(part.to(at::kCUDA));
            until_done();
            return moved;
        };
        return {.call = [move] { move(); },
                .compared = "every byte, brought back by LibTorch",
                .differs = [move, bytes] { return unlike_payload(at::cat(back(move())), bytes); }};
    }

    TimedWay by_runtime(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto move = [this, parts = tensors(bytes, pieces_of(set))] {
            std::size_t place = 0;
            for (const auto& part : parts) {
                require("cudaMemcpyAsync", cudaMemcpyAsync(target.get() + place, part.const_data_ptr(), part.nbytes(),
                                                           cudaMemcpyHostToDevice, stream.get()));
                place += part.nbytes();
            }
            stream.synchronize();
        };
        return moved_by_runtime(move, target, stream, bytes);
    }

private:
    static std::size_t pieces_of(const Parameters& set) { return text(set, "buffer") == "flat" ? 1 : pieces; }

    // Each in separate memory, like a model's parameters.
    std::vector<at::Tensor> tensors(std::size_t bytes, std::size_t count) const {
        std::vector<at::Tensor> parts;
        for (const auto& part : first(source, bytes).tensor_split(static_cast<std::int64_t>(count)))
            if (part.numel() > 0) parts.push_back(part.clone());
        return parts;
    }

    static std::vector<at::Tensor> back(const std::vector<at::Tensor>& moved) {
        std::vector<at::Tensor> here;
        for (const auto& part : moved) here.push_back(part.cpu());
        return here;
    }

    std::size_t most;
    at::Tensor source;
    DeviceMemory target;
    Stream stream{};
};

const RegisteredBenchmark module_to{
    {.benchmark = described_two_ways(
         "module_to", "copy 256 small tensors to the GPU one by one, compared with as many bytes in one flat buffer",
         {{"bytes", {}}, {"buffer", {"parameters", "flat"}}}, few_sizes()),
     .set_up = [](const std::vector<Parameters>& sets) { return std::make_unique<Parts>(sets); }}};

}  // namespace
}  // namespace tocuda::framework::parameters
