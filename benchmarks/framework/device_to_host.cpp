// tocuda, Apache-2.0.
// LibTorch's copies from the GPU's memory to the host's. For large tensors, .cpu() returns newly mapped pages, so the
// runtime's copy next to it also writes to new pages.
#include <cstdlib>
#include <memory>

#include "benchmarks/framework/two_ways.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/parameter.hpp"

namespace tocuda::framework::device_to_host {
namespace {

enum class Into { new_memory, old_memory };

struct FreeHost {
    void operator()(std::byte* memory) const { std::free(memory); }
};
using NewMemory = std::unique_ptr<std::byte, FreeHost>;

// The same call that LibTorch makes.
NewMemory new_memory(std::size_t bytes) {
    void* fresh = nullptr;
    if (::posix_memalign(&fresh, 64, bytes) != 0) throw std::bad_alloc();
    return NewMemory(static_cast<std::byte*>(fresh));
}

class ToTheHost final : public TwoWays {
public:
    ToTheHost(Into where, const std::vector<Parameters>& sets)
        : TwoWays(times(3, 1), 2), into(where), most(fit.most_bytes(sets)), source(payload_tensor(most).to(at::kCUDA)),
          held(at::zeros({static_cast<std::int64_t>(most)}, at::TensorOptions().dtype(at::kByte))) {}

protected:
    TimedWay by_libtorch(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto move = [this, from = first(source, bytes), to = first(held, bytes)] {
            return into == Into::new_memory ? from.cpu() : to.copy_(from);
        };
        return {.call = [move] { move(); },
                .compared = "every byte",
                .differs =
                    [this, move, bytes] {
                        held.zero_();
                        return unlike_payload(move(), bytes);
                    }};
    }

    TimedWay by_runtime(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto move = [this, bytes] {
            auto fresh = into == Into::new_memory ? new_memory(bytes) : NewMemory();
            auto* target = fresh ? fresh.get() : static_cast<std::byte*>(held.mutable_data_ptr());
            require("cudaMemcpyAsync",
                    cudaMemcpyAsync(target, source.const_data_ptr(), bytes, cudaMemcpyDeviceToHost, stream.get()));
            stream.synchronize();
            return fresh;
        };
        return {.call = [move] { move(); },
                .compared = "every byte",
                .differs =
                    [this, move, bytes] {
                        held.zero_();
                        const auto fresh = move();
                        return unlike_payload(
                            fresh ? fresh.get() : static_cast<const std::byte*>(held.const_data_ptr()), bytes);
                    }};
    }

private:
    Into into;
    std::size_t most;
    at::Tensor source;
    at::Tensor held;
    Stream stream{};
};

Measurable measurable(Into into, const std::string& name, const std::string& summary, const Values& sizes) {
    return {.benchmark = described_two_ways(name, summary, {{"bytes", sizes}}, all_sizes()),
            .set_up = [into](const std::vector<Parameters>& sets) { return std::make_unique<ToTheHost>(into, sets); }};
}

const RegisteredBenchmark cpu{measurable(
    Into::new_memory, "cpu", ".cpu(), compared with the runtime's copy into new memory", {4 * kib, 64 * mib})};
const RegisteredBenchmark copied{
    measurable(Into::old_memory, "copy_to_host",
               "copy_ into a tensor on the CPU, compared with the runtime's copy into the same tensor", {})};

}  // namespace
}  // namespace tocuda::framework::device_to_host
