// tocuda, Apache-2.0.
// Reads a file from the disk into the GPU's memory without the host's memory: GPUDirect Storage.
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>

#include "benchmarks/files/cufile.hpp"
#include "measurement/check.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/payload_file.hpp"
#include "measurement/peaks.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::direct_storage {
namespace {

constexpr auto block = DirectFile::block;  // reads that are not multiples of it go through buffers
constexpr std::size_t to_block = block - Guarded::guard_bytes;

// What is read, and where to: kept for as long as it is known to the library.
struct Reading {
    Reading(const CuFile& cufile, const PayloadFile& file, std::span<std::byte> memory)
        : to(memory), direct(file), known_file(cufile, direct.descriptor()), known_memory(cufile, memory) {}
    const std::span<std::byte> to;
    const DirectFile direct;
    const CuFile::File known_file;
    const CuFile::Buffer known_memory;
};

class DirectStorage final : public Bench {
public:
    explicit DirectStorage(const std::vector<Parameters>& sets)
        : most(largest_that_fits(sets, [this](const Parameters& set) { return why_skipped(set).empty(); })) {
        if (most == 0) return;
        target.emplace(to_block + most);
        file = std::make_unique<PayloadFile>(folder_of_files(), most, place);
        try {
            static_cast<void>(CuFile::File(library, DirectFile(*file).descriptor()));
        } catch (const std::exception& error) {
            refused = std::string("GPUDirect Storage is needed; ") + error.what();
        }
    }

    std::string why_skipped(const Parameters& set) const override {
        if (!library.why_not().empty()) return library.why_not();
        if (!refused.empty()) return refused;
        const auto bytes = bytes_of(set);
        if (auto why = why_never_cold(folder_of_files()); !why.empty()) return why;
        if (auto why = room.why_too_small(bytes); !why.empty()) return why;
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto reading = std::make_shared<Reading>(library, *file, std::span(target->at(to_block), bytes));
        auto peak = link_peak();
        peak.counted = Counted::one_way;
        Trial trial{.bytes_one_way = static_cast<std::int64_t>(bytes),
                    .bytes_touched = 2 * static_cast<std::int64_t>(bytes),
                    .peak = peak,
                    .compared = Guarded::compared() + "; what was cached before and after"};
        trial.timing = SelfTimed{.seconds = [this, reading] { return seconds_of(*reading); }};
        trial.differs = [this, reading, bytes] {
            return target->what_differs(stream, bytes, [&] { seconds_of(*reading); }, to_block, place);
        };
        if (const auto flag = virtual_disk_flag(folder_of_files()); !flag.empty()) trial.flags.push_back(flag);
        if (gpus_are_simulated()) trial.flags.emplace_back("reading takes the time that it really takes");
        return trial;
    }

private:
    // Nothing may be in the page cache, neither before nor after: a read through it is none past the host.
    double seconds_of(const Reading& reading) const {
        file->drop();
        require_uncached(reading.to.size(), "before");
        const auto began = host_seconds();
        in_real_time([&] { reading.known_file.read(reading.to); });
        const auto seconds = host_seconds() - began;
        require_uncached(reading.to.size(), "after");
        return seconds;
    }

    void require_uncached(std::size_t bytes, const char* when) const {
        if (const auto cached = file->cached_bytes(bytes); cached != 0)
            throw std::runtime_error(std::to_string(cached) + " of " + std::to_string(bytes) +
                                     " bytes were in the page cache " + when + " the read");
    }

    const CuFile& library = CuFile::here();
    // Another one in each process, so that no earlier one's bytes are taken for those of this file.
    const std::size_t place = std::size_t{std::random_device{}()} * sizeof(std::uint64_t);
    Stream stream{};
    const Fit fit{
        [](const Parameters& set) -> Room { return {.device_bytes = Guarded::allocated(to_block + bytes_of(set))}; }};
    const FolderRoom room{folder_of_files()};
    std::string refused{};  // why not this file
    const std::size_t most;
    std::optional<Guarded> target{};
    std::unique_ptr<PayloadFile> file{};
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "load/direct_storage",
                  .summary = "read a file from the disk into the GPU's memory without the host's (GPUDirect Storage)",
                  .how = "the host's clock around cuFileRead, with file and memory registered before and nothing of "
                         "the file in the page cache; compare it with load/file by=direct_ring cache=cold. It is "
                         "skipped where the library would read through the host (compatibility mode)",
                  .clock = Clock::host,
                  .parameters = {{"bytes", {}}},
                  .quick = {{"bytes", {}}},
                  .full = {{"bytes", {256 * mib, 2 * gib}}},
                  .allowed = {{"bytes", {.least = block, .multiple_of = block}}},
                  .needs = {.gpus = 1, .machine = "GPUDirect Storage"},
                  .cost = {.bytes = Handling::in_file}},
    .set_up = [](const std::vector<Parameters>& sets) { return std::make_unique<DirectStorage>(sets); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::direct_storage
