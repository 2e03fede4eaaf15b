// tocuda, Apache-2.0.
// Collective operations by NCCL between all GPUs of a machine, in one process.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/collectives/load_of_all.hpp"
#include "benchmarks/collectives/nccl.hpp"
#include "benchmarks/pairs/pairs.hpp"
#include "kernels/collective.hpp"
#include "measurement/check.hpp"
#include "measurement/host_time.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::collectives {
namespace {

constexpr auto guard_bytes = Guarded::guard_bytes;

// What one GPU sends and receives, each between guards. The members belong to the GPU that was current when they were
// made.
struct Rank {
    explicit Rank(std::size_t bytes)
        : sent(bytes + 2 * guard_bytes), received(bytes + 2 * guard_bytes), whole(bytes + 2 * guard_bytes) {}

    std::byte* from() const { return sent.get() + guard_bytes; }
    std::byte* to() const { return received.get() + guard_bytes; }
    void clear(const DeviceMemory& memory) const {
        require("cudaMemsetAsync",
                cudaMemsetAsync(memory.get(), std::to_integer<int>(Guarded::guard), whole, stream.get()));
    }

    Stream stream{};
    Event began{};
    Event ended{};
    DeviceMemory sent;
    DeviceMemory received;
    std::size_t whole;
};

// The memory and the streams of one parameter set.
class Exchange final : public OtherGpus {
public:
    Exchange(const Collective& collective, std::size_t bytes, const Communicators& initialised)
        : what(collective), communicators(initialised) {
        for (unsigned rank = 0; rank < what.ranks; ++rank) {
            const OnDevice current(static_cast<int>(rank));
            ranks.push_back(std::make_unique<Rank>(bytes));
        }
    }

    // The first GPU takes part in the stream that is timed. The others may begin before, and wait for it there.
    void queue(const Stream& first) const {
        communicators.each([&](std::size_t rank) { queue(rank, rank == 0 ? first : ranks[rank]->stream); });
    }

    void begin(const Event& first) const override {
        each_other([&](const Rank& rank) {
            rank.stream.wait_for(first);
            rank.began.record(rank.stream);
        });
    }
    void end() const override {
        each_other([](const Rank& rank) { rank.ended.record(rank.stream); });
    }
    std::vector<double> seconds() const override {
        std::vector<double> all;
        each_other([&](const Rank& rank) {
            rank.ended.synchronize();
            all.push_back(seconds_between(rank.began, rank.ended));
        });
        return all;
    }

    // Each GPU compares what it received itself, and what lies around it.
    std::string what_differs() {
        what.drawn = draw();
        each([&](unsigned number, const Rank& rank) {
            rank.clear(rank.sent);
            rank.clear(rank.received);
            write_sent(rank.stream, what, number, rank.from());
            rank.stream.synchronize();
        });
        queue(ranks.front()->stream);
        std::string wrong;
        each([&](unsigned number, const Rank& rank) {
            rank.clear(rank.sent);
            write_received(rank.stream, what, number, rank.from());
            const auto place =
                first_difference(rank.stream, {rank.sent.get(), rank.whole}, {rank.received.get(), rank.whole});
            if (place && wrong.empty())
                wrong = "GPU " + std::to_string(number) + ": byte " +
                        std::to_string(static_cast<std::ptrdiff_t>(*place) - std::ptrdiff_t{guard_bytes}) + " of " +
                        std::to_string(what.received(number) * what.number_bytes()) + " differs from the reference";
        });
        return wrong;
    }

private:
    template <class Call>
    void each(const Call& call) const {
        for (unsigned number = 0; number < what.ranks; ++number) {
            const OnDevice current(static_cast<int>(number));
            call(number, *ranks[number]);
        }
    }

    template <class Call>
    void each_other(const Call& call) const {
        each([&](unsigned number, const Rank& rank) {
            if (number != 0) call(rank);
        });
    }

    void queue(std::size_t rank, const Stream& in) const {
        const auto& call = library.call;
        constexpr int sum = 0;
        const int type = static_cast<int>(what.small ? Nccl::Type::bfloat16 : Nccl::Type::float32);
        auto* const communicator = communicators.of(rank);
        auto* const from = ranks[rank]->from();
        auto* const to = ranks[rank]->to();
        auto* const stream = in.get();
        switch (what.kind) {
            case CollectiveKind::all_reduce:
                return must("ncclAllReduce", call.all_reduce(from, to, what.numbers, type, sum, communicator, stream));
            case CollectiveKind::reduce:
                return must("ncclReduce", call.reduce(from, to, what.numbers, type, sum, static_cast<int>(what.root()),
                                                      communicator, stream));
            case CollectiveKind::reduce_scatter:
                return must("ncclReduceScatter",
                            call.reduce_scatter(from, to, what.part(), type, sum, communicator, stream));
            case CollectiveKind::all_gather:
                return must("ncclAllGather", call.all_gather(from, to, what.part(), type, communicator, stream));
            case CollectiveKind::broadcast:
                return must("ncclBroadcast", call.broadcast(from, to, what.numbers, type, static_cast<int>(what.root()),
                                                            communicator, stream));
            case CollectiveKind::all_to_all:
            case CollectiveKind::gather:
            case CollectiveKind::scatter:
                return exchange_parts(static_cast<unsigned>(rank), type, communicator, stream);
            case CollectiveKind::send_receive:
                send(from, what.numbers, type, (rank + 1) % what.ranks, communicator, stream);
                receive(to, what.numbers, type, (rank + what.ranks - 1) % what.ranks, communicator, stream);
        }
    }

