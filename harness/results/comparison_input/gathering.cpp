// tocuda, Apache-2.0.
// Keeps sections small enough that thousands fit in memory.
#include "comparison_input/gathering.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <tuple>

#include "comparison_input/error_text.hpp"
#include "model/comparison.hpp"
#include "model/parameter_values.hpp"
#include "model/words.hpp"
#include "statistics/order_statistics.hpp"
#include "summary/validity.hpp"

namespace tocuda {
namespace {

const Gpu* gpu_of(const RunLine& run, const std::string& uuid) {
    for (const auto& gpu : run.gpus)
        if (gpu.uuid == uuid && !uuid.empty()) return &gpu;
    return nullptr;
}

GpuIdentity identity_of(const RunLine& run, const std::string& uuid) {
    const auto* gpu = gpu_of(run, uuid);
    return {uuid, gpu ? gpu->name.value_or("") : ""};
}

std::uint64_t digest_of(const MeasurementRow& row) {
    const auto mixed = [](std::size_t so_far, std::size_t next) { return (so_far ^ next) * 0x9E3779B97F4A7C15U; };
    auto digest = mixed(std::hash<std::string>{}(row.id), std::hash<std::string>{}(row.samples.gpu));
    for (const double seconds : row.samples.seconds) digest = mixed(digest, std::hash<double>{}(seconds));
    return digest;
}

// Joined by newlines, because a flag may be a whole sentence.
std::string in_lines(const Flags& flags) { return joined(flags, "\n", &Flag::text); }

std::int8_t small(const std::optional<int>& value) {
    return static_cast<std::int8_t>(std::clamp(value.value_or(0), 0, 127));
}

// Adds an error text; an empty one if NAME.threw is false.
void add_text(const Observation& seen, const SeenText& place, std::vector<SeenText>& texts) {
    auto text = place;
    if (holds_error_text(seen.key)) {
        text.key = seen.key;
        if (const auto* words = std::get_if<std::string>(&seen.value.held)) text.text = *words;
        else if (const auto* list = std::get_if<Values>(&seen.value.held)) text.text = plain(Value(*list));
        else return;
        texts.push_back(std::move(text));
    } else if (seen.key.ends_with(".threw") && seen.value == Value(false)) {
        text.key = seen.key.substr(0, seen.key.size() - 5) + "message";
        texts.push_back(std::move(text));
    }
}

// They say what a libcuda alone does, not how a driver starts.
void leave_out_other_libcudas(std::vector<GatheredSection>& sections, std::vector<std::string>& warnings) {
    const auto left_out =
        std::erase_if(sections, [](const GatheredSection& one) { return one.run.driver.libcuda.has_value(); });
    if (left_out > 0)
        warnings.push_back(
            fmt::format("left out: {}{} measured with another libcuda than the installed one (bench --against-driver), "
                        "which is no start of a driver",
                        left_out, left_out == 1 ? " section" : " sections"));
}

std::optional<PrintedRate> printed_rate(const MeasurementRow& row) {
    if (!row.imported || !row.imported->unit.ends_with("/s") || row.samples.seconds.empty()) return {};
    return PrintedRate{row.imported->value * row.samples.seconds.front(), row.imported->unit};
}

// Of the sections of one run, the most complete comes first.
auto order_of(const GatheredSection& section) {
    return std::tuple(std::string_view(section.run.run), !section.whole, -std::ssize(section.processes),
                      -std::ssize(section.claims), std::string_view(section.digest));
}

auto time_of(const GatheredSection& section) {
    return std::tuple(std::string_view(section.run.time), std::string_view(section.run.run));
}

}  // namespace

std::uint32_t RowNames::number_of(const MeasurementRow& row, const RunLine& run, const char* quantile) {
    const int protocol = run.protocol ? run.protocol->version : 0;
    key.assign(quantile).push_back('\n');
    for (const auto* part : {&row.id, &row.benchmark}) key.append(*part).push_back('\n');
    key.push_back(static_cast<char>('a' + static_cast<int>(row.device)));
    key.push_back(static_cast<char>('a' + static_cast<int>(row.samples.clock)));
    key += fmt::format("{}{}", protocol, plain(row.samples.parameters));
    const auto [found, is_new] = name_numbers.try_emplace(key, static_cast<std::uint32_t>(names.size()));
    if (!is_new) {
        if (auto& known = names[found->second]; row.imported && !known.rate) known.rate = printed_rate(row);
        return found->second;
    }
    name_keys.push_back(&found->first);
    names.push_back(
        {row.benchmark, row.samples.parameters, row.id, row.device, row.samples.clock, protocol, printed_rate(row)});
    if (*quantile != '\0') {
        names.back().parameters[tail_parameter] = std::string(quantile);
        names.back().id.append("-").append(quantile);
    }
    return found->second;
}

std::uint32_t RowNames::number_of(const GpuIdentity& gpu) {
    const auto [found, is_new] = gpu_numbers.try_emplace(gpu, static_cast<std::uint32_t>(gpus.size()));
    if (is_new) gpus.push_back(gpu);
    return found->second;
}

std::uint32_t RowNames::number_of(const std::string& text) {
    const auto [found, is_new] = text_numbers.try_emplace(text, static_cast<std::uint32_t>(texts.size()));
    if (is_new) texts.push_back(text);
    return found->second;
}

void RowNames::take_over(const RowNames& others, std::vector<GatheredSection>& sections) {
    std::vector<std::uint32_t> new_names, new_gpus, new_texts;
    for (std::size_t i = 0; i < others.names.size(); ++i) {
        const auto [found, is_new] =
            name_numbers.try_emplace(*others.name_keys[i], static_cast<std::uint32_t>(names.size()));
        if (is_new) {
            name_keys.push_back(&found->first);
            names.push_back(others.names[i]);
        }
        new_names.push_back(found->second);
    }
    for (const auto& each : others.gpus) new_gpus.push_back(number_of(each));
    for (const auto& each : others.texts) new_texts.push_back(number_of(each));
    for (auto& section : sections)
        for (auto& time : section.processes) {
            time.row = new_names[time.row];
            time.gpu = new_gpus[time.gpu];
            time.peer = new_gpus[time.peer];
            time.why = new_texts[time.why];
            time.flags = new_texts[time.flags];
        }
}

void Gathering::begin(const RunLine& run) { sections.push_back({.run = run}); }

void Gathering::add(const MeasurementRow& row) {
    if (sections.empty()) throw std::logic_error("a row before any run line");
    auto& section = sections.back();
    const auto& samples = row.samples;
    if (!samples.seconds.empty()) section.times += digest_of(row);
    ProcessTime time{.row = names->number_of(row, section.run),
                     .gpu = names->number_of(identity_of(section.run, samples.gpu)),
                     .peer = names->number_of(identity_of(section.run, samples.peer)),
                     .process = row.process,
                     .status = samples.status};
    const auto* gpu = gpu_of(section.run, samples.gpu);
    time.flags = names->number_of(in_lines(flags_of(samples, gpu ? gpu->pcie : PcieLink{})));
    if (samples.status != Status::ok) {
        time.why = names->number_of(samples.check);
    } else {
        time.seconds = samples.seconds.empty() ? 0 : median(samples.seconds);
        const auto why = time.seconds > 0 ? why_invalid(samples, std::nullopt) : "no time was measured";
        if (!why.empty()) time.status = Status::invalid;
        time.why = names->number_of(why);
        time.clock_mhz = sm_clock_under_load(samples).value_or(0);
        time.is_power_capped = is_power_capped(samples);
    }
    const auto& loaded = samples.during ? samples.during : samples.after;
    if (loaded) time.link_generation = small(loaded->link_generation);
    if (loaded) time.link_width = small(loaded->link_width);
    section.processes.push_back(time);
    if (!samples.tail || !samples.tail->p99) return;
    time.row = names->number_of(row, section.run, tail_quantile);
    time.seconds = *samples.tail->p99;
    section.processes.push_back(time);
}

void Gathering::add(const Row& row) {
    if (sections.empty()) throw std::logic_error("a row before any run line");
    auto& section = sections.back();
    for (const auto& claim : row.claims)
        section.claims.push_back({row.name, row.variant, row.evidence.device, claim.id, claim.verdict});
    for (const auto& seen : row.evidence.observations)
        add_text(seen, {row.name, row.variant, row.evidence.device, {}, {}}, section.texts);
}

void Gathering::forget() {
    if (!sections.empty()) sections.pop_back();
}

void Gathering::end(const std::string& digest, bool whole) {
    if (sections.empty()) return;
    sections.back().digest = digest;
    sections.back().whole = whole;
}

std::vector<GatheredSection> Gathering::finish(std::vector<std::string>& warnings) {
    std::sort(sections.begin(), sections.end(),
              [](const auto& left, const auto& right) { return order_of(left) < order_of(right); });
    std::vector<GatheredSection> each;
    std::set<std::string> told;
    std::set<std::string> disputed;
    for (auto& section : sections) {
        const auto& run = section.run.run;
        if (each.empty() || each.back().run.run != run) {
            each.push_back(std::move(section));
            continue;
        }
        const auto& first = each.back();
        if (first.digest == section.digest || !told.insert(run).second) continue;
        const auto warning = "run " + run.substr(0, 8) + " was found more than once, ";
        if (first.whole && section.whole) {
            disputed.insert(run);
            warnings.push_back(
                warning +
                "complete but different each time: none of them counts; check each file with `tocuda verify`");
        } else {
            warnings.push_back(warning + "and different each time: the " + (first.whole ? "complete" : "longer") +
                               " one counts");
        }
    }
    sections.clear();
    std::erase_if(each, [&](const GatheredSection& one) { return disputed.contains(one.run.run); });
    leave_out_other_libcudas(each, warnings);
    std::sort(each.begin(), each.end(),
              [](const auto& left, const auto& right) { return time_of(left) < time_of(right); });
    return each;
}

}  // namespace tocuda
