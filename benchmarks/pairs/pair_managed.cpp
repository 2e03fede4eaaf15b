// tocuda, Apache-2.0.
// Pages of managed memory move from one GPU to another: ahead of use, or when a kernel of the other touches them.
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/copy/managed_memory.hpp"
#include "benchmarks/pairs/pairs.hpp"
#include "benchmarks/pairs/peer_kernel.hpp"
#include "measurement/check.hpp"
#include "measurement/host_time.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/threads.hpp"

namespace tocuda::benchmarks::pair_managed {
namespace {

// GPU `to` copies what it touches to its own memory, so that every byte must have come.
struct Receiver {
    explicit Receiver(std::size_t most) : target(most) {}
    Guarded target;
    Stream stream{};
};

class Flow {
public:
    Flow(int sender, int other, std::size_t size, bool by_touch)
        : from(sender), to(other), bytes(size), touches(by_touch), memory(size) {
        const OnDevice current(to);
        receiver = std::make_unique<Receiver>(touches ? bytes : 1);
        if (touches) copy = peer_kernel(gpu_facts(), receiver->target.at(), memory.get(), bytes);
        const OnDevice owner(from);
        sending = std::make_unique<Stream>();
    }

    void make_ready() const {
        move_to(from, *sending);
        sending->synchronize();
    }
    void start() const {
        if (!touches) return move_to(to, receiver->stream);
        const OnDevice current(to);
        copy(receiver->stream);
    }
    void finish() const { receiver->stream.synchronize(); }

    // GPU `to` holds something else, and GPU `from` writes a new payload, before `moved` runs. Then GPU `to` looks.
    std::string what_differs(std::size_t place, const std::function<void()>& moved) const {
        const OnDevice current(to);
        const auto& stream = receiver->stream;
        require("cudaMemsetAsync",
                cudaMemsetAsync(memory.get(), std::to_integer<int>(Guarded::guard), bytes, stream.get()));
        stream.synchronize();
        {
            const OnDevice owner(from);
            write_payload(*sending, {memory.get(), bytes}, place);
        }
        std::string wrong;
        if (touches) {
            wrong = receiver->target.what_differs(stream, bytes, moved, 0, place);
        } else {
            moved();
            wrong = what_differs_here(place);
        }
        return wrong.empty() ? "" : "GPU " + std::to_string(from) + " to GPU " + std::to_string(to) + ": " + wrong;
    }

    // Whether reading the touched pages again takes much longer than reading the GPU's own memory. No function of the
    // runtime says where pages lie that were not prefetched.
    bool seems_to_stay() const {
        const OnDevice current(to);
        make_ready();
        start();
        const auto again = seconds_of(copy);
        const DeviceMemory own(bytes);
        const auto from_own = peer_kernel(gpu_facts(), receiver->target.at(), own.get(), bytes);
        from_own(receiver->stream);
        return again > 3 * seconds_of(from_own);
    }

private:
    void move_to(int gpu, const Stream& stream) const {
        const OnDevice current(gpu);
        require(
            "cudaMemPrefetchAsync",
            cudaMemPrefetchAsync(memory.get(), bytes, {.type = cudaMemLocationTypeDevice, .id = gpu}, 0, stream.get()));
    }

    std::string what_differs_here(std::size_t place) const {
        int lies = -1;
        require("cudaMemRangeGetAttribute",
                cudaMemRangeGetAttribute(&lies, sizeof lies, cudaMemRangeAttributeLastPrefetchLocation, memory.get(),
                                         bytes));
        if (lies != to) return "the runtime does not report that the pages were moved there last";
        const auto found = first_unlike_payload(receiver->stream, {memory.get(), bytes}, place);
        return found ? "byte " + std::to_string(*found) + " of " + std::to_string(bytes) + " differs from the reference"
                     : "";
    }

    double seconds_of(const std::function<void(const Stream&)>& work) const {
        const Event began;
        const Event ended;
        began.record(receiver->stream);
        work(receiver->stream);
        ended.record(receiver->stream);
        finish();
        return seconds_between(began, ended);
    }

    int from;
    int to;
    std::size_t bytes;
    bool touches;
    ManagedMemory memory;
    std::unique_ptr<Receiver> receiver{};
    std::unique_ptr<Stream> sending{};
    std::function<void(const Stream&)> copy{};
};

// One way or both, each with memory of its own.
class Exchange {
public:
    Exchange(int from, int to, const Parameters& set) {
        const bool touches = text(set, "how") == "touch";
        flows.push_back(std::make_unique<Flow>(from, to, bytes_of(set), touches));
        if (text(set, "ways") == "both") flows.push_back(std::make_unique<Flow>(to, from, bytes_of(set), touches));
    }

    void make_ready() const {
        for (const auto& flow : flows) flow->make_ready();
    }