    // A part to and from each GPU; a GPU that has a single one exchanges it with the root.
    void exchange_parts(unsigned rank, int type, Nccl::Communicator communicator, cudaStream_t stream) const {
        for (unsigned other = 0; other < what.ranks; ++other) {
            if (const auto at = offset_of_part(what.sent(rank), other))
                send(ranks[rank]->from() + *at, what.part(), type, other, communicator, stream);
            if (const auto at = offset_of_part(what.received(rank), other))
                receive(ranks[rank]->to() + *at, what.part(), type, other, communicator, stream);
        }
    }
    std::optional<std::size_t> offset_of_part(std::size_t numbers, unsigned other) const {
        if (numbers == what.numbers) return other * what.part() * what.number_bytes();
        return numbers == what.part() && other == what.root() ? std::optional<std::size_t>(0) : std::nullopt;
    }

    void send(const std::byte* from, std::size_t count, int type, std::size_t to, Nccl::Communicator communicator,
              cudaStream_t stream) const {
        must("ncclSend", library.call.send(from, count, type, static_cast<int>(to), communicator, stream));
    }
    void receive(std::byte* to, std::size_t count, int type, std::size_t from, Nccl::Communicator communicator,
                 cudaStream_t stream) const {
        must("ncclRecv", library.call.receive(to, count, type, static_cast<int>(from), communicator, stream));
    }
    void must(const char* call, int result) const { library.require(call, result); }

    Collective what;
    const Nccl& library = Nccl::here();
    const Communicators& communicators;
    std::vector<std::unique_ptr<Rank>> ranks{};
    std::independent_bits_engine<std::mt19937_64, 56, std::uint64_t> draw{std::random_device{}()};
};

// What each GPU sends over its link, by the best way that nccl-tests assume.
std::int64_t bytes_over_link(const Collective& of, std::int64_t bytes) {
    const auto ranks = std::int64_t{of.ranks};
    if (of.kind == CollectiveKind::all_reduce) return 2 * (ranks - 1) * bytes / ranks;
    return of.in_parts() ? (ranks - 1) * bytes / ranks : bytes;
}

class Collectives final : public Bench {
public:
    explicit Collectives(CollectiveKind collective_kind) : kind(collective_kind) {}

    std::string why_skipped(const Parameters& set) const override {
        if (count < 2) return "2 GPUs are needed; there is " + std::to_string(count);
        if (count > int{Collective::most_ranks})
            return "at most " + std::to_string(Collective::most_ranks) + " GPUs can be checked; there are " +
                   std::to_string(count);
        if (auto why = library.why_not(); !why.empty()) return why;
        const auto what = collective_of(set);
        const auto unit = what.number_bytes() * (what.in_parts() ? what.ranks : 1);
        if (bytes_of(set) == 0 || bytes_of(set) % unit != 0)
            return "bytes must be a multiple of " + std::to_string(unit) + ", not " + std::to_string(bytes_of(set));
        std::map<int, std::size_t> needed;
        const auto each = bytes_of(set) + 2 * guard_bytes;
        for (int gpu = 0; gpu < count; ++gpu) needed[gpu] = allocated_bytes({each, each});
        return why_no_room(needed);
    }

    Trial trial(const Parameters& set) override {
        if (!communicators) communicators = std::make_unique<Communicators>(count);
        const bool beside = set.contains("beside") && text(set, "beside") == "compute";
        if (beside && !load) load = std::make_unique<LoadOfAll>(count);
        const auto what = collective_of(set);
        const auto exchange = std::make_shared<Exchange>(what, bytes_of(set), *communicators);
        Trial trial{.bytes_one_way = whole(set, "bytes"),
                    .bytes_touched = bytes_over_link(what, whole(set, "bytes")),
                    .compared = "every number, and " + std::to_string(guard_bytes) +
                                " bytes before and after, of each GPU by itself",
                    .differs = [exchange] { return exchange->what_differs(); },
                    .timing = Queued{.operation = [exchange](const Stream& on) { exchange->queue(on); },
                                     .commands = std::max<std::int64_t>(8, count),
                                     .others = exchange}};
        describe_gpus(trial, set, true);
        if (gpus_are_simulated()) trial.warm = {};  // they are always warm, and the host computes for them
        if (beside)
            std::get<Queued>(trial.timing).under = [of = load.get()](const auto& timed) { return of->outlasts(timed); };
        trial.flags.emplace_back("NCCL " + library.version() + ", " + std::to_string(count) + " GPUs");
        return trial;
    }

private:
    Collective collective_of(const Parameters& set) const {
        Collective what{.kind = kind,
                        .small = set.contains("type") && text(set, "type") == "bfloat16",
                        .ranks = static_cast<unsigned>(count)};
        what.numbers = bytes_of(set) / what.number_bytes();
        return what;
    }

