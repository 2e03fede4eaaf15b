// tocuda, Apache-2.0.
// Samples the members in turns.
#include "measurement/sampling.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

namespace tocuda {
namespace {

// With traffic in the other direction, a sample is one operation each way, at the rate at which both ran together.
double operations_of(const Sampled& member, const Batch& batch) {
    const auto count = static_cast<double>(member.samples.batch);
    return member.trial.queued().beside ? (count + batch.beside) / 2 : count;
}

// Times the member's batch, which it halves until the queue holds it. A single operation always fits, or the GPU's
// clock throws.
Batch batch_that_the_queue_holds(Sampled& member, Instruments& instruments) {
    auto& count = member.samples.batch;
    auto taken = instruments.batch(member.trial, count);
    while (taken.too_deep) {
        count = std::min(std::max<std::int64_t>(1, count / 2),
                         batch_most(member.trial.queued(), instruments.queue_depth()));
        taken = instruments.batch(member.trial, count);
    }
    return taken;
}

void count_cycles(Sampled& member) {
    const auto* timed = member.trial.self_timed();
    const auto cycles = timed && timed->cycles ? timed->cycles() : 0;
    if (cycles > 0) member.cycles.push_back(cycles / static_cast<double>(member.samples.batch));
}

void keep_singles(Sampled& member) {
    const auto* timed = member.trial.self_timed();
    if (!timed || !timed->singles) return;
    const auto each = timed->singles();
    member.singles.insert(member.singles.end(), each.begin(), each.end());
}

}  // namespace

double passed_within(double seconds, double began, const std::vector<Passed>& passed) {
    double sum = 0;
    double pace_before = 0;  // seconds per operation
    for (const auto& [at, operations] : passed) {
        const auto lasted = at - began;
        const auto inside = std::min(at, seconds) - std::max(began, 0.0);
        began = std::max(began, at);
        if (!(lasted > 0) || !(operations > 0)) continue;
        auto pace = lasted / operations;
        if (at > seconds) pace = std::max(pace, pace_before);
        if (inside > 0) sum += inside / pace;
        pace_before = pace;
    }
    return sum;
}

double sample(Clock clock, Sampled& member, Instruments& instruments) {
    const auto& trial = member.trial;
    const auto* timed = trial.self_timed();
    if (trial.prepare && (clock == Clock::host || timed)) trial.prepare();
    if (timed) return timed->seconds() / static_cast<double>(member.samples.batch);
    if (clock == Clock::device) {
        const auto batch = batch_that_the_queue_holds(member, instruments);
        add_flags(member.samples.flags, batch.flags);
        return batch.seconds / operations_of(member, batch);
    }
    const auto before = instruments.now();
    std::get<Called>(trial.timing).operation();
    return instruments.now() - before;
}

void calibrate(Clock clock, Sampled& member, Instruments& instruments, bool gate) {
    auto& batch = member.samples.batch;
    const auto* timed = member.trial.self_timed();
    batch = timed ? timed->together : 1;
    if (clock == Clock::host || timed) return;
    instruments.rehearse(member.trial);
    if (!gate) return add_flag(member.samples.flags, "no_gate");
    // The batch chosen last has been tried, so that samples rarely find it too deep.
    for (int attempt = 0; attempt < 3; ++attempt) {
        const auto taken = batch_that_the_queue_holds(member, instruments);
        if (attempt == 2) return;
        batch = batch_for(member.trial.queued(), batch, taken.seconds,
                          batch_most(member.trial.queued(), instruments.queue_depth()));
    }
}

void settle(Clock clock, Sampled& member, Instruments& instruments, bool gate) {
    add_flags(member.samples.flags, instruments.settle());
    if (member.trial.warm) member.trial.warm();
    calibrate(clock, member, instruments, gate);
}

void keep_busy(Clock clock, std::vector<Sampled>& members, Instruments& instruments, const Guard& guarded,
               const std::function<bool()>& needed) {
    while (needed()) {
        bool any = false;
        for (auto& member : members) {
            if (member.samples.status != Status::ok) continue;
            any = true;
            const auto flags = member.samples.flags;
            guarded(member, [&] { sample(clock, member, instruments); });
            member.samples.flags = flags;
        }
        if (!any) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

void take_samples(const Benchmark& benchmark, std::vector<Sampled>& members, const Protocol& protocol,
                  Instruments& instruments, const Guard& guarded) {
    std::vector<std::size_t> order(members.size());  // the given order, which differs between processes
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto budget = protocol.launch_budget_s * static_cast<double>(members.size());
    const auto began = instruments.now();
    double own = 0;  // the reported seconds: an operation that times itself may not advance the host's clock
    for (int taken = 0; taken < protocol.launches_max; ++taken) {
        if (taken >= protocol.launches_min && std::max(own, instruments.now() - began) >= budget) return;
        for (const auto index : order) {
            auto& member = members[index];
            if (member.samples.status != Status::ok) continue;
            guarded(member, [&] {
                member.samples.seconds.push_back(sample(benchmark.clock, member, instruments));
                count_cycles(member);
                keep_singles(member);
            });
            if (member.trial.self_timed() && !member.samples.seconds.empty())
                own += member.samples.seconds.back() * static_cast<double>(member.samples.batch);
        }
        std::reverse(order.begin(), order.end());
    }
}

}  // namespace tocuda