    // Each way by a thread, because the driver does part of the work in the thread that calls it. On simulated GPUs
    // nobody but the GPUs works.
    void run() {
        const auto move = [](const Flow& flow) {
            flow.start();
            flow.finish();
        };
        if (flows.size() == 2 && !gpus_are_simulated())
            return at_once(two, [&] { move(*flows[1]); }, [&] { move(*flows[0]); });
        for (const auto& flow : flows) flow->start();
        for (const auto& flow : flows) flow->finish();
    }

    std::string what_differs() {
        const auto place = draw() / sizeof(std::uint64_t) * sizeof(std::uint64_t);
        std::string later;
        const auto once = [&] {
            make_ready();
            run();
        };
        const auto rest = [&] { later = flows.back()->what_differs(place + sizeof(std::uint64_t), once); };
        const auto here = flows.size() == 1 ? flows[0]->what_differs(place, once) : flows[0]->what_differs(place, rest);
        return here.empty() ? later : here;
    }

    std::int64_t count() const { return static_cast<std::int64_t>(flows.size()); }
    bool seems_to_stay() const { return flows.front()->seems_to_stay(); }

private:
    std::vector<std::unique_ptr<Flow>> flows{};
    Crew two{2};
    std::independent_bits_engine<std::mt19937_64, 56, std::uint64_t> draw{std::random_device{}()};
};

class PairManaged final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_no_pair(set, count); !why.empty()) return why;
        if (auto why = why_not_both_ways(set); !why.empty()) return why;
        const auto bytes = bytes_of(set);
        if (bytes == 0) return "at least 1 byte is needed; 0 bytes cannot be allocated";
        if (whole(set, "bytes") > most_managed)
            return "at most " + std::to_string(most_managed) + " bytes of managed memory are supported";
        std::map<int, std::size_t> needed;
        for (const char* which : {"from", "to"}) {
            const OnDevice current(gpu_of(set, which));
            if (auto why = why_no_managed_pages(); !why.empty()) return why;
            const auto each = allocated_bytes({Guarded::allocated(bytes)});
            needed[gpu_of(set, which)] = (text(set, "ways") == "both" ? 4 : 3) * each;
        }
        return why_no_room(needed);
    }

    Trial trial(const Parameters& set) override {
        const int from = gpu_of(set, "from");
        const int to = gpu_of(set, "to");
        const bool direct = have_access(from, to);
        const auto exchange = std::make_shared<Exchange>(from, to, set);
        const auto moved = exchange->count() * whole(set, "bytes");
        const bool touch = text(set, "how") == "touch";
        Trial trial{.bytes_one_way = moved,
                    .bytes_touched = 2 * moved,
                    .compared = touch ? Guarded::compared() + ", of what GPU `to` copied from them"
                                      : "every byte by GPU `to`, and where the runtime says that the pages are",
                    .differs = [exchange] { return exchange->what_differs(); },
                    .prepare = [exchange] { exchange->make_ready(); },
                    .timing = Called{[exchange] { exchange->run(); }}};
        describe_gpus(trial, set, from == first_gpu || to == first_gpu);
        if (!direct) trial.flags.emplace_back("no peer access between these GPUs: pages go through the host");
        if (touch && bytes_of(set) >= least_told && exchange->seems_to_stay())
            trial.flags.emplace_back("reading the pages again is slow: they may not have moved");
        return trial;
    }

private:
    static constexpr std::size_t least_told = 16 * static_cast<std::size_t>(mib);  // below, starting a kernel counts

    const int count = count_of_gpus();
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "pairs/managed",
                  .summary = "move the pages of managed memory from one GPU to another, each pair, one way or both",
                  .how = "the host's clock. how=prefetch: cudaMemPrefetchAsync on a stream of GPU `to`, and the wait "
                         "for it; how=touch: a kernel of GPU `to` copies the pages to its own memory, so that each "
                         "faults and moves first. With ways=both two threads move one block each way, and GB/s is the "
                         "sum. All pages are on GPU `from` before. If reading them again then takes more than three "
                         "times as long as reading the GPU's own memory, a flag says that they may not have moved",
                  .clock = Clock::host,
                  .parameters = {{"bytes", {64 * mib}},
                                 {"from", {}},
                                 {"to", {}},
                                 {"how", {"prefetch", "touch"}},
                                 {"ways", {"one", "both"}}},
                  .full = {{"bytes", {mib, 64 * mib, gib}}, {"from", gpu_numbers()}, {"to", gpu_numbers()}},
                  .allowed = {{"from", allowed_gpus}, {"to", allowed_gpus}},
                  .needs = {.gpus = 2},
                  .cost = {.bytes = Handling::on_gpu},
                  .role = {.pictures = {"pairs-of-gpus"}, .heading = "managed memory"}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<PairManaged>(); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::pair_managed
