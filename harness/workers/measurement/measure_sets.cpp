// tocuda, Apache-2.0.
// Skips, checks, samples, checks again and reports each set; a failure affects only its own set.
#include "measurement/measure_sets.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <numeric>
#include <utility>

#include "measurement/first_line.hpp"
#include "measurement/host_time.hpp"
#include "measurement/sampling.hpp"
#include "model/parameter_values.hpp"
#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

struct ContextLost {};

// The bench, set up without the largest sets if those failed; with the reason, and the sets left out.
struct SetUp {
    std::unique_ptr<Bench> bench{};
    std::string why_not{};
    std::vector<Parameters> left_out{};
};

SingleTimes tail_of(const std::vector<double>& singles) {
    SingleTimes tail{.of = std::ssize(singles), .p50 = median(singles), .largest = *std::ranges::max_element(singles)};
    if (tail.of >= p99_least) tail.p99 = quantile(singles, 0.99);
    return tail;
}

std::int64_t size_of(const Parameters& set) { return whole_if_any(set, "bytes").value_or(0); }

// Memory that was reported free may not be available; then tries again without the largest sets.
SetUp set_up(const Measurable& measurable, std::vector<Parameters> sets, Instruments& instruments) {
    SetUp up;
    while (true) {
        try {
            up.bench = measurable.set_up(sets);
            return up;
        } catch (const std::exception& error) {
            up.why_not = first_line(error);
        }
        if (instruments.lost()) return up;  // also clears a past error, which the next launch would return
        std::int64_t largest = 0;
        for (const auto& set : sets) largest = std::max(largest, size_of(set));
        const auto rest = std::stable_partition(sets.begin(), sets.end(),
                                                [&](const Parameters& set) { return size_of(set) < largest; });
        if (rest == sets.begin()) return up;
        up.left_out.insert(up.left_out.end(), rest, sets.end());
        sets.erase(rest, sets.end());
    }
}

std::string why_not_allowed(const Parameters& set, const Benchmark& benchmark) {
    for (const auto& [name, value] : set)
        if (auto why = tocuda::why_not_allowed(benchmark, name, value); !why.empty()) return why;
    return "";
}

std::string why_skipped(const Parameters& set, const Benchmark& benchmark, const SetUp& up) {
    auto why = why_not_allowed(set, benchmark);
    return why.empty() && up.bench ? up.bench->why_skipped(set) : why;
}

class Driver {
public:
    Driver(const Benchmark& measured, const SetUp& set_up, const Protocol& rules, Instruments& clocks,
           const SaySamples& say_samples, Company* other_processes)
        : benchmark(measured), up(set_up), protocol(rules), instruments(clocks), say(say_samples),
          company(other_processes) {}

    void measure(const std::vector<Parameters>& group) {
        std::vector<Sampled> members;
        for (const auto& set : group)
            members.push_back({.samples = {.parameters = set, .clock = benchmark.clock, .gpu = instruments.gpu()}});
        each(members, [&](Sampled& member) { make(member); });
        each(members, [&](Sampled& member) { check(member, "before"); });
        instruments.move_bytes(false);
        each(members, [&](Sampled& member) {
            settle(benchmark.clock, member, instruments, protocol.gate);
            if (!member.trial.elsewhere) member.samples.before = instruments.telemetry();
        });
        meet(members);
        take_samples(benchmark, members, protocol, instruments, guard());
        each(members, [&](Sampled& member) {
            if (member.trial.queued().seconds > 0) sustain(member);
        });
        part(members);
        each(members, [&](Sampled& member) {
            if (member.trial.queued().others && !member.samples.seconds.empty()) time_ranks(member);
        });
        each(members, [&](Sampled& member) {
            if (member.trial.elsewhere) return;
            member.samples.after = instruments.telemetry();
            if (benchmark.clock == Clock::device && !member.samples.seconds.empty()) read_under_load(member);
        });
        instruments.move_bytes(true);
        each(members, [&](Sampled& member) { check(member, "after"); });
        for (auto& member : members) finish(member);
    }

private:
    void each(std::vector<Sampled>& members, const std::function<void(Sampled&)>& step) {
        for (auto& member : members)
            if (member.samples.status == Status::ok) guarded(member, [&] { step(member); });
    }

