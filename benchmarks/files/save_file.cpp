// tocuda, Apache-2.0.
// Saves the GPU's memory to a new file, as a program saves a checkpoint.
#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/copy/passage.hpp"
#include "benchmarks/copy/staged_copier.hpp"
#include "measurement/check.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/gpu/host_memory.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/payload.hpp"
#include "measurement/payload_file.hpp"
#include "measurement/peaks.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::save_file {
namespace {

class SaveFile final : public Bench {
public:
    explicit SaveFile(const std::vector<Parameters>& sets)
        : most(largest_that_fits(sets, [this](const Parameters& set) { return why_skipped(set).empty(); })),
          source(std::max<std::size_t>(1, most)) {
        write_payload(stream, {source.get(), most}, place);
        stream.synchronize();
    }

    std::string why_skipped(const Parameters& set) const override {
        const auto bytes = bytes_of(set);
        if (text(set, "by") == "write" && whole(set, "threads") != 1)
            return "only a ring is emptied by several threads";
        if (auto why = why_never_cold(folder_of_files()); !why.empty()) return why;
        if (auto why = room.why_too_small(bytes); !why.empty()) return why;
        if (auto why = fit.why_not_simulated(bytes); !why.empty()) return why;
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        if (text(set, "by") == "direct_ring")
            static_cast<void>(DirectFile(PayloadFile(folder_of_files()), DirectFile::Way::write));
        auto peak = link_peak();
        peak.counted = Counted::one_way;
        Trial trial{.bytes_one_way = static_cast<std::int64_t>(bytes),
                    .bytes_touched = 2 * static_cast<std::int64_t>(bytes),
                    .peak = peak,
                    .compared = "every byte and the length of the file; a synced one is read from the disk"};
        trial.timing = SelfTimed{.seconds = [this, set] { return save(set, PayloadFile(folder_of_files())); }};
        trial.differs = [this, set] { return what_differs(set); };
        if (gpus_are_simulated()) trial.flags.emplace_back("the host's part takes the time that it really takes");
        return trial;
    }

private:
    static bool synced(const Parameters& set) { return text(set, "until") == "synced"; }

    double save(const Parameters& set, const PayloadFile& file) {
        const auto bytes = bytes_of(set);
        const auto write = writing(set, file);
        const auto began = host_seconds();
        write(bytes);
        if (synced(set)) in_real_time([&] { file.sync(); });
        return host_seconds() - began;
    }

    std::function<void(std::size_t bytes)> writing(const Parameters& set, const PayloadFile& file) {
        const auto& by = text(set, "by");
        if (by == "write") {
            if (!pages) {
                pages.emplace(pageable_memory(most));
                std::fill_n(pages->get(), most, std::byte{0});  // touches them
            }
            return [this, &file](std::size_t bytes) {
                copy_async(pages->get(), source.get(), bytes, Direction::device_to_host, stream);
                stream.synchronize();
                in_real_time([&] { PayloadFile::write_to(file.descriptor(), pages->get(), 0, bytes); });
            };
        }
        const auto ring = rings.of(chosen_shape(Direction::device_to_host, set));
        const auto direct = by == "direct_ring" ? std::make_shared<DirectFile>(file, DirectFile::Way::write) : nullptr;
        return [this, ring, direct, descriptor = direct ? direct->descriptor() : file.descriptor()](std::size_t bytes) {
            auto* const start = source.get();  // nothing is written there: the ring only counts in addresses
            ring->fetch({start, bytes}, start, [&](const std::byte* to, const std::byte* from, std::size_t part) {
                in_real_time(
                    [&] { PayloadFile::write_to(descriptor, from, static_cast<std::size_t>(to - start), part); });
            });
        };
    }

    // What is not on the disk cannot be dropped from the page cache, so that a synced file is found out.
    std::string what_differs(const Parameters& set) {
        const auto bytes = bytes_of(set);
        const PayloadFile file(folder_of_files());
        save(set, file);
        if (file.size() != bytes)
            return "the file has " + std::to_string(file.size()) + " bytes instead of " + std::to_string(bytes);
        if (synced(set)) {
            file.drop();
            if (const auto cached = file.cached_bytes(bytes); cached > bytes / 100)
                return std::to_string(cached) + " of " + std::to_string(bytes) +
                       " bytes stayed in the page cache, so the disk may not have them";
        }
        std::vector<std::byte> part(std::min<std::size_t>(bytes, 8 * mib));
        for (std::size_t at = 0; at < bytes; at += part.size()) {
            const auto now = std::span(part).first(std::min(part.size(), bytes - at));
            file.read(now.data(), at, now.size());
            if (const auto unlike = first_unlike_payload(now, place + at))
                return "byte " + std::to_string(at + *unlike) + " of " + std::to_string(bytes) +
                       " differs from the reference";
        }
        return "";
    }

    const Fit fit{[](const Parameters& set) -> Room {
        return {.host_bytes = text(set, "by") == "write" ? bytes_of(set) : 0, .device_bytes = bytes_of(set)};
    }};
    const FolderRoom room{folder_of_files()};
    const std::size_t most;
    // Another one in each process, so that no earlier file's bytes are taken for those of this one.
    const std::size_t place = std::size_t{std::random_device{}()} * sizeof(std::uint64_t);
    DeviceMemory source;
    Stream stream{};
    std::optional<HostMemory> pages{};
    OneCopier rings{};
};

const RegisteredBenchmark registered{{
    .benchmark =
        {.name = "save/file",
         .summary = "save the GPU's memory to a new file: through pageable memory or a page-locked ring, past "
                    "the page cache or through it, with or without fsync",
         .how = "the host's clock, from the first copy until the last write has returned (until=written) or "
                "fsync has (until=synced); making the file and deleting it are not timed. Every operation "
                "writes a file of `bytes` anew: a process at least seven for each row",
         .clock = Clock::host,
         .parameters = {{"by", {"write", "direct_ring"}}, {"bytes", {256 * mib}}, {"threads", {1, 8}}, {"until", {}}},
         .full = {{"by", {"write", "write_ring", "direct_ring"}},
                  {"bytes", {256 * mib, 2 * gib}},
                  {"until", {"written", "synced"}}},
         .allowed = {{"bytes", {.least = DirectFile::block, .multiple_of = DirectFile::block}},
                     {"threads", {.least = 1, .most = 256}}},
         .needs = {.gpus = 1},
         .cost = {.bytes = Handling::in_file}},
    .set_up = [](const std::vector<Parameters>& sets) { return std::make_unique<SaveFile>(sets); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::save_file
