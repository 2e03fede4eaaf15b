// tocuda, Apache-2.0.
// Stores that the switch between the GPUs brings to all of them: by one GPU, or by each at once.
#include "runtime_calls/multicast.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/benchmarks/pairs.hpp"
#include "kernels/multicast_copy.hpp"
#include "measurement/check.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::kernels::multicast {
namespace {

constexpr std::size_t guard_bytes = 256;
constexpr std::byte guard{0xC3};
constexpr std::int64_t copies_in_a_row = 4;  // because starting and joining streams of several GPUs takes microseconds

// The members belong to the GPU that was current when they were made.
struct Sender {
    explicit Sender(std::size_t bytes) : memory(bytes) {}
    DeviceMemory memory;
    Stream stream{};
    Event ended{cudaEventDisableTiming};
    std::size_t place = 0;  // of its payload
};

// The memory of all GPUs has a guard, what each sender stores, and a guard.
class Exchange {
public:
    Exchange(int gpus, int senders, std::size_t size)
        : count(gpus), bytes(size), whole(guard_bytes + static_cast<std::size_t>(senders) * size + guard_bytes),
          target(gpus, whole) {
        for (int gpu = 0; gpu < count; ++gpu) {
            const OnDevice current(gpu);
            multiprocessors = gpu_facts().multiprocessors;
            checking.push_back(std::make_unique<Stream>());
            if (gpu < senders) sending.push_back(std::make_unique<Sender>(bytes));
        }
    }

    // All begin after what `main` holds, and `main` goes on when all have ended.
    void queue(const Stream& main, std::int64_t copies) const {
        started.record(main);
        for (std::size_t i = 0; i < sending.size(); ++i) {
            const OnDevice current(static_cast<int>(i));
            const auto& sender = *sending[i];
            sender.stream.wait_for(started);
            for (std::int64_t copy = 0; copy < copies; ++copy)
                launch_multicast(sender.stream, target_of(i), sender.memory.get(), bytes, multiprocessors);
            sender.ended.record(sender.stream);
            main.wait_for(sender.ended);
        }
    }

    std::string what_differs() {
        for (int gpu = 0; gpu < count; ++gpu) {
            const OnDevice current(gpu);
            const auto& stream = *checking[static_cast<std::size_t>(gpu)];
            require("cudaMemsetAsync",
                    cudaMemsetAsync(target.of(gpu), std::to_integer<int>(guard), whole, stream.get()));
            stream.synchronize();
        }
        for (std::size_t i = 0; i < sending.size(); ++i) {
            const OnDevice current(static_cast<int>(i));
            auto& sender = *sending[i];
            sender.place = draw() / sizeof(std::uint64_t) * sizeof(std::uint64_t);
            write_payload(sender.stream, {sender.memory.get(), bytes}, sender.place);
        }
        queue(alone, 1);
        alone.synchronize();
        std::string wrong;
        for (int gpu = 0; gpu < count && wrong.empty(); ++gpu) wrong = what_differs_on(gpu);
        return wrong;
    }

    std::int64_t operations() const {
        return std::max(1 + static_cast<std::int64_t>(sending.size()), copies_in_a_row + 2);
    }

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
        const auto& stream = *checking[static_cast<std::size_t>(gpu)];
        const std::span<const std::byte> all(target.of(gpu), whole);
        const auto on = "GPU " + std::to_string(gpu) + ": ";
        for (std::size_t i = 0; i < sending.size(); ++i)
            if (const auto at =
                    first_unlike_payload(stream, all.subspan(guard_bytes + i * bytes, bytes), sending[i]->place))
                return on + "byte " + std::to_string(*at) + " of " + std::to_string(bytes) + " from GPU " +
                       std::to_string(i) + " differs from the reference";
        for (const auto around : {all.first(guard_bytes), all.last(guard_bytes)})
            if (first_unlike(stream, around, guard)) return on + "a byte around what was stored was changed";
        return "";
    }

    const int count;
    const std::size_t bytes;
    const std::size_t whole;
    unsigned multiprocessors = 1;
    MulticastMemory target;
    std::vector<std::unique_ptr<Stream>> checking{};
    std::vector<std::unique_ptr<Sender>> sending{};
    Stream alone{};  // of the first GPU, as the stream that is timed
    Event started{cudaEventDisableTiming};
    std::independent_bits_engine<std::mt19937_64, 56, std::uint64_t> draw{std::random_device{}()};
};

class Multicast final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_no_pair(set, count); !why.empty()) return why;
        if (count > int{MulticastTarget::most_gpus})
            return "at most " + std::to_string(MulticastTarget::most_gpus) + " GPUs are supported; there are " +
                   std::to_string(count);
        if (auto why = why_not_among(set, "senders", {"one", "all"}); !why.empty()) return why;
        if (bytes_of(set) == 0 || bytes_of(set) % MulticastTarget::word_bytes != 0)
            return "bytes must be a multiple of " + std::to_string(MulticastTarget::word_bytes) + ", not " +
                   std::to_string(bytes_of(set));
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
        const auto stored = senders * copies_in_a_row * whole(set, "bytes");
        Trial trial{.bytes_one_way = stored,
                    .bytes_touched = (1 + count) * stored,
                    .compared = "every byte, and " + std::to_string(guard_bytes) +
                                " bytes before and after, of each GPU by itself",
                    .differs = [exchange] { return exchange->what_differs(); },
                    .queue = [exchange](const Stream& on) { exchange->queue(on, copies_in_a_row); },
                    .operations = exchange->operations()};
        describe_gpus(trial, set, true);
        return trial;
    }

private:
    int senders_of(const Parameters& set) const { return text(set, "senders") == "one" ? 1 : count; }

    const int count = count_of_gpus();
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "pairs/multicast",
                  .summary =
                      "stores by the first GPU or by each at once that the switch brings to all GPUs (multicast)",
                  .how =
                      "two events on a stream of the first GPU, around four kernels in a row on each GPU that sends, "
                      "which load its memory and store to all (multimem.st); GB/s is the sum of what is stored, each "
                      "byte counted once, and `touched` what is read and what arrives at all GPUs, the sender too",
                  .clock = Clock::device,
                  .parameters = {{"bytes", {64 * mib}}, {"senders", {}}},
                  .full = {{"bytes", {mib, 64 * mib, gib}}, {"senders", {"one", "all"}}},
                  .needs = {.gpus = 2}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Multicast>(); },
}};

}  // namespace
}  // namespace tocuda::kernels::multicast
