// tocuda, Apache-2.0.
// Saves the GPU's memory to blocks of a file that exists, in random order or one after the other: threads write them
// from page-locked buffers while the copy engine fills others.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/copy/staged_copier.hpp"
#include "benchmarks/files/block_order.hpp"
#include "measurement/check.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/payload.hpp"
#include "measurement/payload_file.hpp"
#include "measurement/peaks.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::save_blocks {
namespace {

class SaveBlocks final : public Bench {
public:
    explicit SaveBlocks(const std::vector<Parameters>& sets)
        : most(largest_that_fits(sets, [this](const Parameters& set) { return why_skipped(set).empty(); })),
          source(std::max<std::size_t>(1, most)) {}

    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_no_blocks(set); !why.empty()) return why;
        if (auto why = why_never_cold(folder_of_files()); !why.empty()) return why;
        if (auto why = room.why_too_small(times_as_large * bytes_of(set)); !why.empty()) return why;
        if (auto why = fit.why_not_simulated(bytes_of(set)); !why.empty()) return why;
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = static_cast<std::int64_t>(bytes_of(set));
        if (!file) file = std::make_unique<PayloadFile>(folder_of_files(), file_bytes(), new_place());
        if (text(set, "by") == "direct") static_cast<void>(DirectFile(*file, DirectFile::Way::write));
        auto peak = link_peak();
        peak.counted = Counted::one_way;
        Trial trial{.bytes_one_way = bytes,
                    .bytes_touched = 2 * bytes,
                    .peak = peak,
                    .compared =
                        "every byte of the file, also of blocks that were not written; synced ones are read "
                        "from the disk"};
        trial.timing =
            SelfTimed{.seconds = [this, set] { return seconds_of(set, new_order(set, file_bytes(), generator)); }};
        trial.differs = [this, set] { return what_differs(set); };
        if (gpus_are_simulated()) trial.flags.emplace_back("the host's part takes the time that it really takes");
        return trial;
    }

private:
    static std::size_t new_place() { return std::size_t{std::random_device{}()} * sizeof(std::uint64_t); }
    static bool synced(const Parameters& set) { return text(set, "until") == "synced"; }
    std::size_t file_bytes() const { return times_as_large * most; }

    // What an earlier operation left to be written would count as well.
    double seconds_of(const Parameters& set, const BlockOrder& order) {
        file->sync();
        file->drop();
        const auto block = block_of(set);
        auto shape = chosen_shape(Direction::device_to_host, set);
        shape.chunk_bytes = most_chunk;
        const auto ring = rings.of(shape);
        const auto direct =
            text(set, "by") == "direct" ? std::make_unique<DirectFile>(*file, DirectFile::Way::write) : nullptr;
        const int descriptor = direct ? direct->descriptor() : file->descriptor();
        auto* const start = source.get();  // nothing is written there: the ring only counts in addresses
        const auto began = host_seconds();
        ring->fetch(
            {start, bytes_of(set)}, start,
            [&](const std::byte* to, const std::byte* from, std::size_t part) {
                const auto to_block = order[static_cast<std::size_t>(to - start) / block];
                in_real_time([&] { PayloadFile::write_to(descriptor, from, to_block * block, part); });
            },
            block);
        if (synced(set)) in_real_time([&] { file->sync(); });
        return host_seconds() - began;
    }

    // Calls it with each block's number and bytes, until it returns what is wrong.
    std::string each_block(const Parameters& set,
                           const std::function<std::string(std::size_t, std::span<const std::byte>)>& look) const {
        std::vector<std::byte> held(block_of(set));
        std::string wrong;
        for (std::size_t block = 0; block < file_bytes() / held.size() && wrong.empty(); ++block) {
            file->read(held.data(), block * held.size(), held.size());
            wrong = look(block, held);
        }
        return wrong;
    }

    // Other bytes each time, so that none are taken for those of an earlier operation. What is not on the disk cannot
    // be dropped from the page cache, so that a synced file is found out.
    std::string what_differs(const Parameters& set) {
        const auto order = new_order(set, file_bytes(), generator);
        const auto place = new_place();
        write_payload(stream, {source.get(), bytes_of(set)}, place);
        stream.synchronize();
        std::vector<std::size_t> before, written(file_bytes() / block_of(set), order.size());
        for (std::size_t i = 0; i < order.size(); ++i) written[order[i]] = i;
        each_block(set, [&](std::size_t, auto held) { return before.push_back(hash_of(held)), std::string(); });
        seconds_of(set, order);
        if (file->size() != file_bytes()) return "the file has another size than before";
        if (synced(set)) {
            file->drop();
            if (const auto cached = file->cached_bytes(file_bytes()); cached > bytes_of(set) / 100)
                return std::to_string(cached) + " bytes stayed in the page cache, so the disk may not have them";
        }
        return each_block(set, [&](std::size_t block, auto held) -> std::string {
            const auto number = "block " + std::to_string(block) + " of the file ";
            if (written[block] == order.size()) return hash_of(held) == before[block] ? "" : number + "was changed";
            const auto unlike = first_unlike_payload(held, place + written[block] * held.size());
            return unlike ? number + "differs from the reference at its byte " + std::to_string(*unlike) : "";
        });
    }
    static std::size_t hash_of(std::span<const std::byte> bytes) {
        return std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }

    const Fit fit{[](const Parameters& set) -> Room { return {.host_bytes = 0, .device_bytes = bytes_of(set)}; }};
    const FolderRoom room{folder_of_files()};
    const std::size_t most;
    std::mt19937_64 generator{std::random_device{}()};
    DeviceMemory source;
    Stream stream{};
    std::unique_ptr<PayloadFile> file{};
    OneCopier rings{};
};

const RegisteredBenchmark registered{{
    .benchmark =
        {.name = "save/blocks",
         .summary = "save the GPU's memory to blocks of a file, in random order or one after the other, with or "
                    "without fsync",
         .how = "the host's clock, from the first copy until the last write has returned (until=written) or fsync has "
                "(until=synced). The copy engine fills page-locked buffers in pieces of 4 MiB, from which `threads` "
                "threads write a block at a time. The file is there before, on the disk and not in the page cache, and "
                "four times as large as `bytes`; no block of it is written twice: in random order other ones each "
                "time, one after the other the last quarter. by=direct: past the page cache (O_DIRECT). Writes a "
                "second: GB/s divided by the block",
         .clock = Clock::host,
         .parameters = {{"block", {4 * kib, 64 * kib, mib}},
                        {"by", {"write", "direct"}},
                        {"bytes", {16 * mib}},
                        {"order", {"sequential", "random"}},
                        {"threads", {1, 32}},
                        {"until", {}}},
         .full = {{"threads", {1, 8, 32}}, {"until", {"written", "synced"}}},
         .allowed = {{"block", {.only = powers_of_two(DirectFile::block, most_chunk)}},
                     {"bytes",
                      {.least = DirectFile::block, .most = std::int64_t{1} << 50, .multiple_of = DirectFile::block}},
                     {"threads", {.least = 1, .most = 256}}},
         .needs = {.gpus = 1},
         .cost = {.bytes = Handling::in_file}},
    .set_up = [](const std::vector<Parameters>& sets) { return std::make_unique<SaveBlocks>(sets); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::save_blocks
