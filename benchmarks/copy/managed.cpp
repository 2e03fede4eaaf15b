// tocuda, Apache-2.0.
// Managed memory, whose pages migrate by themselves. They move ahead of use (prefetch), on access (touch: a kernel on
// the GPU, one byte of each page on the CPU), or never, because the pages are advised to stay on the host and the GPU
// accesses them over the link (advice). One way, or two blocks of memory at once, each the other way.
#include <algorithm>
#include <atomic>
#include <optional>

#include "benchmarks/copy/both_ways.hpp"
#include "benchmarks/copy/managed_memory.hpp"
#include "benchmarks/copy/one_way.hpp"
#include "measurement/check.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/host_time.hpp"
#include "measurement/payload.hpp"
#include "measurement/peaks.hpp"
#include "measurement/threads.hpp"

namespace tocuda::benchmarks::managed {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t part_bytes = std::size_t{2} << 20;  // what a thread touches at a time
constexpr std::size_t most_threads = 32;

Room needed(const Parameters& set) {
    return {.host_bytes = Passage::with_guards(bytes_of(set)), .device_bytes = 2 * Guarded::allocated(bytes_of(set))};
}

Values ways_to_move(Direction way) {
    if (way == Direction::host_to_device) return {"prefetch", "touch", "advice"};
    return {"prefetch", "touch", "advice", "touch_by_threads"};
}

const std::function<void()>& called(const Trial& trial) { return std::get<Called>(trial.timing).operation; }

class Managed final : public Bench {
public:
    Managed(const std::vector<Parameters>& sets, Direction way) : direction(way), fit(needed) {
        require("cudaGetDevice", cudaGetDevice(&device));
        unsupported = why_no_managed_pages();
        if (!unsupported.empty()) return;
        most = std::min(fit.most_bytes(sets), static_cast<std::size_t>(most_managed));
        managed.emplace(std::max<std::size_t>(1, most));
        on_device.emplace(most);
        write_payload(stream, std::span(on_device->at(), most), 0);
    }

    std::string why_skipped(const Parameters& set) const override {
        if (!unsupported.empty()) return unsupported;
        if (whole(set, "bytes") > most_managed)
            return "at most " + std::to_string(most_managed) + " bytes of managed memory are supported";
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto how = text(set, "how");
        Trial trial{.bytes_one_way = static_cast<std::int64_t>(bytes),
                    .bytes_touched = 2 * static_cast<std::int64_t>(bytes),
                    .peak = link_peak(),
                    .compared = "every byte"};
        trial.prepare = [this, bytes, advised = how == "advice"] { make_ready(bytes, advised); };
        if (how == "prefetch") trial.timing = Called{[this, bytes] { prefetch(bytes, far_side()); }};
        else if (how == "touch") trial.timing = Called{[this, bytes] { touch(bytes); }};
        else if (how == "advice") trial.timing = Called{[this, bytes] { reach_over(bytes); }};
        else touch_by_threads(trial, bytes);
        trial.differs = [this, bytes, trial, how] { return differs(bytes, trial, how); };
        return trial;
    }

    // Writes what the pages hold before they move: not the payload if the kernel that touches them writes that.
    void lay(std::size_t bytes, const std::string& how) const {
        const bool other = how == (up() ? "touch" : "advice");
        if (other) std::fill_n(at(), bytes, Guarded::guard);
        else write_payload(std::span(at(), bytes), 0);
    }

    // Looks at what they hold in their new place.
    std::string unlike_payload(std::size_t bytes) const {
        const std::span<const std::byte> found(at(), bytes);
        const auto place = up() ? first_unlike_payload(stream, found, 0) : first_unlike_payload(found, 0);
        return place ? "byte " + std::to_string(*place) + " of " + std::to_string(bytes) + " differs from the reference"
                     : "";
    }

private:
    bool up() const { return direction == Direction::host_to_device; }
    std::byte* at() const { return managed->get(); }
    cudaMemLocation host() const { return {.type = cudaMemLocationTypeHost, .id = 0}; }
    cudaMemLocation gpu() const { return {.type = cudaMemLocationTypeDevice, .id = device}; }
    cudaMemLocation near_side() const { return up() ? host() : gpu(); }
    cudaMemLocation far_side() const { return up() ? gpu() : host(); }

    void prefetch(std::size_t bytes, cudaMemLocation where) const {
        if (bytes != 0) require("cudaMemPrefetchAsync", cudaMemPrefetchAsync(at(), bytes, where, 0, stream.get()));
        stream.synchronize();
    }

    void advise(std::size_t bytes, bool on) const {
        if (bytes == 0) return;
        require("cudaMemAdvise",
                cudaMemAdvise(at(), bytes, on ? cudaMemAdviseSetPreferredLocation : cudaMemAdviseUnsetPreferredLocation,
                              host()));
        require("cudaMemAdvise",
                cudaMemAdvise(at(), bytes, on ? cudaMemAdviseSetAccessedBy : cudaMemAdviseUnsetAccessedBy, gpu()));
    }

    void make_ready(std::size_t bytes, bool advised) const {
        advise(bytes, advised);
        prefetch(bytes, advised ? host() : near_side());
    }

    void touch(std::size_t bytes) const {
        if (up()) return write_payload(stream, std::span(at(), bytes), 0);
        read_pages(0, bytes);
        host_touched(at(), bytes);
    }

    void read_pages(std::size_t begin, std::size_t end) const {
        for (std::size_t place = begin; place < end; place += page)
            static_cast<void>(*static_cast<const volatile std::byte*>(at() + place));
    }