    Guard guard() {
        return [this](Sampled& member, const std::function<void()>& step) { guarded(member, step); };
    }

    static bool all_ok(const std::vector<Sampled>& members) {
        return std::all_of(members.begin(), members.end(),
                           [](const Sampled& member) { return member.samples.status == Status::ok; });
    }

    // In a group of processes, every GPU is busy from before the first sample of any of them until after the last of
    // all.
    void meet(std::vector<Sampled>& members) {
        if (!company) return;
        company->arrive(all_ok(members));
        keep_busy(benchmark.clock, members, instruments, guard(), [this] { return !company->all_arrived(); });
        const auto why = company->why_not_begun();
        if (!why.empty()) each(members, [&](Sampled& member) { close(member, Status::skipped, why); });
    }

    void part(std::vector<Sampled>& members) {
        if (!company) return;
        company->finish(all_ok(members));
        keep_busy(benchmark.clock, members, instruments, guard(), [this] { return !company->all_finished(); });
        const auto why = company->why_not_beside();
        if (!why.empty()) each(members, [&](Sampled& member) { close(member, Status::failed, why); });
    }

    // A failure closes only this member. If the context is lost, only this member is reported.
    void guarded(Sampled& member, const std::function<void()>& step) {
        try {
            step();
        } catch (const std::exception& error) {
            close(member, Status::failed, first_line(error));
            if (!instruments.lost()) return;
            say(member.samples);
            instruments.leave();
            throw ContextLost{};
        }
    }

    static void close(Sampled& member, Status status, std::string why) {
        member.samples.status = status;
        member.samples.check = std::move(why);
        member.samples.seconds.clear();
        member.samples.course.clear();
    }

    void make(Sampled& member) {
        auto& samples = member.samples;
        if (const auto why = why_skipped(samples.parameters, benchmark, up); !why.empty())
            return close(member, Status::skipped, why);
        if (std::find(up.left_out.begin(), up.left_out.end(), samples.parameters) != up.left_out.end())
            return close(member, Status::failed, up.why_not);
        member.trial = up.bench->trial(samples.parameters);
        samples.bytes_one_way = member.trial.bytes_one_way;
        samples.bytes_touched = member.trial.bytes_touched;
        samples.items = member.trial.items;
        samples.peak = member.trial.peak;
        samples.peer = member.trial.peer;
        samples.from = member.trial.from;
        samples.to = member.trial.to;
        samples.flags = member.trial.flags;
        if (const auto* timed = member.trial.self_timed(); timed && timed->tick_seconds > 0)
            samples.tick_seconds = timed->tick_seconds;
        if (member.trial.elsewhere)
            add_flags(samples.flags,
                      {"clocks and temperature are unknown: only those of GPU 0 are read, which takes no part"});
        if (!samples.peak.doubt.empty()) add_flag(samples.flags, samples.peak.doubt);
    }

    // Batches of their own, because the other GPUs wait for the first one, as they do not for the samples.
    void time_ranks(Sampled& member) {
        constexpr int batches = 5;
        std::vector<double> means, slowest;
        RankTimes ranks;
        for (int taken = 0; taken < batches; ++taken) {
            const auto seconds = instruments.each_gpu(member.trial, member.samples.batch);
            if (seconds.empty()) return;
            ranks.of = std::ssize(seconds);
            const auto sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
            const auto operations = static_cast<double>(member.samples.batch);
            means.push_back(sum / static_cast<double>(seconds.size()) / operations);
            slowest.push_back(*std::ranges::max_element(seconds) / operations);
        }
        ranks.mean = median(means);
        ranks.slowest = median(slowest);
        member.samples.ranks = ranks;
    }

    // If the operations ended first, tries again with more of them: the reading has shown how long it takes. Without
    // one nothing is known of the clocks under load, so the row says so where there are clocks to be read.
    void read_under_load(Sampled& member) {
        auto& samples = member.samples;
        for (std::int64_t tried = 0; !samples.during;) {
            const auto count = count_for_reading(member.trial, samples.seconds.back(), instruments.reading_seconds(),
                                                 instruments.queue_depth());
            if (count <= tried) break;
            samples.during = instruments.telemetry_during(member.trial, tried = count);
        }
        // Simulated operations end at once in the time in which this process reads.
        if (!samples.during && protocol.gate && samples.after->sm_clock_mhz && !virtual_seconds())
            add_flag(samples.flags, "not_read_under_load");
    }

