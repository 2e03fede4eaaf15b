// tocuda, Apache-2.0.
// Loads a file that the page cache holds: LibTorch maps it into a tensor and moves that, the runtime copies a mapping.
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>

#include "benchmarks/framework/two_ways.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/parameter.hpp"
#include "measurement/payload_file.hpp"

namespace tocuda::framework::load {
namespace {

class Load final : public TwoWays {
public:
    explicit Load(const std::vector<Parameters>& sets)
        : TwoWays(times(1, 2), 2),
          most(largest_that_fits(sets, [this](const Parameters& set) { return why_skipped(set).empty(); })),
          target(most) {}

    std::string why_skipped(const Parameters& set) const override {
        if (bytes_of(set) == 0) return "a file of at least one byte is needed";
        auto why = room.why_too_small(bytes_of(set));
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
        return while_warm(moved_by_libtorch(move, bytes), bytes);
    }

    TimedWay by_runtime(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto move = [this, &of = cached(bytes), bytes] {
            const MappedFile mapped(of, bytes);
            require("cudaMemcpyAsync",
                    cudaMemcpyAsync(target.get(), mapped.get(), bytes, cudaMemcpyHostToDevice, stream.get()));
            stream.synchronize();
        };
        return while_warm(moved_by_runtime(move, target, stream, bytes), bytes);
    }

private:
    // What a move reads from disks is looked at before the next one, so that looking is not timed.
    static TimedWay while_warm(TimedWay way, std::size_t bytes) {
        const auto before = std::make_shared<std::optional<std::uint64_t>>();
        way.prepare = [before, bytes] {
            if (const auto why = why_not_warm(bytes, bytes_read_since(*before)); !why.empty())
                throw std::runtime_error(why);
            *before = bytes_read_from_disks();
        };
        way.differs = [before, look = way.prepare, differs = std::move(way.differs)] {
            look();
            auto why = differs();
            before->reset();  // the check may read what it needs
            return why;
        };
        if (!bytes_read_from_disks()) way.flags.emplace_back(not_shown_to_be_warm);
        return way;
    }

    const PayloadFile& cached(std::size_t bytes) {
        if (!file) file = std::make_unique<PayloadFile>(folder_of_files(), most, 0);
        file->load(bytes);
        return *file;
    }

    const FolderRoom room{folder_of_files()};
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
