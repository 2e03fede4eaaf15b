// tocuda, Apache-2.0.
// Exchanges of a flag, one after another, between a thread of a GPU and one of another GPU or of the host: how they are
// timed and checked.
#pragma once

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "kernels/flag.hpp"
#include "kernels/timed_chase.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/trial.hpp"

namespace tocuda {

// Fewer on simulated GPUs, which look at a flag only now and then.
inline unsigned flag_turns() { return gpus_are_simulated() ? 2 : 2048; }

inline std::string how_flags_are_passed() {
    return "pass a flag to and fro 2,048 times: each waits until its own has the next number, and then sets the "
           "other's, by volatile loads and stores without a fence. The one that begins reads its GPU's globaltimer and "
           "cycles before and after, once the flag has gone to and fro untimed; the median is the time of one way, "
           "half of a turn. A side that waits for 1 s gives up, and the row is wrong";
}

inline unsigned* flag_at(std::byte* line) { return reinterpret_cast<unsigned*>(line); }

inline std::string why_no_kernels_at_once() {
    const char* blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
    const bool waits = blocking && *blocking && std::string(blocking) != "0";
    return waits ? "CUDA_LAUNCH_BLOCKING is set: a launch would wait for a kernel that waits for the next" : "";
}

// Made while the GPU of the side that begins is current.
class FlagGame {
public:
    FlagGame() = default;
    FlagGame(const FlagGame&) = delete;
    FlagGame& operator=(const FlagGame&) = delete;
    virtual ~FlagGame() = default;

    // In this stream of the first side's GPU, which goes on when both sides have ended.
    void queue(const Stream& first, unsigned turns = flag_turns()) {
        exchange.base = exchange.last();  // no number is sent twice
        exchange.turns = turns;
        queue(first, exchange);
    }

    std::string what_differs() {
        const OnDevice current(device);
        play(flag_turns());
        if (auto why = what_did_not_arrive(); !why.empty()) return why;
        const bool advanced = of_first.host()->cycles > 0 && of_first.host()->nanoseconds > 0;
        return advanced || gpus_are_simulated() ? "" : "the GPU's clocks did not advance meanwhile";
    }

    // The clocks of a simulated GPU stand still in a kernel: there, it is the time between two events, of twice as many
    // turns less that of these.
    double seconds() {
        const OnDevice current(device);
        const auto between = play(flag_turns());
        if (const auto why = what_did_not_arrive(); !why.empty()) throw std::runtime_error(why);
        if (gpus_are_simulated()) return play(2 * flag_turns()) - between;
        return 1e-9 * static_cast<double>(of_first.host()->nanoseconds);
    }

    double cycles() const { return static_cast<double>(of_first.host()->cycles); }
    double tick_seconds() const { return tick; }

protected:
    void between_sides(const FlagSide& first, const FlagSide& second) {
        exchange.first = first;
        exchange.second = second;
        exchange.of_first = of_first.device();
        exchange.of_second = of_second.device();
    }

private:
    virtual void queue(const Stream& first, const FlagExchange& both) = 0;
    virtual void wait_for_host() {}  // if it is one of the sides

    // Returns the time between two events.
    double play(unsigned turns) {
        *of_first.host() = {};
        *of_second.host() = {};
        before.record(stream);
        queue(stream, turns);
        after.record(stream);
        stream.synchronize();
        wait_for_host();
        return seconds_between(before, after);
    }
    std::string what_did_not_arrive() const {
        return tocuda::what_did_not_arrive(exchange, *of_first.host(), *of_second.host());
    }

    int device = current_device();
    FlagExchange exchange{};
    Stream stream{};
    Event before{};
    Event after{};
    MappedMemory<FlagArrivals> of_first{};
    MappedMemory<FlagArrivals> of_second{};
    double tick = timer_step_seconds(stream);
};

inline Trial trial_of(const std::shared_ptr<FlagGame>& game) {
    Trial trial{
        .compared = "that each number arrived at both sides, and that both clocks advanced",
        .differs = [game] { return game->what_differs(); },
        .timing = SelfTimed{.seconds = [game] { return game->seconds(); },
                            .together = std::int64_t{2} * flag_turns(),
                            .cycles = [game] { return game->cycles(); },
                            .tick_seconds = game->tick_seconds(),
                            .busy = {.operation = [game](const Stream& on) { game->queue(on); }, .commands = 4}}};
    if (gpus_are_simulated())
        trial.flags.emplace_back("simulated: one way takes as long as a load over the slower direction of the link");
    return trial;
}

}  // namespace tocuda