    void touch_by_threads(Trial& trial, std::size_t bytes) {
        if (!crew) crew.emplace(static_cast<unsigned>(chosen_threads(most_threads)));
        trial.flags.push_back(std::to_string(crew->size()) + " threads");
        trial.timing = Called{[this, bytes] {
            std::atomic<std::size_t> next{0};
            crew->run([&] {
                for (auto place = next.fetch_add(part_bytes); place < bytes; place = next.fetch_add(part_bytes))
                    read_pages(place, std::min(bytes, place + part_bytes));
            });
            host_touched(at(), bytes);
        }};
    }

    void reach_over(std::size_t bytes) const {
        auto* const to = up() ? on_device->at() : at();
        require("cudaMemcpyAsync",
                cudaMemcpyAsync(to, up() ? at() : on_device->at(), bytes, cudaMemcpyDefault, stream.get()));
        stream.synchronize();
    }

    // With advice, what the GPU copied.
    std::string differs(std::size_t bytes, const Trial& trial, const std::string& how) const {
        const auto once = [&] {
            trial.prepare();
            called(trial)();
        };
        lay(bytes, how);
        if (up() && how == "advice") return on_device->what_differs(stream, bytes, once);
        once();
        return unlike_payload(bytes);
    }

    const Direction direction;
    const Fit fit;
    int device = 0;
    std::string unsupported{};
    std::size_t most = 0;
    Stream stream{};
    std::optional<ManagedMemory> managed{};
    std::optional<Guarded> on_device{};
    std::optional<Crew> crew{};
};

// Each direction with memory of its own.
class ManagedBothWays final : public Bench {
public:
    explicit ManagedBothWays(const std::vector<Parameters>& sets)
        : fit([](const Parameters& set) -> Room {
              const auto once = needed(set);
              return {2 * once.host_bytes, 2 * once.device_bytes};
          }),
          up(those_that_fit(sets), Direction::host_to_device), down(those_that_fit(sets), Direction::device_to_host) {}

    std::string why_skipped(const Parameters& set) const override {
        if (auto why = up.why_skipped(set); !why.empty()) return why;
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto upwards = up.trial(set);
        const auto downwards = down.trial(set);
        Trial trial{.bytes_one_way = 2 * static_cast<std::int64_t>(bytes),
                    .bytes_touched = 4 * static_cast<std::int64_t>(bytes),
                    .peak = in_both_directions(link_peak()),
                    .compared = upwards.compared + ", in both directions"};
        say_if_simulated(trial);
        trial.prepare = [upwards, downwards] {
            upwards.prepare();
            downwards.prepare();
        };
        trial.timing = Called{[this, upwards, downwards] { both(two, called(downwards), called(upwards)); }};
        trial.differs = [this, bytes, how = text(set, "how"), prepare = trial.prepare, call = called(trial)] {
            up.lay(bytes, how);
            down.lay(bytes, how);
            prepare();
            call();
            const auto above = up.unlike_payload(bytes);
            const auto below = down.unlike_payload(bytes);
            return above.empty() ? (below.empty() ? "" : "to the host: " + below) : "to the GPU: " + above;
        };
        return trial;
    }

private:
    std::vector<Parameters> those_that_fit(std::vector<Parameters> sets) const {
        std::erase_if(sets, [this](const Parameters& set) { return !fit.why_skipped(set).empty(); });
        return sets;
    }

    const Fit fit;
    Managed up;
    Managed down;
    Crew two{2};
};

Measurable one_way(Direction way) {
    const auto hows = ways_to_move(way);
    return {.benchmark = {.name = name_of(way, "managed"),
                          .summary = std::string("move the pages of managed memory ") + aim(way),
                          .clock = Clock::host,
                          .parameters = {{"bytes", {}}, {"how", {"prefetch", "touch", "advice"}}},
                          .quick = {{"bytes", {}}},
                          .full = {{"bytes", powers_of_four(gib)}, {"how", hows}},
                          .needs = {.gpus = 1},
                          .cost = {.bytes = handling_of(way)}},
            .set_up = [way](const std::vector<Parameters>& sets) { return std::make_unique<Managed>(sets, way); }};
}

const RegisteredBenchmark upwards{one_way(Direction::host_to_device)};
const RegisteredBenchmark downwards{one_way(Direction::device_to_host)};
const RegisteredBenchmark at_once{{
    .benchmark = {.name = "copy/both_ways/managed",
                  .summary = "move the pages of managed memory in both directions at once, until both have arrived",
                  .clock = Clock::host,
                  .parameters = {{"bytes", {}}, {"how", {"prefetch", "touch"}}},
                  .quick = {{"bytes", {}}},
                  .full = {{"bytes", {mib, 64 * mib, gib}}},
                  .needs = {.gpus = 1}},
    .set_up = [](const std::vector<Parameters>& sets) { return std::make_unique<ManagedBothWays>(sets); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::managed

namespace tocuda {

std::string why_no_managed_memory() {
    return attribute(cudaDevAttrManagedMemory) == 0 ? "a GPU with managed memory is needed; this one has none" : "";
}

std::string why_no_managed_pages() {
    if (auto why = why_no_managed_memory(); !why.empty()) return why;
    if (attribute(cudaDevAttrConcurrentManagedAccess) == 0)
        return "a GPU that moves managed pages one by one is needed; this one moves all of them at each launch";
    return "";
}

}  // namespace tocuda
