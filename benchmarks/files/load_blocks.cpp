// tocuda, Apache-2.0.
// Loads blocks of a file to the GPU, in random order or one after the other: threads read them into page-locked buffers
// while the copy engine empties others.
#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/copy/staged_copier.hpp"
#include "benchmarks/files/block_order.hpp"
#include "measurement/check.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/payload.hpp"
#include "measurement/payload_file.hpp"
#include "measurement/peaks.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::load_blocks {
namespace {

class LoadBlocks final : public Bench {
public:
    explicit LoadBlocks(const std::vector<Parameters>& sets) : most(fit_of(sets)), target(most) {}

    std::string why_skipped(const Parameters& set) const override {
        const auto bytes = bytes_of(set);
        if (auto why = why_no_blocks(set); !why.empty()) return why;
        const bool cold = text(set, "cache") == "cold";
        if (text(set, "by") == "direct" && !cold) return "reads past the page cache are measured with cache=cold";
        if (cold)
            if (auto why = why_never_cold(folder_of_files()); !why.empty()) return why;
        if (auto why = room.why_too_small(times_as_large * bytes); !why.empty()) return why;
        if (auto why = fit.why_not_simulated(bytes); !why.empty()) return why;
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        if (!file) file = std::make_unique<PayloadFile>(folder_of_files(), times_as_large * most, place);
        if (text(set, "by") == "direct") static_cast<void>(DirectFile(*file));
        auto peak = link_peak();
        peak.counted = Counted::one_way;
        Trial trial{.bytes_one_way = static_cast<std::int64_t>(bytes),
                    .bytes_touched = 2 * static_cast<std::int64_t>(bytes),
                    .peak = peak,
                    .compared = Guarded::compared() + "; what was cached before, and read from disks meanwhile"};
        trial.timing = SelfTimed{.seconds = [this, set] { return seconds_of(set, order_for(set)); }};
        trial.differs = [this, set] { return what_differs(set); };
        if (text(set, "cache") == "warm" && !bytes_read_from_disks()) trial.flags.emplace_back(not_shown_to_be_warm);
        if (const auto flag = virtual_disk_flag(folder_of_files()); text(set, "cache") == "cold" && !flag.empty())
            trial.flags.push_back(flag);
        if (gpus_are_simulated()) trial.flags.emplace_back("the host's part takes the time that it really takes");
        return trial;
    }

private:
    std::size_t fit_of(const std::vector<Parameters>& sets) const {
        return largest_that_fits(sets, [this](const Parameters& set) { return why_skipped(set).empty(); });
    }

    BlockOrder order_for(const Parameters& set) { return new_order(set, times_as_large * most, generator); }

    double seconds_of(const Parameters& set, const BlockOrder& order) {
        const auto bytes = bytes_of(set);
        const auto block = block_of(set);
        const bool cold = text(set, "cache") == "cold";
        const auto all = times_as_large * most;
        if (cold) file->drop();
        else if (file->cached_bytes(all) < all) file->load(all);
        const auto cached = file->cached_bytes(all);
        auto shape = chosen_shape(Direction::host_to_device, set);
        shape.chunk_bytes = most_chunk;
        const auto ring = rings.of(shape);
        const auto direct = text(set, "by") == "direct" ? std::make_unique<DirectFile>(*file) : nullptr;
        const int descriptor = direct ? direct->descriptor() : file->descriptor();
        file->read_ahead(text(set, "order") == "sequential");
        const auto* const start = target.at();  // nothing is there: the ring only counts in addresses
        const auto before = bytes_read_from_disks();
        const auto began = host_seconds();
        ring->send(
            target.at(), {start, bytes},
            [&](std::byte* to, const std::byte* from, std::size_t part) {
                const auto from_block = order[static_cast<std::size_t>(from - start) / block];
                in_real_time([&] { PayloadFile::read_from(descriptor, to, from_block * block, part); });
            },
            block);
        const auto seconds = host_seconds() - began;
        const auto read = bytes_read_since(before);
        if (const auto why = cold ? why_not_cold(bytes, cached, read) : why_not_warm(bytes, read); !why.empty())
            throw std::runtime_error(why);
        return seconds;
    }

    // On the host, because each block of the target is another part of the payload.
    std::string what_differs(const Parameters& set) {
        const auto order = order_for(set);
        const auto block = block_of(set);
        std::vector<std::byte> all(Guarded::allocated(bytes_of(set)), Guarded::guard);
        auto* const there = target.at() - Guarded::guard_bytes;
        upload(there, all, stream);
        seconds_of(set, order);
        download(all, there, stream);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto at = Guarded::guard_bytes + i * block;
            if (const auto unlike = first_unlike_payload(std::span(all).subspan(at, block), place + order[i] * block))
                return "byte " + std::to_string(i * block + *unlike) + " of " + std::to_string(bytes_of(set)) +
                       " differs from the reference";
        }
        const auto is_guard = [](std::byte each) { return each == Guarded::guard; };
        const std::span whole(all);
        return std::ranges::all_of(whole.first(Guarded::guard_bytes), is_guard) &&
                       std::ranges::all_of(whole.last(Guarded::guard_bytes), is_guard)
                   ? ""
                   : "bytes around the target were written";
    }

    const Fit fit{[](const Parameters& set) -> Room {
        return {.host_bytes = bytes_of(set), .device_bytes = Guarded::allocated(bytes_of(set))};
    }};
    const FolderRoom room{folder_of_files()};
    const std::size_t most;
    // Another one in each process, so that no earlier one's bytes are taken for those of this file.
    const std::size_t place = std::size_t{std::random_device{}()} * sizeof(std::uint64_t);
    std::mt19937_64 generator{std::random_device{}()};
    Guarded target;
    Stream stream{};
    std::unique_ptr<PayloadFile> file{};
    OneCopier rings{};
};

const RegisteredBenchmark registered{{
    .benchmark =
        {.name = "load/blocks",
         .summary = "load blocks of a file to the GPU, in random order or one after the other, with the page "
                    "cache warm or cold",
         .how = "the host's clock, from the first read until every byte is on the GPU. `threads` threads read "
                "a block at a time into page-locked buffers, which the copy engine empties in pieces of 4 MiB. "
                "The file is four times as large as `bytes`, and no block of it is read twice: in random order "
                "other ones each time, without reading ahead (POSIX_FADV_RANDOM); one after the other the last "
                "quarter. by=direct: past the page cache (O_DIRECT). What counts as cold or warm is as for "
                "load/file. Reads a second: GB/s divided by the block",
         .clock = Clock::host,
         .parameters = {{"block", {4 * kib, 64 * kib, mib}},
                        {"by", {"read", "direct"}},
                        {"bytes", {16 * mib}},
                        {"cache", {}},
                        {"order", {"sequential", "random"}},
                        {"threads", {1, 32}}},
         .full = {{"cache", {"warm", "cold"}}, {"threads", {1, 8, 32}}},
         .allowed = {{"block", {.only = powers_of_two(DirectFile::block, most_chunk)}},
                     {"bytes",
                      {.least = DirectFile::block, .most = std::int64_t{1} << 50, .multiple_of = DirectFile::block}},
                     {"threads", {.least = 1, .most = 256}}},
         .needs = {.gpus = 1},
         .cost = {.bytes = Handling::in_file},
         .role = {.pictures = {"files-by-block"}}},
    .set_up = [](const std::vector<Parameters>& sets) { return std::make_unique<LoadBlocks>(sets); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::load_blocks
