// tocuda, Apache-2.0.
#include "printing/fit_answer.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "printing/replay_table.hpp"
#include "terminal/paper.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t words_at = 30;  // the column behind names and amounts

std::string indented(const std::string& words) { return "  " + wrap(words, 2, 4); }

bool holds(const Lines& lines, const std::string& line) { return std::ranges::find(lines, line) != lines.end(); }

std::string name_and_margin(const FitGpu& gpu) {
    if (!gpu.need) return gpu.name;
    if (gpu.basis == failed_there)
        return gpu.name + (gpu.verdict == "open" ? " (met an out of memory there)" : " (ran out of memory there)");
    if (gpu.basis == ran_there) return fmt::format("{} (ran there, {} left)", gpu.name, amount_to_mib(gpu.left_bytes));
    if (gpu.left_bytes < 0) return fmt::format("{} ({} short)", gpu.name, amount_to_mib(-gpu.left_bytes));
    return fmt::format("{} ({} left{})", gpu.name, amount_to_mib(gpu.left_bytes),
                       gpu.verdict == "tight" ? " at the brink" : "");
}

// "FITS on H100 (37.50 GiB left), L40S (3380 MiB left); NOT on RTX4090 (15.10 GiB short)"
std::string verdicts(const Fitted& fitted) {
    constexpr std::array<std::pair<const char*, const char*>, 4> words{
        {{"fits", "FITS"}, {"tight", "TIGHT"}, {"open", "OPEN"}, {"not", "NOT"}}};
    Lines parts;
    for (const auto& [verdict, word] : words) {
        Lines names;
        for (const auto& gpu : fitted.gpus)
            if (gpu.verdict == verdict) names.push_back(name_and_margin(gpu));
        if (!names.empty()) parts.push_back(fmt::format("{} on {}", word, fmt::join(names, ", ")));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::string row(const char* name, std::int64_t bytes, const std::string& words) {
    return fmt::format("  {:<16}{:>10}  {}", name, amount_to_mib(bytes), wrap(words, words_at, words_at));
}

// What it costs to have so little: each time the GPU is waited for, and memory is taken anew.
std::string flush_words(std::int64_t flushes, std::int64_t steps) {
    if (flushes == 0) return "";
    if (flushes < steps || steps == 0) return fmt::format(", emptying its cache {} in all", counted(flushes, "time"));
    return fmt::format(", emptying its cache {:.1f} times a step",
                       static_cast<double>(flushes) / static_cast<double>(steps));
}

std::string brink_words(const FitBrink& brink, std::int64_t steps, std::int64_t outside) {
    const auto flushes = flush_words(brink.flushes, steps);
    const auto of = [&](std::int64_t bytes) { return fmt::format("{} MiB", bytes >> 20); };
    std::string words;
    if (brink.basis != "ran") words = fmt::format("{}: {} for LibTorch{}", brink.basis, of(brink.bytes), flushes);
    else if (!brink.failed_at_bytes)
        words = fmt::format("ran at {} for LibTorch{}, and below", of(brink.bytes), flushes);
    else
        words = fmt::format("ran at {} for LibTorch{}, {} at {}", of(brink.bytes), flushes,
                            brink.went_on ? "ran out of memory and continued" : "failed", of(*brink.failed_at_bytes));
    return words + fmt::format(" + outside {}", amount_to_mib(outside));
}

std::string peak_words(const FitPeak& peak, std::int64_t steps) {
    std::string words;
    if (const auto& step = peak.recorded.step)
        words += *step > steps ? fmt::format("after step {}, ", steps) : fmt::format("step {}, ", *step);
    words += peak.recorded.line.empty() ? "line not known" : peak.recorded.line;
    if (peak.device > 0) words += fmt::format(", GPU {}", peak.device);
    return words +
           fmt::format("; lost to gaps and cache {}", amount_to_mib(peak.reserved_bytes - peak.allocated_bytes));
}

void add_live(const FitPeak& peak, Lines& lines) {
    const auto parts = live_parts(peak.recorded, peak.allocated_bytes);
    if (parts.empty()) return;
    const auto words = fmt::format("{}", fmt::join(parts, ", "));
    lines.push_back(fmt::format("  {:<28}{}", "live there", wrap(words, words_at, words_at)));
}

// Why no single number says how much a program needs; empty: one does.
std::string why_no_one_need(const FitNeed& need) {
    const auto& own = need.brink.at(0);
    if (own.basis == "ran" && !own.failed_at_bytes) return "with less memory the program takes less";
    if (own.basis == "more than" || own.bytes + need.outside.bytes > need.comfortable_bytes)
        return "with less memory the program fails where the replay does not, as one does that allows itself only a "
               "part of the GPU";
    return "";
}

void add_amounts(const FitNeed& need, bool ran_there, Lines& lines) {
    const auto& own = need.brink.at(0);
    if (const auto why = why_no_one_need(need); ran_there && !why.empty()) {
        lines.push_back(row("with 1 TiB", need.comfortable_bytes - need.outside.bytes,
                            fmt::format("LibTorch takes this; {}, so it was run on each GPU. The peak below is that "
                                        "with 1 TiB",
                                        why)));
        return;
    }
    const auto brink_bytes = own.bytes + need.outside.bytes;
    const auto taken = fmt::format("LibTorch takes {} if there is plenty + outside {} ({})",
                                   amount_to_mib(need.comfortable_bytes - need.outside.bytes),
                                   amount_to_mib(need.outside.bytes), need.outside.source);
    // A program that allows itself a part of the GPU fails with more than it takes.
    if (brink_bytes <= need.comfortable_bytes) lines.push_back(row("comfortable", need.comfortable_bytes, taken));
    else lines.push_back(indented(taken));
    lines.push_back(row("at the brink", brink_bytes, brink_words(own, need.steps, need.outside.bytes)));
    for (std::size_t i = 1; i < need.brink.size(); ++i)
        lines.push_back(row("", need.brink[i].bytes + need.outside.bytes,
                            fmt::format("{} with {}", need.brink[i].basis, setting_name(need.brink[i].settings))));
    if (need.asks)
        lines.push_back(
            indented("the program asks how much memory is free, and may take more where there is more: it "
                     "was run on each GPU with its own memory"));
}

void add_need(const FitNeed& need, bool ran_there, const Lines& open_because, Lines& lines) {
    add_amounts(need, ran_there, lines);
    lines.push_back(row("peak of blocks", need.peak.allocated_bytes, peak_words(need.peak, need.steps)));
    add_live(need.peak, lines);
    if (need.host.pageable_bytes > 0)
        lines.push_back(
            row("host, pageable", need.host.pageable_bytes, "at least: read only when GPU memory was allocated"));
    if (need.host.pinned_bytes >= 1 << 20)
        lines.push_back(row("host, pinned", need.host.pinned_bytes, "as LibTorch rounds it, to powers of two"));
    for (const auto& reason : need.not_known)
        lines.push_back(
            indented((holds(open_because, reason) ? "open because it is not known: " : "not known: ") + reason));
    const auto steps = need.steps > 0 ? counted(need.steps, "step") + " of an optimizer" : "no step of an optimizer";
    const auto processes = need.processes == 1 ? "1 process" : fmt::format("{} processes", need.processes);
    lines.push_back(
        indented(fmt::format("seen: {}, {}. Not covered: what the program did not do, such as longer "
                             "inputs, evaluation, checkpoints",
                             steps, processes)));
}

// By memory alone; the verdict of the largest value follows, which can be open.
std::string varied_words(const FitVaried& varied, const std::vector<FitGpu>& gpus) {
    const auto needs = fmt::format("{} of {}", amount_to_mib(varied.bytes), amount_to_mib(varied.memory_bytes));
    if (!varied.largest) return fmt::format("{}: no {} fits; the smallest takes {}", varied.gpu, varied.name, needs);
    const auto fits = [&](const FitGpu& gpu) { return gpu.name == varied.gpu && gpu.verdict == "fits"; };
    return fmt::format("{}: {} up to {}{} {}: {}", varied.gpu, varied.name, *varied.largest,
                       varied.is_last ? ", the largest asked for," : "",
                       std::ranges::any_of(gpus, fits) ? "fits" : "may fit", needs);
}

}  // namespace

std::vector<std::string> fit_answer(const Fitted& fitted) {
    Lines lines;
    for (const auto& varied : fitted.varied) lines.push_back("tocuda: " + varied_words(varied, fitted.gpus));
    if (fitted.gpus.empty()) return lines;
    lines.push_back(wrap("tocuda: " + verdicts(fitted), 0, 8));
    for (const auto& gpu : fitted.gpus)
        if (!gpu.because.empty() && !(gpu.need && holds(fitted.needs[*gpu.need].not_known, gpu.because)))
            lines.push_back(indented(fmt::format("open on {}: {}", gpu.name, gpu.because)));
    for (std::size_t i = 0; i < fitted.needs.size(); ++i) {
        if (fitted.needs.size() > 1) {
            Lines names;
            for (const auto& gpu : fitted.gpus)
                if (gpu.need == i) names.push_back(gpu.name);
            lines.push_back(fmt::format("  on {}:", fmt::join(names, ", ")));
        }
        Lines open_because;
        bool ran_there_or_failed = false;
        for (const auto& gpu : fitted.gpus) {
            if (gpu.need != i) continue;
            open_because.push_back(gpu.because);
            ran_there_or_failed |= gpu.basis == ran_there || gpu.basis == failed_there || gpu.basis == went_on_there;
        }
        add_need(fitted.needs[i], ran_there_or_failed, open_because, lines);
    }
    return lines;
}

}  // namespace tocuda
