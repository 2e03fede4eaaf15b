// tocuda, Apache-2.0.
// Loads a file to the GPU, as a program loads a model: mapped or read, directly or through page-locked buffers that
// threads fill, while the page cache holds it and while it does not.
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>

#include "benchmarks/copy/passage.hpp"
#include "benchmarks/copy/staged_copier.hpp"
#include "measurement/check.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/gpu/host_memory.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/payload_file.hpp"
#include "measurement/peaks.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::load_file {
namespace {

constexpr auto block = DirectFile::block;

constexpr const char* shared_memory = "/dev/shm";

std::map<std::string, FolderRoom> rooms_of(const std::set<std::string>& folders) {
    std::map<std::string, FolderRoom> rooms;
    for (const auto& folder : folders) rooms.emplace(folder, folder);
    return rooms;
}

bool uses_threads(const std::string& by) { return by.ends_with("_ring"); }

class LoadFile final : public Bench {
public:
    explicit LoadFile(const std::vector<Parameters>& sets)
        : fit([](const Parameters& set) -> Room {
              const auto file = is_in_memory(folder_of(set)) ? bytes_of(set) : 0;
              const auto read = text(set, "by") == "read" ? bytes_of(set) : 0;
              return {.host_bytes = allocated_bytes({file, read}), .device_bytes = Guarded::allocated(bytes_of(set))};
          }),
          most(largest_that_fits(sets, [this](const Parameters& set) { return fits(set); })), target(most) {}

    std::string why_skipped(const Parameters& set) const override {
        const auto& by = text(set, "by");
        const auto bytes = bytes_of(set);
        if (!uses_threads(by) && whole(set, "threads") != 1) return "only a ring is filled by several threads";
        const bool cold = text(set, "cache") == "cold";
        if (by == "direct_ring" && !cold) return "reads past the page cache are measured with cache=cold";
        if (by == "mapped" && cold && attribute(cudaDevAttrPageableMemoryAccess) != 0)
            return "the GPU accesses mapped pages by itself, and what is then read from disks is not counted";
        const auto folder = folder_of(set);
        if (cold)
            if (auto why = why_never_cold(folder); !why.empty()) return why;
        if (auto why = rooms.at(folder).why_too_small(bytes); !why.empty()) return why;
        if (auto why = fit.why_not_simulated(bytes); !why.empty()) return why;
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto& file = file_of(set);
        if (text(set, "by") == "direct_ring") static_cast<void>(DirectFile(file));
        auto peak = link_peak();
        peak.counted = Counted::one_way;
        Trial trial{.bytes_one_way = static_cast<std::int64_t>(bytes),
                    .bytes_touched = 2 * static_cast<std::int64_t>(bytes),
                    .peak = peak,
                    .compared = Guarded::compared() + "; what was cached before, and read from disks meanwhile"};
        trial.timing = SelfTimed{.seconds = [this, set, &file] { return seconds_of(set, file); }};
        trial.differs = [this, set, bytes, &file] {
            return target.what_differs(stream, bytes, [&] { seconds_of(set, file); }, 0, place);
        };
        if (text(set, "cache") == "warm" && !bytes_read_from_disks()) trial.flags.emplace_back(not_shown_to_be_warm);
        if (const auto flag = virtual_disk_flag(folder_of(set)); text(set, "cache") == "cold" && !flag.empty())
            trial.flags.push_back(flag);
        if (gpus_are_simulated()) trial.flags.emplace_back("the host's part takes the time that it really takes");
        return trial;
    }

private:
    static std::string folder_of(const Parameters& set) {
        return text(set, "place") == "shared_memory" ? shared_memory : folder_of_files();
    }

    // Also finds the most of each folder.
    bool fits(const Parameters& set) {
        if (!why_skipped(set).empty()) return false;
        auto& most_there = most_of[folder_of(set)];
        most_there = std::max(most_there, bytes_of(set));
        return true;
    }

    // Each folder has one file, written when it is first needed.
    const PayloadFile& file_of(const Parameters& set) {
        const auto folder = folder_of(set);
        auto& file = files[folder];
        if (!file) file = std::make_unique<PayloadFile>(folder, most_of.at(folder), place);
        return *file;
    }

    // Mapping the file belongs to the load, unmapping it does not. Nothing stays mapped, because that could not be
    // dropped from the cache.
    double seconds_of(const Parameters& set, const PayloadFile& file) {
        const auto bytes = bytes_of(set);
        const bool cold = text(set, "cache") == "cold";
        if (cold) file.drop();
        else if (file.cached_bytes(bytes) < bytes) file.load(bytes);
        const auto cached = file.cached_bytes(bytes);
        const auto load = loading(set, file);
        const auto before = bytes_read_from_disks();
        const auto began = host_seconds();
        const auto mapped = load();
        const auto seconds = host_seconds() - began;
        const auto read = bytes_read_since(before);
        if (const auto why = cold ? why_not_cold(bytes, cached, read) : why_not_warm(bytes, read); !why.empty())
            throw std::runtime_error(why);
        return seconds;
    }

    using Mapping = std::unique_ptr<const MappedFile>;  // or none

