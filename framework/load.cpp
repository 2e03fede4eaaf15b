// tocuda, Apache-2.0.
// Loads a file that the page cache holds: LibTorch maps it into a tensor and moves that, the runtime copies a mapping.
#include <memory>

#include "framework/two_ways.hpp"
#include "measurement/device_memory.hpp"
#include "measurement/parameter.hpp"
#include "measurement/payload_file.hpp"

namespace tocuda::framework::load {
namespace {

class Load final : public TwoWays {
public:
    explicit Load(const std::vector<Parameters>& sets)
        : TwoWays(times(1, 2), 2), most(fit.most_bytes(sets)), target(most) {}

    std::string why_skipped(const Parameters& set) const override {
        if (bytes_of(set) == 0) return "a file of at least one byte is needed";
        auto why = why_no_room_for_file(folder_of_files(), bytes_of(set));
        return why.empty() ? TwoWays::why_skipped(set) : why;
    }

protected:
    TimedWay by_libtorch(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto move = [path = cached(bytes).path(), bytes] {
            constexpr bool shared = false;
            auto moved = at::from_file(path, shared, static_cast<std::int64_t>(bytes), at::kByte).to(at::kCUDA);
            until_done();
            return moved;
        };
        return moved_by_libtorch(move, bytes);
    }

    TimedWay by_runtime(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto move = [this, &of = cached(bytes), bytes] {
            const MappedFile mapped(of, bytes);
            require("cudaMemcpyAsync",
                    cudaMemcpyAsync(target.get(), mapped.get(), bytes, cudaMemcpyHostToDevice, stream.get()));
            stream.synchronize();
        };
        return moved_by_runtime(move, target, stream, bytes);
    }

private:
    const PayloadFile& cached(std::size_t bytes) {
        if (!file) file = std::make_unique<PayloadFile>(folder_of_files(), most, 0);
        file->load(bytes);
        return *file;
    }

    std::size_t most;
    std::unique_ptr<PayloadFile> file{};
    DeviceMemory target;
    Stream stream{};
};

const RegisteredBenchmark registered{
    {.benchmark = described_two_ways("load",
                                     "a cached file mapped by LibTorch (from_file) and moved with .to(cuda), compared "
                                     "with the runtime's copy of a mapping",
                                     {{"bytes", {}}}, {mib, 256 * mib, 2 * gib}),
     .set_up = [](const std::vector<Parameters>& sets) { return std::make_unique<Load>(sets); }}};

}  // namespace
}  // namespace tocuda::framework::load
