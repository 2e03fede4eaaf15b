// tocuda, Apache-2.0.
// Times a batch between two events behind a closed gate: the GPU starts once everything is queued, so that it never
// waits for the host.
#include <sys/utsname.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/cuda_instruments.hpp"
#include "measurement/launch.hpp"
#include "measurement/sampling.hpp"

namespace tocuda {

// In host memory that the GPU can access.
struct GateState {
    std::uint32_t open = 0;
    std::uint32_t opened_itself = 0;
    std::int64_t first_asked_ns = 0;  // simulated GPUs only, which do not poll
};

// A one-thread kernel that holds its stream until the host opens it, or until it has waited too long.
struct Gate {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, GateState* state, std::uint64_t patience) const {
        const auto began = block.nanoseconds();
        while (block.seen(&state->open) == 0) {
            if (block.nanoseconds() - began >= patience) {
                block.show(&state->opened_itself, 1);
                return;
            }
            block.pause();
        }
    }

    // A simulated GPU calls this instead of polling. It uses the host's real time, because virtual time stands still
    // while a gate is closed.
    static bool ready(GateState* state, std::uint64_t patience) {
        if (std::atomic_ref(state->open).load() != 0) return true;
        const auto now =
            std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
                .count();
        std::int64_t first = 0;
        if (std::atomic_ref(state->first_asked_ns).compare_exchange_strong(first, now)) first = now;
        if (static_cast<std::uint64_t>(now - first) < patience) return false;
        std::atomic_ref(state->opened_itself).store(1);
        return true;
    }
};

struct Pace {
    long long cycles = 0;
    unsigned long long nanoseconds = 0;
};

// Keeps SMs busy for a number of cycles and records how long that took.
struct BusyCycles {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, long long cycles, Pace* pace) const {
        const auto began_ns = block.nanoseconds();
        const auto began = block.cycles();
        float product = static_cast<float>(block.thread + 1);
        while (block.cycles() - began < cycles)
            for (int i = 0; i < 64; ++i) product = product * 1.0000001F + 0.5F;
        if (block.block != 0 || block.thread != 0) {
            if (product == -1) pace->cycles = 0;  // never true, but keeps the compiler from removing the product
            return;
        }
        pace->cycles = block.cycles() - began;
        pace->nanoseconds = block.nanoseconds() - began_ns;
    }

    // For simulated GPUs, whose SMs have no clock that a kernel could measure.
    static double simulated_seconds(long long, const Pace*) { return 1e-3; }
};

namespace {

std::uint64_t patience_here_ns() {
    utsname system{};
    return gate_patience_ns(::uname(&system) == 0 ? std::string_view(system.release) : std::string_view());
}

// Closes the gate for its lifetime, so that no stream is left waiting after an exception.
class ClosedGate {
public:
    ClosedGate(const MappedMemory<GateState>& memory, const Stream& stream, std::uint64_t patience_ns) : state(memory) {
        *state.host() = {};
        launch(stream, Grid{}, Gate{}, state.device(), patience_ns);
    }
    ClosedGate(const ClosedGate&) = delete;
    ClosedGate& operator=(const ClosedGate&) = delete;
    ~ClosedGate() { open(); }

    void open() { std::atomic_ref(state.host()->open).store(1); }

private:
    const MappedMemory<GateState>& state;
};

class GatedClock final : public DeviceClock {
public:
    GatedClock() {
        first.record(main);
        last.record(main);
        beside_ends.record(beside);
        main.synchronize();
        static_cast<void>(busy_megahertz());
    }

    void rehearse(const Queued& queued) override {
        load_gate();
        queued.operation(main);
        if (queued.beside) queued.beside(beside, 0, 1);
        wait();
    }

