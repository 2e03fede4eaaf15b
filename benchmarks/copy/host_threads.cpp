// tocuda, Apache-2.0.
// Copies within the host's memory with several threads: an upper bound for every transfer to the GPU whose bytes
// threads have to touch.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>

#include "benchmarks/copy/streaming_copy.hpp"
#include "measurement/block.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/gpu/host_memory.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/payload.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/threads.hpp"

namespace tocuda::benchmarks::host_threads {
namespace {

constexpr std::int64_t most_asked_threads = 256;
constexpr std::size_t part_bytes = std::size_t{1} << 20;

void copy_together(Crew& crew, std::byte* to, const std::byte* from, std::size_t bytes) {
    const auto copy = as_one_of(crew.size(), streaming_copy);
    std::atomic<std::size_t> next{0};
    const auto share = [&] {
        for (auto place = next.fetch_add(part_bytes); place < bytes; place = next.fetch_add(part_bytes))
            copy(to + place, from + place, std::min(part_bytes, bytes - place));
    };
    // A virtual clock advanced by several threads would depend on their order.
    if (only_the_clock_counts()) share();
    else crew.run(share);
}

class HostThreads final : public Bench {
public:
    explicit HostThreads(const std::vector<Parameters>& sets)
        : fit([](const Parameters& set) { return Room{.host_bytes = 2 * bytes_of(set)}; }),
          most(std::max<std::size_t>(1, fit.most_bytes(sets))), source(pageable_memory(most)),
          target(pageable_memory(most)) {
        write_payload(std::span(source.get(), most), 0);
    }

    std::string why_skipped(const Parameters& set) const override { return fit.why_skipped(set); }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        auto& crew = crew_of(static_cast<unsigned>(whole(set, "threads")));
        const auto copy = [this, &crew, bytes] { copy_together(crew, target.get(), source.get(), bytes); };
        return {.bytes_one_way = static_cast<std::int64_t>(bytes),
                .bytes_touched = 2 * static_cast<std::int64_t>(bytes),
                .compared = "every byte",
                .differs = [this, copy, bytes] { return differs_after(copy, bytes); },
                .timing = Called{copy},
                .flags = {std::to_string(crew.size()) + " threads"}};
    }

private:
    Crew& crew_of(unsigned threads) {
        auto& crew = crews[threads];
        if (!crew)
            crew = std::make_unique<Crew>(threads == 0 ? static_cast<unsigned>(chosen_threads(most_asked_threads))
                                                       : threads);
        return *crew;
    }

    std::string differs_after(const std::function<void()>& copy, std::size_t bytes) const {
        if (bytes != 0) std::memset(target.get(), 0xC3, bytes);
        copy();
        const auto place = first_unlike_payload(std::span<const std::byte>(target.get(), bytes), 0);
        return place ? "byte " + std::to_string(*place) + " of " + std::to_string(bytes) + " differs from the reference"
                     : "";
    }

    const Fit fit;
    const std::size_t most;
    HostMemory source;
    HostMemory target;
    std::map<unsigned, std::unique_ptr<Crew>> crews{};
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "copy/host_to_host/threads",
                  .summary = "copy within host memory with several threads at once",
                  .clock = Clock::host,
                  .parameters = {{"bytes", {256 * mib}}, {"threads", {0}}},
                  .quick = {{"bytes", {}}},
                  .full = {{"bytes", {4 * kib, mib, 16 * mib, 64 * mib, 256 * mib, gib, 4 * gib}},
                           {"threads", {0, 1, 2, 4, 8, 16}}},
                  .allowed = {{"threads", {.most = most_asked_threads}}},
                  .needs = {.gpus = 1}},
    .set_up = [](const std::vector<Parameters>& sets) { return std::make_unique<HostThreads>(sets); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::host_threads