    const CollectiveKind kind;
    const int count = count_of_gpus();
    const Nccl& library = Nccl::here();
    std::unique_ptr<Communicators> communicators{};  // making them takes seconds
    std::unique_ptr<LoadOfAll> load{};
};

// An assumption: NCCL loads its kernels and connects eight GPUs in 10 to 20 s.
constexpr double seconds_to_join = 2;

Measurable measured(CollectiveKind kind, const char* name, const char* summary) {
    Benchmark benchmark{
        .name = std::string("collectives/") + name,
        .summary = summary,
        .how =
            "by NCCL with a rank for each GPU of the process, timed on the first GPU; below stand the mean and the "
            "slowest of all GPUs, each by its own clock, in five further batches that all begin at once. `bytes` are "
            "the larger of what a GPU sends and what it receives. GB/s is the algorithm rate of nccl-tests, `bytes` by "
            "the time; `touched` "
            "is their bus rate, what each GPU sends over its link by the time",
        .clock = Clock::device,
        .parameters = {{"bytes", {}}},
        .quick = {{"bytes", {}}},
        .full = {{"bytes", {8, kib, 64 * kib, mib, 64 * mib, gib}}},
        .needs = {.gpus = 2},
        .cost = {.bytes = Handling::on_gpu, .all_gpus = true, .seconds_of_each_gpu = seconds_to_join}};
    const bool reduces = Collective{.kind = kind}.reduces();
    const auto number = static_cast<std::int64_t>(Collective{.kind = kind, .small = reduces}.number_bytes());
    benchmark.allowed["bytes"] = {.least = number, .multiple_of = number};
    if (reduces) benchmark.parameters["type"] = {"float", "bfloat16"};
    return {.benchmark = std::move(benchmark),
            .set_up = [kind](const std::vector<Parameters>&) { return std::make_unique<Collectives>(kind); }};
}

// Has a line in the picture of all of them.
Measurable drawn(Measurable of) {
    of.benchmark.role.pictures = {"collectives-by-size"};
    return of;
}

Measurable under_load() {
    auto made = measured(CollectiveKind::all_reduce, "all_reduce", "");
    made.benchmark.name = "busy/all_reduce";
    made.benchmark.summary = "the sum of the numbers of all GPUs, to each of them, while a kernel computes on each";
    made.benchmark.how +=
        ". The kernel of each GPU is started before each batch and ended after it, and a process whose "
        "load ended early does not count; `beside` takes turns within a process";
    made.benchmark.parameters["bytes"] = {64 * mib};
    made.benchmark.parameters["beside"] = {};
    made.benchmark.parameters["type"] = {"float"};
    made.benchmark.quick = {};
    made.benchmark.full = {{"beside", {"nothing", "compute"}}};
    made.benchmark.alternates = "beside";
    made.benchmark.role = {.collective = true};
    return made;
}

const RegisteredBenchmark all_reduce{
    drawn(measured(CollectiveKind::all_reduce, "all_reduce", "the sum of the numbers of all GPUs, to each of them"))};
const RegisteredBenchmark reduce{
    measured(CollectiveKind::reduce, "reduce", "the sum of the numbers of all GPUs, to the first of them")};
const RegisteredBenchmark reduce_scatter{drawn(measured(CollectiveKind::reduce_scatter, "reduce_scatter",
                                                        "the sum of the numbers of all GPUs, a part of it to each"))};
const RegisteredBenchmark all_gather{drawn(measured(CollectiveKind::all_gather, "all_gather",
                                                    "the numbers of all GPUs, one after the other, to each of them"))};
const RegisteredBenchmark gather{
    measured(CollectiveKind::gather, "gather", "the numbers of all GPUs, one after the other, to the first of them")};
const RegisteredBenchmark broadcast{
    drawn(measured(CollectiveKind::broadcast, "broadcast", "the numbers of the last GPU to each of them"))};
const RegisteredBenchmark scatter{
    measured(CollectiveKind::scatter, "scatter", "from the first GPU a part of its numbers to each of them")};
const RegisteredBenchmark all_to_all{
    drawn(measured(CollectiveKind::all_to_all, "all_to_all", "from each GPU a part of its numbers to each of them"))};
const RegisteredBenchmark send_receive{drawn(measured(
    CollectiveKind::send_receive, "send_receive", "the numbers of each GPU to the next one, in a ring, all at once"))};
const RegisteredBenchmark all_reduce_under_load{under_load()};

}  // namespace
}  // namespace tocuda::benchmarks::collectives