    Batch batch(const Queued& queued, std::int64_t count) override {
        {
            const auto closed = close_and_queue(queued, count);
        }
        wait();
        if (opened_itself(queued, count)) {
            if (count > 1) return {.too_deep = true};
            throw std::runtime_error("the gate opened by itself after " + std::to_string(patience_ns / 1'000'000'000) +
                                     " s: an operation queued behind it waits for the GPU");
        }
        Batch taken{.seconds = seconds_between(first, last)};
        if (!queued.beside) return taken;
        taken.beside = beside_within(taken.seconds);
        if (seconds_between(last, beside_ends) < 0) taken.flags.emplace_back("beside_ended_early");
        return taken;
    }

    std::vector<double> each_gpu(const Queued& queued, std::int64_t count) override {
        {
            const auto closed = close_and_queue(queued, count, queued.others.get());
        }
        wait();
        if (opened_itself(queued, count)) return {};
        auto seconds = queued.others->seconds();
        seconds.insert(seconds.begin(), seconds_between(first, last));
        return seconds;
    }

    std::int64_t queue_depth() const override { return depth; }

    void without_gate() override { gated = false; }

    bool while_busy(const Queued& queued, std::int64_t count, const std::function<void()>& look) override {
        if (!gated) return false;
        {
            const auto closed = close_and_queue(queued, count);
        }
        static_cast<void>(last.reached());  // a simulated GPU notices the open gate when it is queried
        look();
        const bool busy = !last.reached();
        wait();
        return !opened_itself(queued, count) && busy;
    }

    std::optional<double> busy_megahertz() override {
        launch(main, Grid{.blocks = multiprocessors, .threads = 256}, BusyCycles{}, cycles, pace.device());
        main.synchronize();
        const auto& seen = *pace.host();
        if (seen.nanoseconds == 0) return std::nullopt;
        const auto megahertz = static_cast<double>(seen.cycles) * 1e3 / static_cast<double>(seen.nanoseconds);
        cycles = static_cast<long long>(megahertz * 1e3);  // about a millisecond
        return megahertz;
    }

private:
    // The operations in the other direction wait behind the same gate and start no later.
    std::unique_ptr<ClosedGate> close_and_queue(const Queued& queued, std::int64_t count,
                                                const OtherGpus* others = nullptr) {
        if (queued.beside && marks.empty()) marks.resize(marks_most);
        auto closed = close(queued.beside ? beside : main);
        if (queued.beside) {
            open_beside.record(beside);
            main.wait_for(open_beside);
        }
        first.record(main);
        if (others) others->begin(first);
        for (std::int64_t i = 0; i < count; ++i) queued.operation(main);
        last.record(main);
        if (others) others->end();
        if (queued.beside) queue_beside(queued, count);
        return closed;
    }

    std::unique_ptr<ClosedGate> close(const Stream& stream) {
        if (!gated) return nullptr;
        load_gate();
        return std::make_unique<ClosedGate>(gate, stream, patience_ns);
    }

    // Loads its kernel, which may wait for the whole GPU, before the gate has to be closed or a load runs.
    void load_gate() {
        if (!gated || gate_was_closed) return;
        ClosedGate(gate, main, patience_ns).open();
        main.synchronize();
        gate_was_closed = true;
    }

    // Queues twice as many operations as are timed, so that these outlast them, in pieces so small that at least
    // sixteen run beside the timed ones. The end time of each piece shows how much counts.
    void queue_beside(const Queued& queued, std::int64_t count) {
        const auto parts = (pieces_least + count - 1) / count;  // of each operation
        const auto in_piece = std::max<std::int64_t>(1, count * parts / pieces_least);
        const auto all = 2 * count * parts;
        pieces.clear();
        for (std::int64_t i = 0; i < all; ++i) {
            queued.beside(beside, i % parts, parts);
            if ((i + 1) % in_piece != 0 && i + 1 != all) continue;
            marks.at(pieces.size()).record(beside);
            pieces.push_back(static_cast<double>(i % in_piece + 1) / static_cast<double>(parts));
        }
        beside_ends.record(beside);
    }

    double beside_within(double seconds) const {
        std::vector<Passed> passed;
        for (std::size_t i = 0; i < pieces.size(); ++i) passed.push_back({seconds_between(first, marks[i]), pieces[i]});
        return passed_within(seconds, seconds_between(first, open_beside), passed);
    }

    // True if the gate timed out. The caller then had to wait for the GPU, whose queue is shorter than assumed; if
    // there was only one operation, the caller waited for something else.
    bool opened_itself(const Queued& queued, std::int64_t count) {
        if (!gated || gate.host()->opened_itself == 0) return false;
        if (count == 1) return true;
        depth = queued_for(queued, count / 2);
        const auto text = "tocuda: the queue of this GPU does not hold " + std::to_string(queued_for(queued, count)) +
                          " operations; at most " + std::to_string(depth) + " are queued from now on\n";
        std::fputs(text.c_str(), stderr);
        return true;
    }

    void wait() const {
        main.synchronize();
        beside.synchronize();
    }

    static unsigned multiprocessors_here() {
        int device = 0;
        int count = 0;
        require("cudaGetDevice", cudaGetDevice(&device));
        require("cudaDeviceGetAttribute", cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
        return static_cast<unsigned>(count);
    }

    Stream main{};
    Stream beside{};
    Event open_beside{};
    Event first{};
    Event last{};
    Event beside_ends{};
    std::vector<Event> marks{};    // the ends of the pieces in the other direction; created before a gate is closed
    std::vector<double> pieces{};  // operations in each
    MappedMemory<GateState> gate{};
    const std::uint64_t patience_ns = patience_here_ns();
    bool gated = true;
    bool gate_was_closed = false;
    std::int64_t depth = queued_most;
    MappedMemory<Pace> pace{};
    unsigned multiprocessors = multiprocessors_here();
    long long cycles = 1'000'000;
};

}  // namespace

std::uint64_t gate_patience_ns(std::string_view kernel_release) {
    constexpr std::uint64_t second = 1'000'000'000;
    return kernel_release.find("icrosoft") != std::string_view::npos ? second : 2 * second;
}

std::unique_ptr<DeviceClock> gated_clock() { return std::make_unique<GatedClock>(); }

}  // namespace tocuda
