// tocuda, Apache-2.0.
// Checking measurements.
#include "record/measurement_check.hpp"

#include <algorithm>
#include <cstdio>

#include "model/row.hpp"
#include "record/device_check.hpp"
#include "record/row_id.hpp"
#include "record/telemetry_check.hpp"

namespace tocuda {
namespace {

// Half a microsecond is what the GPU's events resolve; a reading has two of them. Beyond that a real rate stays below
// its peak; a simulated one has noise around it.
constexpr double clock_resolution_s = 1e-6;
constexpr double most_of_peak_real = 1.01;
constexpr double most_of_peak_simulated = 1.10;
// One sample by itself, be its clock as unsteady as it may. Chosen, not measured. How much a simulated one varies is
// chosen by whoever simulates.
constexpr double most_of_peak_by_one = 1.25;
constexpr int most_rounds = 100000;

double middle(std::vector<double> seconds) {
    const auto half = seconds.begin() + std::ssize(seconds) / 2;
    std::nth_element(seconds.begin(), half, seconds.end());
    return *half;
}

std::string gigabytes(double bytes_per_second) {
    std::string text(64, '\0');
    const auto size = std::snprintf(text.data(), text.size(), "%.4g GB/s", bytes_per_second / 1e9);
    text.resize(static_cast<std::size_t>(std::max(size, 0)));
    return text;
}

std::string what_is_possible(const Peak& peak, double possible) {
    const auto text = gigabytes(peak.bytes_per_second) + " (" + peak.source + ")";
    if (peak.footprint_bytes == 0) return text;
    return text + ", and above the " + gigabytes(possible) + " that are possible where the L2 cache keeps " +
           std::to_string(peak.l2_bytes) + " of its " + std::to_string(peak.footprint_bytes) + " bytes";
}

}  // namespace

void MeasurementCheck::say(bool so, std::string what) {
    if (so) wrong.emplace_back(std::move(what));
}

const Gpu* MeasurementCheck::gpu_of(const std::string& uuid) const {
    const auto found = std::find_if(run.gpus.begin(), run.gpus.end(), [&](const Gpu& gpu) { return gpu.uuid == uuid; });
    return found == run.gpus.end() ? nullptr : &*found;
}

void MeasurementCheck::look_at_identity(const MeasurementRow& row) {
    if (!run.protocol) return;
    const auto id = row_id(row.benchmark, row.samples.parameters, run.protocol->version);
    say(row.id != id, "its id is " + row.id + ", and its benchmark, parameters and protocol give " + id);
}

void MeasurementCheck::look_at_place(const MeasurementRow& row) {
    if (auto what = wrong_with_device(row.device, row.stand_in); !what.empty()) wrong.push_back(std::move(what));
    say(row.device == Device::simulated && row.stand_in.empty(), "a simulated device, and no stand-in");
    say(row.device != Device::none && row.device != run.device,
        std::string(word(row.device)) + ", in a section whose device is " + std::string(word(run.device)));
    for (const auto& [uuid, what] : {std::pair{&row.samples.gpu, "its GPU"}, {&row.samples.peer, "its peer"}})
        say(!uuid->empty() && !gpu_of(*uuid), std::string(what) + " is none of the section's: " + *uuid);
    say(run.verb != "bench", "a measurement, in a section of `" + run.verb + "`");
    say(!row.samples.peer.empty() && row.samples.peer == row.samples.gpu, "it is its own peer");
    for (auto& what : wrong_with_telemetry(row.samples, gpu_of(row.samples.gpu))) wrong.emplace_back(std::move(what));
}

void MeasurementCheck::look_at_samples(const MeasurementRow& row) {
    const auto& samples = row.samples;
    const auto count = std::ssize(samples.seconds);
    // A worker whose clock stood still says that of its samples: they are invalid.
    const bool stood_still =
        std::any_of(samples.seconds.begin(), samples.seconds.end(), [](double seconds) { return seconds <= 0; });
    say(stood_still && samples.status != Status::invalid, "a time of zero");
    say(std::any_of(samples.seconds.begin(), samples.seconds.end(), [](double seconds) { return seconds > 86400; }),
        "a time longer than a day");
    // An allocation touches none.
    say(samples.bytes_touched != 0 && samples.bytes_touched < samples.bytes_one_way,
        "fewer bytes touched than moved one way");
    say(samples.status != Status::ok && samples.status != Status::invalid && count > 0,
        "it is " + std::string(word(samples.status)) + ", and has samples");
    if (samples.status != Status::ok) return;
    say(count == 0, "it is ok, and has no samples");
    say(samples.batch < 1, "it is ok, and no operation was timed");
    say(run.protocol && count > run.protocol->launches_max,
        std::to_string(count) + " samples, and the protocol takes " +
            std::to_string(run.protocol ? run.protocol->launches_max : 0) + " at most");
    look_at_peak(row);
}

void MeasurementCheck::look_at_peak(const MeasurementRow& row) {
    const auto& samples = row.samples;
    const auto& peak = samples.peak;
    if (peak.bytes_per_second <= 0 || samples.seconds.empty() || samples.batch < 1) return;
    const auto counted = counted_by(peak, row.benchmark, !samples.peer.empty());
    const auto bytes = static_cast<double>(counted == Counted::one_way ? samples.bytes_one_way : samples.bytes_touched);
    const auto rate_of = [&](double seconds) {
        return bytes / (seconds + clock_resolution_s / static_cast<double>(samples.batch));
    };
    const auto possible = highest_possible(peak);
    if (!possible) return;
    const auto above = what_is_possible(peak, *possible);
    const auto rate = rate_of(middle(samples.seconds));
    const bool simulated = row.device == Device::simulated;
    const auto most = simulated ? most_of_peak_simulated : most_of_peak_real;
    if (rate > most * *possible) return say(true, gigabytes(rate) + " is above its peak of " + above);
    const auto fastest = rate_of(*std::min_element(samples.seconds.begin(), samples.seconds.end()));
    say(!simulated && fastest > most_of_peak_by_one * *possible,
        "a sample of " + gigabytes(fastest) + " is above its peak of " + above);
}

void MeasurementCheck::look_at_process(const MeasurementRow& row) {
    say(row.round > most_rounds, "round " + std::to_string(row.round));
    // What no process was started for has the number of the next; and how a process ended may have to be told of a set
    // that it had measured.
    if (row.samples.seconds.empty()) return;
    const auto number = std::to_string(row.process);
    say(!measured.insert({row.process, row.id}).second, "process " + number + " measured " + row.id + " twice");
    const auto [place, is_new] = processes.try_emplace(row.process, Process{row.round, row.benchmark, row.samples.gpu});
    const auto& process = place->second;
    say(process.round != row.round, "process " + number + " in two rounds");
    say(process.benchmark != row.benchmark, "process " + number + " measured two benchmarks");
    say(process.gpu != row.samples.gpu && !row.samples.gpu.empty() && !process.gpu.empty(),
        "process " + number + " on two GPUs");
    if (!is_new) return;
    // Benchmarks take their rounds group by group; those of one benchmark follow each other.
    auto& rounds = rounds_of[row.benchmark];
    const auto own = rounds.emplace(row.process, row.round).first;
    const auto after = std::next(own);
    say((own != rounds.begin() && std::prev(own)->second > row.round) ||
            (after != rounds.end() && after->second < row.round),
        "process " + number + " is in round " + std::to_string(row.round) + ", out of the order of processes");
}

void MeasurementCheck::look_at_the_same_id(const MeasurementRow& row) {
    const auto& samples = row.samples;
    if (samples.status != Status::ok) return;
    const auto [place, is_new] = ids.try_emplace(
        row.id + samples.gpu + samples.peer,
        Same{samples.clock, samples.bytes_one_way, samples.bytes_touched, samples.peak.bytes_per_second});
    if (is_new) return;
    const auto& same = place->second;
    say(same.clock != samples.clock, "another clock than the rows of its id before it");
    say(same.bytes_one_way != samples.bytes_one_way || same.bytes_touched != samples.bytes_touched,
        "other bytes than the rows of its id before it");
    say(same.peak != samples.peak.bytes_per_second, "another peak than the rows of its id before it");
}

std::vector<std::string> MeasurementCheck::wrong_with(const MeasurementRow& row) {
    wrong.clear();
    look_at_identity(row);
    look_at_place(row);
    look_at_samples(row);
    look_at_process(row);
    look_at_the_same_id(row);
    return std::move(wrong);
}

}  // namespace tocuda