    std::function<Mapping()> loading(const Parameters& set, const PayloadFile& file) {
        const auto bytes = bytes_of(set);
        const auto& by = text(set, "by");
        if (by == "mapped")
            return [this, &file, bytes] {
                auto mapped = std::make_unique<const MappedFile>(file, bytes);
                copy_mapped(mapped->get(), bytes);
                return mapped;
            };
        if (by == "read") {
            if (!pages) pages.emplace(touched_pages(most));
            return [this, &file, bytes] {
                in_real_time([&] { file.read(pages->get(), 0, bytes); });
                copy_to_gpu(pages->get(), bytes);
                return Mapping();
            };
        }
        const auto ring = rings.of(chosen_shape(Direction::host_to_device, set));
        if (by == "mapped_ring")
            return [this, &file, bytes, ring] {
                auto mapped = std::make_unique<const MappedFile>(file, bytes);
                send(*ring, {mapped->get(), bytes},
                     [](std::byte* to, const std::byte* from, std::size_t part) { std::memcpy(to, from, part); });
                return mapped;
            };
        const auto direct = by == "direct_ring" ? std::make_shared<DirectFile>(file) : nullptr;
        const int descriptor = direct ? direct->descriptor() : file.descriptor();
        return [this, bytes, ring, direct, descriptor] {
            // Nothing is there: the ring only counts in addresses.
            const auto* const start = target.at();
            send(*ring, {start, bytes}, [=](std::byte* to, const std::byte* from, std::size_t part) {
                PayloadFile::read_from(descriptor, to, static_cast<std::size_t>(from - start), part);
            });
            return Mapping();
        };
    }

    void send(StagedCopier& by, std::span<const std::byte> from, const CopyPart& fill) const {
        by.send(target.at(), from, [&](std::byte* to, const std::byte* part, std::size_t bytes) {
            in_real_time([&] { fill(to, part, bytes); });
        });
    }

    // A simulated GPU reads nothing while only its clock counts: there, the CPU reads each page first.
    void copy_mapped(const std::byte* mapped, std::size_t bytes) const {
        if (gpus_are_simulated())
            in_real_time([&] {
                for (std::size_t at = 0; at < bytes; at += block)
                    static_cast<void>(*static_cast<const volatile std::byte*>(mapped + at));
            });
        copy_to_gpu(mapped, bytes);
    }

    void copy_to_gpu(const std::byte* from, std::size_t bytes) const {
        copy_async(target.at(), from, bytes, Direction::host_to_device, stream);
        stream.synchronize();
    }

    static HostMemory touched_pages(std::size_t bytes) {
        auto memory = pageable_memory(bytes);
        std::memset(memory.get(), 0, bytes);
        return memory;
    }

    const std::map<std::string, FolderRoom> rooms = rooms_of({folder_of_files(), shared_memory});
    const Fit fit;
    std::map<std::string, std::size_t> most_of{};  // the bytes of each folder's file
    const std::size_t most;
    // Another one in each process, so that no earlier one's bytes are taken for those of this file.
    const std::size_t place = std::size_t{std::random_device{}()} * sizeof(std::uint64_t);
    Guarded target;
    Stream stream{};
    std::map<std::string, std::unique_ptr<PayloadFile>> files{};
    std::optional<HostMemory> pages{};
    OneCopier rings{};
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "load/file",
                  .summary = "load a file to the GPU: mapped or read, directly or through a page-locked ring, with the "
                             "page cache warm or cold",
                  .how = "the host's clock, from the call that maps the file, or from the first read, until every byte "
                         "is on the GPU; unmapping is not timed. A cold sample counts only if mincore finds at most "
                         "1 % of the bytes in the page cache before and the process reads at least 95 % of them from a "
                         "disk, a warm one only if it reads at most 1 %, and 1 MiB of anything else",
                  .clock = Clock::host,
                  .parameters = {{"bytes", {2 * gib}},
                                 {"by", {"mapped", "mapped_ring", "read", "read_ring", "direct_ring"}},
                                 {"cache", {}},
                                 {"place", {"TMPDIR"}},
                                 {"threads", {1, 8}}},
                  .quick = {{"bytes", {256 * mib}}},
                  .full = {{"bytes", {256 * mib, 2 * gib}},
                           {"cache", {"warm", "cold"}},
                           {"place", {"TMPDIR", "shared_memory"}},
                           {"threads", {1, 2, 4, 8, 16}}},
                  .allowed = {{"bytes", {.least = block, .multiple_of = block}},
                              {"threads", {.least = 1, .most = 256}}},
                  .needs = {.gpus = 1},
                  .cost = {.bytes = Handling::in_file},
                  .role = {.sheet = {{.order = 370,
                                      .section = "file",
                                      .words = "read through a ring, page cache warm",
                                      .having = "by=read_ring cache=warm threads=8 place=TMPDIR"},
                                     {.order = 380,
                                      .section = "file",
                                      .words = "read through a ring, page cache cold",
                                      .having = "by=read_ring cache=cold threads=8 place=TMPDIR"},
                                     {.order = 390,
                                      .section = "file",
                                      .words = "mapped, page cache warm",
                                      .having = "by=mapped cache=warm place=TMPDIR"},
                                     {.order = 400,
                                      .section = "file",
                                      .words = "mapped, page cache cold",
                                      .having = "by=mapped cache=cold place=TMPDIR"}},
                           // The smaller file is for simulated GPUs, which skip the larger one.
                           .characterise = {"bytes=256MiB,2GiB by=mapped cache=warm,cold threads=1 place=TMPDIR",
                                            "bytes=256MiB,2GiB by=read_ring cache=warm,cold threads=8 place=TMPDIR"}}},
    .set_up = [](const std::vector<Parameters>& sets) { return std::make_unique<LoadFile>(sets); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::load_file
