// tocuda, Apache-2.0.
#include "execution/bench_work.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "execution/bench_plan.hpp"
#include "execution/bench_words.hpp"
#include "json_lines/worker_lines.hpp"
#include "model/forecast.hpp"
#include "process/child.hpp"
#include "record/digest.hpp"

namespace tocuda {
namespace {

constexpr int silent_ends_most = 2;
constexpr double seconds_to_ask = 5;  // at least

// What the process reads from its standard input.
std::string words_for(const Protocol& protocol, const std::vector<Parameters>& sets) {
    auto words = to_line(protocol) + "\n";
    for (const auto& set : sets) words += to_line(set) + "\n";
    return words;
}

// The deadline of a process: long enough for the slowest machine, because only a hang should reach it.
double seconds_to_measure(const std::vector<Parameters>& sets, const Protocol& protocol) {
    constexpr double start_seconds = 30;
    constexpr double seconds_for_a_set = 2;
    constexpr double slowest_bytes_per_second = 1e8;
    constexpr double slowest_reads_per_second = 200;  // of a disk
    double seconds = start_seconds;
    for (const auto& set : sets) {
        seconds += seconds_for_a_set + 10 * (protocol.launch_budget_s + seconds_asked_for(set));
        const auto bytes = static_cast<double>(whole_if_any(set, "bytes").value_or(0));
        seconds += bytes / slowest_bytes_per_second;
        if (const auto block = whole_if_any(set, "block").value_or(0); block > 0)
            seconds += 10 * bytes / static_cast<double>(block) / slowest_reads_per_second;
    }
    return seconds;
}

void load_its_driver(const BenchUnit& unit, Job& job) {
    if (!unit.driver) return;
    job.libraries = unit.driver->folder;
    job.variables["TOCUDA_NAME_LIBCUDA"] = "1";
}

// A value counts only if its process loaded the libcuda that it had to. The row keeps the file's name.
void keep_to_driver(const BenchUnit& unit, Samples& samples) {
    if (!unit.driver) return;
    const auto loaded = std::exchange(samples.libcuda, std::filesystem::path(samples.libcuda).filename().string());
    if (samples.status != Status::ok || loaded == unit.driver->file) return;
    samples.status = Status::failed;
    samples.check =
        fmt::format("its process loaded {} instead of {}", loaded.empty() ? "no libcuda" : loaded, unit.driver->file);
    samples.seconds.clear();
}

}  // namespace

BenchWork::BenchWork(BenchRounds& what, const Place& where, BenchSettings how, OnRow out)
    : rounds(what), place(where), settings(std::move(how)), on_row(std::move(out)),
      next_process(settings.first_process) {
    settings.jobs = processes_at_a_time(place, rounds.all(), settings.jobs);
}

std::vector<Job> BenchWork::next() {
    if (!std::exchange(skipped_are_out, true))
        for (std::size_t unit = 0; unit < rounds.all().size(); ++unit)
            if (const auto& why = rounds.all()[unit].skipped; !why.empty()) give_up_on(unit, why, Status::skipped);
    if (static_cast<int>(running) >= settings.jobs) return {};
    const auto next = rounds.take(now() - settings.started);
    if (!next) {
        if (running == 0 && !std::exchange(cut_short_are_out, true)) hand_out_cut_short();
        return {};
    }
    if (rounds.round() != round_shown) in_round = rounds.waiting() + 1;
    round_shown = rounds.round();
    const auto& unit = rounds.all()[next->unit];
    const std::shared_ptr<Group> group(unit.at_once ? new Group{unit.gpus.size()} : nullptr);
    std::vector<Job> jobs;
    for (const auto& seat : seats_of(unit)) jobs.push_back(job_of(*next, seat, group));
    return jobs;
}

// Of the processes that run at once.
std::vector<BenchWork::Seat> BenchWork::seats_of(const BenchUnit& unit) {
    if (!unit.at_once) return {{unit.gpus}};
    std::vector<Seat> seats;
    std::map<int, int> count;
    for (const int gpu : unit.gpus) seats.push_back({{gpu}, ++count[gpu]});
    for (auto& seat : seats)
        if (count[seat.gpus[0]] == 1) seat.neighbour = 0;
    return seats;
}

Job BenchWork::job_of(const Assignment& next, const Seat& seat, const std::shared_ptr<Group>& group) {
    const auto& gpus = seat.gpus;
    const auto& unit = rounds.all()[next.unit];
    const auto simulation = unit.gpus.empty() ? std::string() : place.available.simulation;
    const auto child =
        std::make_shared<Running>(Running{next,
                                          seat,
                                          next_process++,
                                          now(),
                                          {unit.sweep->benchmark.clock, next.sets, uuids_of(gpus, place.line.gpus)},
                                          group});
    ++running;
    const double beside = settings.jobs * static_cast<double>(group ? unit.gpus.size() : 1);
    Job job{.command = {program_of(*unit.sweep->worker, !simulation.empty()), next.asks ? "skips" : "measure",
                        unit.sweep->benchmark.name},
            .input = words_for(settings.protocol, next.sets),
            .simulation = simulation,
            .base = unit.sweep->worker->environment,
            .gpus = gpus,
            .seconds = next.asks              ? std::max(seconds_to_ask, rounds.limit_seconds() / 10)
                       : settings.seconds > 0 ? settings.seconds
                                              : beside * seconds_to_measure(next.sets, settings.protocol)};
    if (const auto visible = place.visible(gpus)) job.variables["CUDA_VISIBLE_DEVICES"] = *visible;
    // Otherwise LibTorch asks a cuBLAS for products that finds no GPU.
    const auto blas = program_folder() / "simulator" / "simulated" / "libcublasLt.so.13";
    if (!simulation.empty() && unit.sweep->worker->built_with.contains("libtorch") && std::filesystem::exists(blas))
        job.fakes = {"blas"};
    load_its_driver(unit, job);
    // Seeds the simulated noise, which must differ from process to process.
    if (!simulation.empty()) job.variables["TOCUDA_SIMULATION_PROCESS"] = std::to_string(child->process);
    job.on_line = [this, child](std::string_view line) { return heard(*child, line); };
    job.on_end = [this, child](const Ended& end) { ended(*child, end); };
    job.on_refused = [this, child](const std::string& why) {
        --running;
        part(*child, {});
        give_up_on(child->what.unit, why, Status::failed);
    };
    return job;
}

// A GPU that no longer answers is not used again.
void BenchWork::lost(int gpu, const std::string& why) {
    for (std::size_t unit = 0; unit < rounds.all().size(); ++unit)
        if (const auto& gpus = rounds.all()[unit].gpus; std::ranges::find(gpus, gpu) != gpus.end())
            give_up_on(unit, why, Status::skipped);
}

// A child was ended because the time ran out: its answers count, the rest of its sets is cut short.
void BenchWork::part_for_time(const Running& child) {
    if (child.group && --child.group->running > 0) return;
    rounds.cut(child.what, child.what.sets);
}

void BenchWork::hand_out_cut_short() {
    for (const auto& one : rounds.cut_short()) {
        const auto why = cut_short_check(one, rounds.least(), rounds.limit_seconds());
        auto samples = without_samples(one.unit, one.set, Status::skipped, why);
        samples.flags.emplace_back(budget_word);
        hand_out_without(one.unit, one.round, samples);
    }
}

// A process of an assignment has ended. A group, one process per GPU, has ended when its last process has.
void BenchWork::part(const Running& child, std::vector<Parameters> left_over) {
    if (child.group) {
        for (const auto& set : left_over)
            child.group->left.push_back(
                {child.seat, child.process,
                 without_samples(child.what.unit, set, Status::failed, "its process had already ended")});
        if (--child.group->running > 0) return;
        left_over = left_by_all(child.what, *child.group);
    }
    rounds.ended(child.what, now() - child.since, std::move(left_over));
}

// Returns the sets that the whole group measures again. For every other set, hands out each process's reason.
std::vector<Parameters> BenchWork::left_by_all(const Assignment& what, const Group& group) {
    const auto has = [](const std::vector<Parameters>& sets, const Parameters& set) {
        return std::ranges::find(sets, set) != sets.end();
    };
    std::vector<Parameters> again;
    for (const auto& [seat, process, samples] : group.left) {
        if (has(group.lost, samples.parameters)) hand_out(what, seat, process, samples);
        else if (!has(again, samples.parameters)) again.push_back(samples.parameters);
    }
    return again;
}

std::string BenchWork::heard(Running& child, std::string_view line) {
    auto samples = child.measuring.hear(line);
    if (!samples) return child.measuring.fault();
    keep_to_driver(rounds.all()[child.what.unit], *samples);
    if (child.what.asks && samples->status != Status::skipped) return "";
    if (child.group && samples->check == neighbour_has_ended) {
        child.group->left.push_back({child.seat, child.process, *samples});
        return "";
    }
    const bool has_time = samples->status == Status::ok || samples->status == Status::invalid;
    if (child.group && !has_time) child.group->lost.push_back(samples->parameters);
    hand_out(child.what, child.seat, child.process, *samples);
    return "";
}

void BenchWork::ended(Running& child, const Ended& end) {
    --running;
    if (end.outcome.stopped == budget_word) return part_for_time(child);
    if (child.what.asks) {  // whatever it did not say is found out by measuring
        if (!child.group || --child.group->running == 0) rounds.ended(child.what, 0, {});
        return;
    }
    auto finish = child.measuring.finish(end);
    if (finish.at_hand) {
        hand_out(child.what, child.seat, child.process, *finish.at_hand);
        if (child.group) child.group->lost.push_back(finish.at_hand->parameters);
    }
    part(child, finish.left_over);
    auto& silent = silent_ends[child.what.unit];
    silent = finish.abnormal && child.measuring.answered() == 0 ? silent + 1 : 0;
    const auto why = finish.at_hand ? finish.at_hand->check : "it reported a failed call";
    if (silent == silent_ends_most)
        give_up_on(child.what.unit,
                   fmt::format("not measured: {} processes in a row returned nothing; the last: {}", silent, why),
                   Status::failed);
}

Samples BenchWork::without_samples(std::size_t unit, const Parameters& set, Status status,
                                   const std::string& why) const {
    return {.parameters = set, .status = status, .check = why, .clock = rounds.all()[unit].sweep->benchmark.clock};
}

// Records a row for each set that has none, so that no set is missing without a reason.
void BenchWork::give_up_on(std::size_t unit, const std::string& why, Status status) {
    rounds.drop(unit);
    for (const auto& set : rounds.sets_without_a_row(unit))
        hand_out_without(unit, rounds.round(), without_samples(unit, set, status, why));
}

// Hands out a row that no process measured, under the number of the next process. If several GPUs are measured at once,
// each gets a row.
void BenchWork::hand_out_without(std::size_t unit, int round, const Samples& samples) {
    for (const auto& seat : seats_of(rounds.all()[unit])) hand_out({unit, round, {}}, seat, next_process, samples);
}

void BenchWork::hand_out(const Assignment& of, const Seat& seat, int process, Samples samples) {
    if (stopping) return;
    const auto& unit = rounds.all()[of.unit];
    if (samples.gpu.empty() && !seat.gpus.empty())
        samples.gpu = place.line.gpus.at(static_cast<std::size_t>(seat.gpus[0])).uuid.value_or("");
    rounds.hear(of.unit, of.round, samples, seat.neighbour);
    if (unit.at_once) samples.parameters[at_once_parameter] = static_cast<std::int64_t>(unit.gpus.size());
    if (seat.neighbour > 0) samples.parameters[neighbour_parameter] = seat.neighbour;
    const bool on_gpu = !unit.gpus.empty();
    MeasurementRow row{.benchmark = unit.sweep->benchmark.name,
                       .id = row_id(unit.sweep->benchmark.name, samples.parameters, settings.protocol.version),
                       .device = on_gpu ? place.available.device : Device::none,
                       .stand_in = {},
                       .round = of.round,
                       .process = process,
                       .samples = std::move(samples)};
    if (on_gpu && !place.available.simulation.empty()) row.stand_in.push_back("runtime " + place.available.simulation);
    // A process that died did not report its peer GPU, but earlier ones did.
    auto& peer = peers[row.id + row.samples.gpu];
    if (row.samples.peer.empty()) row.samples.peer = peer;
    peer = row.samples.peer;
    on_row(of.unit, row);
    if (row.samples.status == Status::ok) latest = one_line(row);
}

std::string BenchWork::progress() const {
    const auto done = std::max(0, in_round - rounds.waiting() - static_cast<int>(running));
    return progress_text(rounds, done, in_round, now() - settings.started, latest);
}

}  // namespace tocuda
