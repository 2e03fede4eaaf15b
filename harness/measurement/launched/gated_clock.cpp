// tocuda, Apache-2.0.
// A batch between two events behind a closed gate: the GPU begins once everything is queued, so that nothing waits for the host.
#include "measurement/gated_clock.hpp"

#include <stdexcept>

#include "measurement/device_memory.hpp"
#include "measurement/gate_kernel.hpp"
#include "measurement/launch.hpp"
#include "measurement/load_kernel.hpp"
#include "measurement/mapped_memory.hpp"
#include "measurement/stream.hpp"

namespace tocuda {
namespace {

constexpr std::uint64_t patience_ns = 2'000'000'000;

// Closed from its making to its end, so that a stream is never left waiting.
class ClosedGate {
public:
    ClosedGate(const MappedMemory<GateState>& in, const Stream& stream) : state(in) {
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
        ClosedGate(gate, main).open();
        first.record(main);
        last.record(main);
        beside_ends.record(beside);
        main.synchronize();
        static_cast<void>(busy_megahertz());
    }

    void rehearse(const Trial& trial) override {
        trial.queue(main);
        if (trial.beside) trial.beside(beside);
        wait();
    }

    Batch batch(const Trial& trial, std::int64_t count) override {
        {
            const auto closed = queued(trial, count);
        }
        wait();
        complain_if_it_opened_itself();
        Batch taken{.seconds = seconds_between(first, last)};
        if (trial.beside && seconds_between(last, beside_ends) < 0) taken.flags.emplace_back("beside_ended_early");
        return taken;
    }

    bool while_busy(const Trial& trial, std::int64_t count, const std::function<void()>& look) override {
        {
            const auto closed = queued(trial, count);
        }
        static_cast<void>(last.reached());  // a simulated GPU sees an open gate when it is asked
        look();
        const bool busy = !last.reached();
        wait();
        return busy;
    }

    std::optional<double> busy_megahertz() override {
        launch(main, Grid{.blocks = multiprocessors, .threads = 256}, BusyCycles{}, cycles, pace.device());
        main.synchronize();
        const auto& seen = *pace.host();
        if (seen.nanoseconds == 0) return std::nullopt;
        const auto megahertz = static_cast<double>(seen.cycles) * 1e3 / static_cast<double>(seen.nanoseconds);
        cycles = static_cast<long long>(megahertz * 1e3);  // of about a millisecond
        return megahertz;
    }

private:
    // What goes on beside is behind the same gate, begins no later, and is queued twice as often, so that it outlasts what is timed.
    std::unique_ptr<ClosedGate> queued(const Trial& trial, std::int64_t count) {
        auto closed = std::make_unique<ClosedGate>(gate, trial.beside ? beside : main);
        if (trial.beside) {
            open_beside.record(beside);
            main.wait_for(open_beside);
        }
        first.record(main);
        for (std::int64_t i = 0; i < count; ++i) {
            trial.queue(main);
            for (int twice = 0; trial.beside && twice < 2; ++twice) trial.beside(beside);
        }
        last.record(main);
        if (trial.beside) beside_ends.record(beside);
        return closed;
    }

    void wait() const {
        main.synchronize();
        beside.synchronize();
    }

    void complain_if_it_opened_itself() const {
        if (gate.host()->opened_itself != 0)
            throw std::runtime_error("the gate opened by itself after 2 s: something that was queued behind it waits for the GPU");
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
    MappedMemory<GateState> gate{};
    MappedMemory<Pace> pace{};
    unsigned multiprocessors = multiprocessors_here();
    long long cycles = 1'000'000;
};

}  // namespace

std::unique_ptr<DeviceClock> gated_clock() { return std::make_unique<GatedClock>(); }

}  // namespace tocuda
