// tocuda, Apache-2.0.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "doctor/message/dump.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/message.hpp"

namespace tocuda::doctor {
namespace {

// The same output twice, as of a command that repeats it, is one.
std::vector<Dump> dumps_in(std::string_view text) {
    struct Reader {
        std::vector<Dump> (*read)(const Lines&);
        std::vector<std::string_view> signs;  // a text without any of them, such as most logs, need not be read
    };
    const std::array readers{
        Reader{environments_in, {"used to build PyTorch", "Is CUDA available", "Nvidia driver version"}},
        Reader{gpu_tables_in, {"NVIDIA-SMI ", "MiB /", "| 0000", "|   0000"}},
        Reader{gpu_queries_in, {"NVSMI LOG", " : ", "**:"}}, Reader{buses_in, {"controller", " 0302: ", " 0300: "}}};
    std::vector<Dump> all;
    const auto lines = plain_lines(text);
    for (const auto& reader : readers) {
        if (std::ranges::none_of(reader.signs, [&](auto sign) { return contains(text, sign); })) continue;
        for (auto& one : reader.read(lines)) {
            const bool known = std::ranges::any_of(
                all, [&](const Dump& other) { return other.tool == one.tool && other.findings == one.findings; });
            if (!known) all.push_back(std::move(one));
        }
    }
    return all;
}

std::vector<std::string_view> not_seen_by_any(const std::vector<Dump>& dumps) {
    auto left = dumps.front().not_seen;
    std::erase_if(left, [&](std::string_view what) {
        return std::ranges::any_of(
            dumps, [&](const Dump& one) { return std::ranges::find(one.not_seen, what) == one.not_seen.end(); });
    });
    return left;
}

// "collect_env", or of two "the 2nd collect_env"
std::string title_of(const std::vector<Dump>& dumps, std::size_t at) {
    const auto is_same = [&](const Dump& one) { return one.tool == dumps[at].tool; };
    if (std::ranges::count_if(dumps, is_same) < 2) return dumps[at].tool;
    const auto number = 1 + std::count_if(dumps.begin(), dumps.begin() + static_cast<std::ptrdiff_t>(at), is_same);
    return fmt::format("{} number {}", dumps[at].tool, number);
}

std::optional<Finding> other_drivers(const std::vector<Dump>& dumps) {
    std::string told;
    bool differ = false;
    const Dump* first = nullptr;
    for (std::size_t at = 0; at < dumps.size(); ++at) {
        if (dumps[at].driver.empty()) continue;
        if (!first) first = &dumps[at];
        differ = differ || dumps[at].driver != first->driver;
        told += fmt::format("{}{} in {}", told.empty() ? "" : ", ", dumps[at].driver, title_of(dumps, at));
    }
    if (!differ) return std::nullopt;
    return warning("paste", "the drivers differ: " + told + ": they are of different machines or times",
                   "tocuda doctor   (on the machine that has the trouble)");
}

std::optional<Finding> disagreement(const std::vector<Dump>& dumps, std::string_view error) {
    const auto shown = std::ranges::find_if(dumps, [](const Dump& one) { return !one.driver.empty(); });
    if (error != "no NVIDIA driver" || shown == dumps.end()) return std::nullopt;
    return warning(
        "paste",
        fmt::format("the error finds no driver, {} shows {}: they are of different machines, or one is of a container",
                    shown->tool, shown->driver),
        "tocuda doctor   (where the error is raised)");
}

// "torch.cuda.is_available() False" beside output that shows no fault; collect_env has its own line for it.
std::optional<Finding> unexplained(std::string_view text, std::string_view error, const Pasted& pasted) {
    const auto at = text.find(is_available_call);
    const bool is_only_that = error.empty() || error == "PyTorch sees no GPU";
    if (at == std::string_view::npos || !is_only_that || contains(pasted.tool, "collect_env")) return std::nullopt;
    if (!is_said_to_be_false(text, at)) return std::nullopt;
    if (std::ranges::any_of(pasted.findings, [](const Finding& one) { return one.state == State::fault; }))
        return std::nullopt;
    return fault(
        "torch",
        "is_available() is False, and the GPU and its driver show no fault: this torch is a build for the CPU, "
        "or for a newer CUDA than the driver's",
        "python -c \"import torch; print(torch.__version__, torch.version.cuda)\"   (None: for the CPU)");
}

}  // namespace

std::optional<Pasted> judge_pasted(std::string_view text, std::string_view error) {
    const auto dumps = dumps_in(text);
    if (dumps.empty()) return std::nullopt;
    Pasted pasted{.not_seen = fmt::format("{}", fmt::join(not_seen_by_any(dumps), ", "))};
    for (std::size_t at = 0; at < dumps.size(); ++at) {
        const auto title = title_of(dumps, at);
        pasted.tool += (at == 0 ? "" : at + 1 == dumps.size() ? " and " : ", ") + title;
        for (auto one : dumps[at].findings) {
            if (dumps.size() > 1) one.evidence.insert(0, title + ": ");
            pasted.findings.push_back(std::move(one));
        }
    }
    for (auto& found : {other_drivers(dumps), disagreement(dumps, error), unexplained(text, error, pasted)})
        if (found) pasted.findings.push_back(*found);
    return pasted;
}

}  // namespace tocuda::doctor
