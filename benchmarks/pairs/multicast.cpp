// tocuda, Apache-2.0.
// Stores that the switch between the GPUs brings to all of them: by one GPU, or by each at once.
#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/pairs/multicast_memory.hpp"
#include "benchmarks/pairs/pairs.hpp"
#include "kernels/multicast_copy.hpp"
#include "measurement/check.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::multicast {
namespace {

constexpr auto guard_bytes = Guarded::guard_bytes;

struct Sender {
    explicit Sender(std::size_t bytes) : memory(bytes) {}
    DeviceMemory memory;    // of the GPU that was current
    std::size_t place = 0;  // of its payload
};

// The memory of all GPUs has a guard, what each sender stores, and a guard.
class Exchange {
public:
    Exchange(int gpus, int senders, std::size_t size)
        : flows(copies_in_a_row(size)), count(gpus), bytes(size),
          whole(guard_bytes + static_cast<std::size_t>(senders) * size + guard_bytes), target(gpus, whole) {
        for (int gpu = 0; gpu < count; ++gpu) {
            const OnDevice current(gpu);
            multiprocessors = gpu_facts().multiprocessors;
            streams.push_back(std::make_unique<Stream>());
            if (gpu < senders) sending.push_back(std::make_unique<Sender>(bytes));
        }
        for (int gpu = 0; gpu < senders; ++gpu)
            flows.add(gpu, [this, gpu](const Stream& on) {
                const auto i = static_cast<std::size_t>(gpu);
                launch_multicast(on, target_of(i), sending[i]->memory.get(), bytes, multiprocessors);
            });
    }

    std::string what_differs() {
        for (int gpu = 0; gpu < count; ++gpu) {
            const OnDevice current(gpu);
            const auto& stream = *streams[static_cast<std::size_t>(gpu)];
            require("cudaMemsetAsync",
                    cudaMemsetAsync(target.of(gpu), std::to_integer<int>(Guarded::guard), whole, stream.get()));
            stream.synchronize();
        }
        for (std::size_t i = 0; i < sending.size(); ++i) {
            const OnDevice current(static_cast<int>(i));
            auto& sender = *sending[i];
            sender.place = draw() / sizeof(std::uint64_t) * sizeof(std::uint64_t);
            write_payload(*streams[i], {sender.memory.get(), bytes}, sender.place);
            streams[i]->synchronize();
        }
        flows.run_once();
        std::string wrong;
        for (int gpu = 0; gpu < count && wrong.empty(); ++gpu) wrong = what_differs_on(gpu);
        return wrong;
    }

    Flows flows;

private:
    MulticastTarget target_of(std::size_t sender) const {
        const auto offset = guard_bytes + sender * bytes;
        MulticastTarget to{.of_all = target.of_all() + offset,
                           .gpus = static_cast<unsigned>(count),
                           .sender = static_cast<unsigned>(sender)};
        for (int gpu = 0; gpu < count; ++gpu) to.of_each[gpu] = target.of(gpu) + offset;
        return to;
    }

    // By the GPU itself.
    std::string what_differs_on(int gpu) const {
        const OnDevice current(gpu);
        const auto& stream = *streams[static_cast<std::size_t>(gpu)];
        const std::span<const std::byte> all(target.of(gpu), whole);
        const auto on = "GPU " + std::to_string(gpu) + ": ";
        for (std::size_t i = 0; i < sending.size(); ++i)
            if (const auto at =
                    first_unlike_payload(stream, all.subspan(guard_bytes + i * bytes, bytes), sending[i]->place))
                return on + "byte " + std::to_string(*at) + " of " + std::to_string(bytes) + " from GPU " +
                       std::to_string(i) + " differs from the reference";
        for (const auto around : {all.first(guard_bytes), all.last(guard_bytes)})
            if (first_unlike(stream, around, Guarded::guard)) return on + "a byte around what was stored was changed";
        return "";
    }

    const int count;
    const std::size_t bytes;
    const std::size_t whole;
    unsigned multiprocessors = 1;
    MulticastMemory target;
    std::vector<std::unique_ptr<Stream>> streams{};
    std::vector<std::unique_ptr<Sender>> sending{};
    std::independent_bits_engine<std::mt19937_64, 56, std::uint64_t> draw{std::random_device{}()};
};

class Multicast final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_no_pair(set, count); !why.empty()) return why;
        if (count > int{MulticastTarget::most_gpus})
            return "at most " + std::to_string(MulticastTarget::most_gpus) + " GPUs are supported; there are " +
                   std::to_string(count);
        if (auto why = why_not_capable(gpu_facts(), 90); !why.empty()) return why;
        if (auto why = why_no_multicast(count); !why.empty()) return why;
        std::map<int, std::size_t> needed;
        const auto received = static_cast<std::size_t>(senders_of(set)) * bytes_of(set) + 2 * guard_bytes;
        for (int gpu = 0; gpu < count; ++gpu) needed[gpu] = allocated_bytes({received, bytes_of(set)});
        return why_no_room(needed);
    }

    Trial trial(const Parameters& set) override {
        const auto senders = senders_of(set);
        const auto exchange = std::make_shared<Exchange>(count, senders, bytes_of(set));
        const auto stored = senders * copies_in_a_row(bytes_of(set)) * whole(set, "bytes");
        Trial trial{.bytes_one_way = stored,
                    .bytes_touched = (1 + count) * stored,
                    .compared = "every byte, and " + std::to_string(guard_bytes) +
                                " bytes before and after, of each GPU by itself",
                    .differs = [exchange] { return exchange->what_differs(); },
                    .timing = Queued{.operation = [exchange](const Stream& on) { exchange->flows.queue(on); },
                                     .commands = exchange->flows.operations()}};
        describe_gpus(trial, set, true);
        return trial;
    }

private:
    int senders_of(const Parameters& set) const { return text(set, "senders") == "one" ? 1 : count; }

    const int count = count_of_gpus();
};

const RegisteredBenchmark registered{{
    .benchmark =
        {.name = "pairs/multicast",
         .summary = "stores by the first GPU or by each at once that the switch brings to all GPUs (multicast)",
         .how = "two events on a stream of the first GPU, around several kernels in a row on each GPU that sends, "
                "which load its memory and store to all (multimem.st); GB/s is the sum of what is stored, each "
                "byte counted once, and `touched` what is read and what arrives at all GPUs, the sender too",
         .clock = Clock::device,
         .parameters = {{"bytes", {64 * mib}}, {"senders", {}}},
         .full = {{"bytes", {mib, 64 * mib, gib}}, {"senders", {"one", "all"}}},
         .allowed = {{"bytes", {.least = MulticastTarget::word_bytes, .multiple_of = MulticastTarget::word_bytes}}},
         .needs = {.gpus = 2},
         .cost = {.bytes = Handling::on_gpu, .all_gpus = true}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Multicast>(); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::multicast
