// tocuda, Apache-2.0.
// The latency of the GPU's memory while it is busy: one multiprocessor loads, each load after the one before, and all
// others read as fast as a part of the memory's peak.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/block_sum.hpp"
#include "kernels/loaded_chase.hpp"
#include "kernels/timed_chase.hpp"
#include "measurement/check.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/room.hpp"

namespace tocuda::benchmarks::latency_under_load {
namespace {

constexpr std::uint64_t patience_ns = 1'000'000'000;
constexpr std::int64_t counted_bytes = gib;  // the time of `what=bandwidth` is that of so many

// The L2 cache must hold little of either.
std::size_t chased_bytes(const GpuFacts& gpu) { return std::max<std::size_t>(256 * mib, 2 * gpu.l2_bytes); }
std::size_t read_bytes(const GpuFacts& gpu) {
    return std::max<std::size_t>(gpus_are_simulated() ? 64 * mib : 512 * mib, 4 * gpu.l2_bytes);
}

double load_of(const Parameters& set) { return static_cast<double>(whole(set, "load")) / 100; }

class UnderLoad final : public Bench {
public:
    UnderLoad() {
        if (!why_not_this_gpu().empty()) return;
        chased.emplace(chased_bytes(gpu));
        read.emplace(read_bytes(gpu));
        course = owner.write(chased->get(), chased_bytes(gpu), random_cycle(chased_bytes(gpu), chased_bytes(gpu)));
        write_payload(stream, {read->get(), read_bytes(gpu)});
    }

    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_not_this_gpu(); !why.empty()) return why;
        return whole(set, "load") == 0 && text(set, "what") == "bandwidth" ? "with load=0 nothing is read" : "";
    }

    Trial trial(const Parameters& set) override {
        const auto beside = beside_at(load_of(set));
        const bool latency = text(set, "what") == "latency";
        Trial trial{.compared =
                        "where the chase ends, the sum of the addresses it loaded, the sum of what each warp "
                        "read beside it, and that both clocks advanced",
                    .differs = [=, this] { return what_differs(beside); },
                    .prepare = [this] { owner.empty_cache(); }};
        SelfTimed timing{
            .tick_seconds = timer_step_seconds(stream),
            .busy = {.operation = [=, this](const Stream& on) { queue(on, course.chase, beside); }, .commands = 2}};
        if (latency) {
            timing.seconds = [=, this] { return seconds_of_chase(beside); };
            timing.together = chase_loads;
            timing.cycles = [this] { return static_cast<double>(result.host()->cycles); };
        } else {
            trial.bytes_one_way = trial.bytes_touched = counted_bytes;
            trial.peak = memory_peak(gpu, read_bytes(gpu));
            timing.seconds = [=, this, load = load_of(set)] { return seconds_of_bytes(beside, load); };
        }
        trial.timing = std::move(timing);
        if (gpus_are_simulated())
            trial.flags.emplace_back("simulated: the load reads as fast as it should, and slows nothing");
        return trial;
    }

private:
    std::string why_not_this_gpu() const {
        if (gpu.l2_bytes == 0) return "the size of the L2 cache is needed; the runtime does not report it";
        if (gpu.memory.bytes_per_second <= 0) return "the memory's peak is needed; the runtime does not report it";
        if (gpu.multiprocessors < 2) return "2 multiprocessors are needed; there is 1";
        return why_no_room(allocated_bytes({chased_bytes(gpu), read_bytes(gpu), Owner::evicting_bytes()}), free);
    }

    Beside beside_at(double load) const {
        Beside beside{.from = read ? read->get() : nullptr,
                      .chunks = read_bytes(gpu) / Beside::chunk_bytes,
                      .multiprocessors = load > 0 ? gpu.multiprocessors : 1,
                      .patience_ns = gpus_are_simulated() ? 0 : patience_ns};
        if (load <= 0 || load >= 1) return beside;
        const auto chunks_each_second =
            load * gpu.memory.bytes_per_second / static_cast<double>(Beside::chunk_bytes) / beside.readers();
        beside.cycles_each = static_cast<std::int64_t>(1e3 * attribute(cudaDevAttrClockRate) / chunks_each_second);
        return beside;
    }

    void queue(const Stream& on, const Chase& chase, const Beside& beside) const {
        require("cudaMemsetAsync", cudaMemsetAsync(flags.get(), 0, sizeof(ChaseFlags), on.get()));
        launch_loaded_chase(on, chase, beside, gpu.shared_bytes, reinterpret_cast<ChaseFlags*>(flags.get()),
                            result.device(), reinterpret_cast<ReadBeside*>(reports.get()),
                            reinterpret_cast<std::uint32_t*>(sums.get()));
    }

    // Throws if the chase was not under load from its begin to its end.
    std::vector<ReadBeside> run(const Beside& beside) const {
        *result.host() = {};
        queue(stream, course.chase, beside);
        std::vector<ReadBeside> each(beside.readers());
        download(std::as_writable_bytes(std::span(each)), reports.get(), stream);
        ChaseFlags at_end;
        download(std::as_writable_bytes(std::span(&at_end, 1)), flags.get(), stream);
        if (gpus_are_simulated()) return each;
        if (at_end.begun_before != beside.blocks())
            throw std::runtime_error("the multiprocessors did not all read when the chase began");
        for (const auto& one : each)
            if (one.outlasted == 0) throw std::runtime_error("the load ended before the chase");
        return each;
    }

