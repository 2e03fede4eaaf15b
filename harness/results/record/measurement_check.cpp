// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "model/measurement.hpp"
#include "record/digest.hpp"
#include "record/impossible_values.hpp"

namespace tocuda {
namespace {

constexpr int most_rounds = 100000;

bool stands_for_a_gpu(const std::string& stand_in) {
    return stand_in.starts_with("driver") || stand_in.starts_with("runtime");
}

// Limits that no GPU reaches, so that only wrong readings exceed them.
constexpr int fastest_clock_mhz = 10000;
constexpr int coldest_c = -60;
constexpr int hottest_c = 150;
constexpr double most_power_w = 5000;
constexpr double most_of_power_limit = 2;  // a reading is momentary; the limit holds on average
constexpr int most_processes = 100000;

void look_at(const Telemetry& telemetry, const Gpu* gpu, const std::string& when, std::vector<std::string>& wrong) {
    const auto say = [&](bool so, const std::string& what) {
        if (so) wrong.emplace_back("telemetry " + when + " the samples: " + what);
    };
    say(telemetry.sm_clock_mhz.value_or(0) > fastest_clock_mhz,
        fmt::format("SM clock of {} MHz is impossible", telemetry.sm_clock_mhz.value_or(0)));
    say(telemetry.memory_clock_mhz.value_or(0) > fastest_clock_mhz * 2,
        fmt::format("memory clock of {} MHz is impossible", telemetry.memory_clock_mhz.value_or(0)));
    const int temperature = telemetry.temperature_c.value_or(20);
    say(temperature < coldest_c || temperature > hottest_c,
        fmt::format("temperature of {} C is impossible", temperature));
    const auto limit = gpu && gpu->power_limit_w
                           ? std::clamp(most_of_power_limit * *gpu->power_limit_w, 0.0, most_power_w)
                           : most_power_w;
    const auto power = telemetry.power_w.value_or(0);
    const auto watts = [](double number) {
        return fmt::format("{} W", static_cast<long long>(std::min(number, 1e15)));
    };
    say(power > limit, "power of " + watts(power) + " exceeds the plausible maximum of " + watts(limit));
    say(telemetry.foreign_processes.value_or(0) > most_processes, "more foreign processes than a machine can hold");
    if (!gpu) return;
    const auto above = [](const std::optional<int>& is, const std::optional<int>& most) {
        return is && most && *is > *most;
    };
    say(above(telemetry.link_generation, highest_generation(gpu->pcie)), "PCIe generation above the GPU's maximum");
    say(above(telemetry.link_width, gpu->pcie.width_max), "PCIe link wider than the GPU's maximum");
}

// `gpu`: the GPU that was read; nullptr if unknown.
std::vector<std::string> wrong_with_telemetry(const Samples& samples, const Gpu* gpu) {
    std::vector<std::string> wrong;
    for (const auto& [reading, when] :
         {std::pair{&samples.before, "before"}, {&samples.during, "during"}, {&samples.after, "after"}})
        if (*reading) look_at(**reading, gpu, when, wrong);
    for (const auto& reading : samples.course) look_at(reading, gpu, "during", wrong);
    if (samples.before && samples.after)
        for (const auto& [cause, before] : samples.before->violation_ns)
            if (const auto after = samples.after->violation_ns.find(cause);
                after != samples.after->violation_ns.end() && after->second < before)
                wrong.emplace_back(
                    fmt::format("the {} counter decreased from {} to {} ns", cause, before, after->second));
    if (samples.after && !samples.before)
        wrong.emplace_back("there is telemetry after the samples but none before them");
    return wrong;
}

}  // namespace

void MeasurementCheck::say(bool so, std::string what) {
    if (so) wrong.emplace_back(std::move(what));
}

const Gpu* MeasurementCheck::gpu_of(const std::string& uuid) const {
    const auto found = std::find_if(run.gpus.begin(), run.gpus.end(), [&](const Gpu& gpu) { return gpu.uuid == uuid; });
    return found == run.gpus.end() ? nullptr : &*found;
}

Expected<void> MeasurementCheck::check_id(const MeasurementRow& row) const {
    if (!run.protocol && !run.imported) return {};
    const int version = run.imported ? run.imported->convention : run.protocol->version;
    const auto id = row_id(row.benchmark, row.samples.parameters, version);
    if (row.id == id) return {};
    return problem("row id is " + row.id + " but its benchmark, parameters and protocol give " + id);
}

void MeasurementCheck::look_at_place(const MeasurementRow& row) {
    if (const auto device = check_device(row.device, row.stand_in); !device) wrong.push_back(device.error().what);
    say(row.device == Device::simulated && row.stand_in.empty(), "device is 'simulated' but stand_in is empty");
    say(row.device != Device::none && row.device != run.device, "device is '" + std::string(word(row.device)) +
                                                                    "' but the section's device is '" +
                                                                    std::string(word(run.device)) + "'");
    const auto& of = row.samples;
    for (const auto& [uuid, what] :
         {std::pair{&of.gpu, "gpu"}, {&of.peer, "peer"}, {&of.from, "from_gpu"}, {&of.to, "to_gpu"}})
        say(!uuid->empty() && !gpu_of(*uuid), std::string(what) + " '" + *uuid + "' is not among the section's GPUs");
    say(run.verb != (run.imported ? "import" : "bench"),
        "measurement row in a section written by `" + run.verb + "`, not `bench`");
    say(run.imported && !row.benchmark.starts_with(run.imported->tool + "/"),
        "the row is not one of " + (run.imported ? run.imported->tool : "") + ", from which it was imported");
    if (run.driver.libcuda && of.status == Status::ok) {
        if (libcuda.empty()) libcuda = of.libcuda;
        say(of.libcuda.empty(), "the section was measured with a libcuda of its own, but the row does not name it");
        say(of.libcuda != libcuda, "libcuda '" + of.libcuda + "' is not that of earlier rows: '" + libcuda + "'");
    }
    say(!row.samples.peer.empty() && row.samples.peer == row.samples.gpu, "gpu and peer are the same GPU");
    for (auto& what : wrong_with_telemetry(row.samples, gpu_of(row.samples.gpu))) wrong.emplace_back(std::move(what));
}

void MeasurementCheck::look_at_tail(const SingleTimes& tail, std::ptrdiff_t samples) {
    const double p99 = tail.p99.value_or(tail.largest);
    say(!(tail.p50 <= p99 && p99 <= tail.largest), "the tail is not in order: p50, p99, largest");
    say(tail.of < samples, fmt::format("the tail is of {} operations, fewer than the samples", tail.of));
    say(tail.p99 && tail.of < p99_least,
        fmt::format("the tail has a p99 of {} operations: at least {} are needed", tail.of, p99_least));
}

void MeasurementCheck::look_at_samples(const MeasurementRow& row) {
    const auto& samples = row.samples;
    const auto count = std::ssize(samples.seconds);
    // A worker marks its samples as invalid when its clock did not advance.
    const bool stood_still =
        std::any_of(samples.seconds.begin(), samples.seconds.end(), [](double seconds) { return seconds <= 0; });
    say(stood_still && samples.status != Status::invalid, "a sample took 0 s but status is not 'invalid'");
    say(std::any_of(samples.seconds.begin(), samples.seconds.end(), [](double seconds) { return seconds > 86400; }),
        "a sample took longer than a day");
    // An allocation touches no bytes, and of a collective they are those that a GPU sends over its link.
    say(samples.bytes_touched != 0 && samples.bytes_touched < samples.bytes_one_way &&
            !role_of(row.benchmark).collective,
        "fewer bytes touched than moved one way");
    say(samples.status != Status::ok && samples.status != Status::invalid && count > 0,
        "status is '" + std::string(word(samples.status)) + "' but the row has samples");
    if (samples.status != Status::ok) return;
    say(count == 0, "status is 'ok' but the row has no samples");
    say(samples.batch < 1, "status is 'ok' but batch is below 1: no operation was timed");
    say(!samples.course.empty() && std::ssize(samples.course) != count,
        fmt::format("the row has {} samples but telemetry of {}", count, samples.course.size()));
    say(run.protocol && samples.course.empty() && count > run.protocol->launches_max,
        fmt::format("the row has {} samples but the protocol allows at most {}", count,
                    run.protocol ? run.protocol->launches_max : 0));
    if (samples.tail) look_at_tail(*samples.tail, count);
    if (const auto& ranks = samples.ranks)
        say(ranks->of < 2 || !(ranks->mean > 0) || ranks->mean > ranks->slowest * (1 + 1e-9),
            "the times of the ranks are impossible: a mean above the slowest, or fewer than two");
    if (const auto impossible = impossible_rate(row)) say(true, impossible->sentence());
}

void MeasurementCheck::look_at_process(const MeasurementRow& row) {
    say(row.round > most_rounds, fmt::format("round {} is above the limit of {}", row.round, most_rounds));
    // Rows without samples are exempt: a row for which no process was started has the number of the next process, and a
    // process that ended badly may get a second row for a parameter set that it had measured.
    if (row.samples.seconds.empty()) return;
    if (run.imported) {  // the tool measured all that the file holds in one process, on several GPUs
        const auto& gpus = row.samples;
        say(!measured.insert({row.process, row.id + gpus.gpu + gpus.peer}).second, row.id + " was imported twice");
        return;
    }
    const auto number = std::to_string(row.process);
    say(!measured.insert({row.process, row.id}).second, "process " + number + " measured " + row.id + " twice");
    const auto& process =
        processes.try_emplace(row.process, Process{row.round, row.benchmark, row.samples.gpu}).first->second;
    say(process.round != row.round, "process " + number + " appears in two rounds");
    say(process.benchmark != row.benchmark, "process " + number + " measured two benchmarks");
    say(process.gpu != row.samples.gpu && !row.samples.gpu.empty() && !process.gpu.empty(),
        "process " + number + " ran on two GPUs");
    // Each group of benchmarks runs its own rounds, and so do parameter sets that there was time for at the end.
    auto& rounds = rounds_of[row.id + row.samples.gpu];
    const auto own = rounds.emplace(row.process, row.round).first;
    const auto after = std::next(own);
    say((own != rounds.begin() && std::prev(own)->second > row.round) ||
            (after != rounds.end() && after->second < row.round),
        fmt::format("process {} is in round {}: rounds must not decrease as process numbers increase", number,
                    row.round));
}

void MeasurementCheck::look_at_the_same_id(const MeasurementRow& row) {
    const auto& samples = row.samples;
    if (samples.status != Status::ok) return;
    const auto [place, is_new] = ids.try_emplace(row.id + samples.gpu + samples.peer,
                                                 Same{samples.clock, samples.bytes_one_way, samples.bytes_touched,
                                                      samples.items, samples.peak.bytes_per_second});
    if (is_new) return;
    const auto& same = place->second;
    say(same.clock != samples.clock, "clock differs from earlier rows with the same id");
    say(same.bytes_one_way != samples.bytes_one_way || same.bytes_touched != samples.bytes_touched,
        "byte counts differ from earlier rows with the same id");
    say(same.items != samples.items, "the count of operations differs from earlier rows with the same id");
    say(same.peak != samples.peak.bytes_per_second, "peak differs from earlier rows with the same id");
}

std::vector<std::string> MeasurementCheck::wrong_with(const MeasurementRow& row) {
    wrong.clear();
    look_at_place(row);
    look_at_samples(row);
    look_at_process(row);
    look_at_the_same_id(row);
    return std::move(wrong);
}

Expected<void> check_device(Device device, const std::vector<std::string>& stand_in) {
    if (device != Device::real) return {};
    const auto found = std::find_if(stand_in.begin(), stand_in.end(), stands_for_a_gpu);
    if (found == stand_in.end()) return {};
    return problem("device is 'real' but stand_in lists '" + *found + "'");
}

}  // namespace tocuda