    // The samples so far say how long one operation takes; what counts are those of each second.
    void sustain(Sampled& member) {
        const double one = median(std::exchange(member.samples.seconds, {}));
        instruments.sustain(member.trial, one, member.samples);
    }

    void check(Sampled& member, const char* when) {
        const auto difference = member.trial.differs ? member.trial.differs() : "";
        if (difference.empty()) member.samples.check = member.trial.compared;
        else close(member, Status::wrong, difference + " (" + when + " it was timed)");
    }

    void finish(Sampled& member) {
        const auto& seconds = member.samples.seconds;
        if (member.samples.status == Status::ok &&
            std::any_of(seconds.begin(), seconds.end(), [](double each) { return !(each > 0); })) {
            member.samples.status = Status::invalid;
            member.samples.check = "the clock did not advance";
        }
        if (!seconds.empty() && !member.cycles.empty()) member.samples.cycles = median(member.cycles);
        if (!seconds.empty() && !member.singles.empty()) member.samples.tail = tail_of(member.singles);
        say(member.samples);
    }

    const Benchmark& benchmark;
    const SetUp& up;
    const Protocol& protocol;
    Instruments& instruments;
    const SaySamples& say;
    Company* company;
};

// Groups the sets that differ only in the alternating parameter, in the order of each group's first set.
std::vector<std::vector<Parameters>> groups(const Benchmark& benchmark, const std::vector<Parameters>& sets) {
    std::vector<std::vector<Parameters>> all;
    std::vector<Parameters> keys;
    for (const auto& set : sets) {
        auto key = set;
        key.erase(benchmark.alternates);
        const auto found = benchmark.alternates.empty() ? keys.end() : std::find(keys.begin(), keys.end(), key);
        if (found != keys.end()) {
            all[static_cast<std::size_t>(found - keys.begin())].push_back(set);
            continue;
        }
        keys.push_back(key);
        all.push_back({set});
    }
    return all;
}

std::vector<Parameters> allowed_of(const std::vector<Parameters>& sets, const Benchmark& benchmark) {
    std::vector<Parameters> allowed;
    std::copy_if(sets.begin(), sets.end(), std::back_inserter(allowed),
                 [&](const Parameters& set) { return why_not_allowed(set, benchmark).empty(); });
    return allowed;
}

}  // namespace

SetsEnded measure_sets(const Measurable& measurable, const std::vector<Parameters>& sets, const Protocol& protocol,
                       Instruments& instruments, const SaySamples& say, Company* company) {
    const auto allowed = allowed_of(sets, measurable.benchmark);
    const auto up = allowed.empty() ? SetUp{} : set_up(measurable, allowed, instruments);
    if (!up.bench && !allowed.empty()) {
        for (const auto& set : sets)
            say({.parameters = set,
                 .status = Status::failed,
                 .check = up.why_not,
                 .clock = measurable.benchmark.clock});
        if (!instruments.lost()) return SetsEnded::whole;
        instruments.leave();
        return SetsEnded::lost;
    }
    if (!protocol.gate) instruments.without_gate();
    try {
        Driver driver(measurable.benchmark, up, protocol, instruments, say, company);
        for (const auto& group : groups(measurable.benchmark, sets)) driver.measure(group);
    } catch (const ContextLost&) {
        return SetsEnded::lost;
    }
    return SetsEnded::whole;
}

void say_what_is_skipped(const Measurable& measurable, const std::vector<Parameters>& sets, Instruments& instruments,
                         const SaySamples& say) {
    const auto& benchmark = measurable.benchmark;
    const auto allowed = allowed_of(sets, benchmark);
    const auto up = allowed.empty() ? SetUp{} : set_up(measurable, allowed, instruments);
    for (const auto& set : sets)
        if (const auto why = why_skipped(set, benchmark, up); !why.empty())
            say({.parameters = set,
                 .status = Status::skipped,
                 .check = why,
                 .clock = benchmark.clock,
                 .gpu = instruments.gpu()});
}

}  // namespace tocuda