    double seconds_of_chase(const Beside& beside) const {
        if (gpus_are_simulated()) {
            auto empty = course.chase;
            empty.loads = 0;
            const auto whole = between_events(course.chase, beside);
            return whole - between_events(empty, beside);
        }
        run(beside);
        if (const auto why = TimedChase::where_it_went(*result.host(), course.expected); !why.empty())
            throw std::runtime_error(why);
        return 1e-9 * static_cast<double>(result.host()->nanoseconds);
    }
    double between_events(const Chase& chase, const Beside& beside) const {
        before.record(stream);
        queue(stream, chase, beside);
        after.record(stream);
        stream.synchronize();
        return seconds_between(before, after);
    }

    double seconds_of_bytes(const Beside& beside, double load) const {
        if (gpus_are_simulated()) return counted_bytes / (load * gpu.memory.bytes_per_second);
        double bytes_each_second = 0;
        for (const auto& each : run(beside))
            bytes_each_second += 1e9 * static_cast<double>((each.chunks - 1) * Beside::chunk_bytes) /
                                 static_cast<double>(std::max<std::uint64_t>(each.nanoseconds, 1));
        return counted_bytes / bytes_each_second;
    }

    std::string what_differs(const Beside& beside) {
        owner.empty_cache();
        require("cudaMemsetAsync", cudaMemsetAsync(reports.get(), 0, report_bytes(), stream.get()));
        const auto each = run(beside);
        if (auto why = TimedChase::where_it_went(*result.host(), course.expected); !why.empty()) return why;
        if (auto why = wrong_with_load(beside, each); !why.empty()) return why;
        const bool advanced = result.host()->cycles > 0 && result.host()->nanoseconds > 0;
        return advanced || gpus_are_simulated() ? "" : "the GPU's clocks did not advance during the chase";
    }

    std::string wrong_with_load(const Beside& beside, const std::vector<ReadBeside>& each) {
        std::vector<std::uint32_t> found(beside.threads());
        download(std::as_writable_bytes(std::span(found)), sums.get(), stream);
        for (unsigned reader = 0; reader < each.size(); ++reader) {
            std::uint32_t sum = 0;
            for (unsigned lane = 0; lane < Beside::warp; ++lane) sum += found[reader * Beside::warp + lane];
            for (std::uint32_t number = 0; number < each[reader].chunks; ++number)
                sum -= sums_of_chunks()[chunk_of(beside, reader, number)];
            if (each[reader].chunks == 0) return "warp " + std::to_string(reader) + " of the load read nothing";
            if (sum != 0) return "what warp " + std::to_string(reader) + " of the load read does not add up";
        }
        return "";
    }

    // Of the payload.
    const std::vector<std::uint32_t>& sums_of_chunks() {
        if (!known.empty()) return known;
        known.resize(read_bytes(gpu) / Beside::chunk_bytes);
        constexpr auto words = Beside::chunk_bytes / sizeof(std::uint64_t);
        joined_on_host(known.size() * words, std::plus<>(), [this](std::size_t first, std::size_t some) {
            for (auto word = first; word < first + some; ++word) {  // parts are multiples of a chunk
                const auto both = scrambled(word);
                known[word / words] += static_cast<std::uint32_t>(both) + static_cast<std::uint32_t>(both >> 32);
            }
            return 0;
        });
        return known;
    }

    unsigned most_readers() const { return Beside{.multiprocessors = gpu.multiprocessors}.readers(); }
    std::size_t report_bytes() const { return std::max(1U, most_readers()) * sizeof(ReadBeside); }

    const GpuFacts gpu = gpu_facts();
    const std::size_t free = free_device_bytes();
    const Stream stream{};
    const Event before{};
    const Event after{};
    const Owner owner{};
    const MappedMemory<Chased> result{};
    const DeviceMemory flags{sizeof(ChaseFlags)};
    const DeviceMemory reports{report_bytes()};
    const DeviceMemory sums{std::max(1U, most_readers()) * Beside::warp * sizeof(std::uint32_t)};
    std::optional<DeviceMemory> chased{};
    std::optional<DeviceMemory> read{};
    Course course{};
    std::vector<std::uint32_t> known{};
};

const RegisteredBenchmark registered{
    {.benchmark =
         {.name = "latency/under_load",
          .summary = "time of one load from the GPU's memory while the other multiprocessors read it, by how fast",
          .how =
              "one thread makes 8,192 loads on a random cycle of lines, as in latency/device with more bytes than the "
              "L2 cache holds. Meanwhile 32 warps on each other multiprocessor read chunks of 4 KiB, at `load` "
              "percent of the memory's peak; 100 is as fast as these readers can, a few per cent below memory/read. "
              "`what=latency` is the time of one of the loads, `what=bandwidth` what was read beside it, by the "
              "warps' own count and clock (its median is the time of 1 GiB at that rate): both rows of a load are a "
              "point of the curve. Memory that is asked for little answers as if it were idle; near its limit "
              "requests queue, and the time rises without the bandwidth doing so. The load paces itself by the SM "
              "clock's maximum, so at lower clocks it reads less than it should: what it did read is the row",
          .clock = Clock::device,
          .parameters = {{"load", {}}, {"what", {"latency", "bandwidth"}}},
          .quick = {{"load", {}}},
          .full = {{"load", {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100}}},
          .allowed = {{"load", {.most = 100}}},
          .alternates = "what",
          .needs = {.gpus = 1},
          .cost = {.bytes = Handling::few},
          .role = {.pictures = {"latency-against-bandwidth"},
                   .question = "How long does a load from the GPU's memory take while it is busy",
                   .touched = true,
                   .each_row = true,
                   .alone = true}},
     .set_up = [](const std::vector<Parameters>&) { return std::make_unique<UnderLoad>(); }}};

}  // namespace
}  // namespace tocuda::benchmarks::latency_under_load
