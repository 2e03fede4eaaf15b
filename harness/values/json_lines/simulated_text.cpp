// tocuda, Apache-2.0.
#include "json_lines/simulated_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "model/nearest.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

std::optional<int> count_of(std::string_view word) {
    const auto number = whole_number<int>(word);
    return number.value_or(0) > 0 ? number : std::nullopt;
}

Expected<SimulatedFault> not_a_fault(std::string_view fault, const std::string& what) {
    return problem(
        "fault '" + std::string(fault) + "': " + what +
        "; a fault is FUNCTION CALL ERROR|hang|wrong [sticky], as in 'cudaMalloc 3 2 sticky', or peer FROM TO "
        "lost|mirrored|stalled|uncopied");
}

std::string has_words(std::size_t count) { return "has " + std::to_string(count) + (count == 1 ? " word" : " words"); }

constexpr int largest_error = 999;  // cudaErrorUnknown
constexpr std::array<std::string_view, 4> peer_faults{"lost", "mirrored", "stalled", "uncopied"};

Expected<SimulatedFault> parse_peer_fault(std::string_view text, const std::vector<std::string_view>& words) {
    if (words.size() != 4) return not_a_fault(text, has_words(words.size()));
    SimulatedFault fault{.peer = std::string(words[3])};
    for (const auto& [word, gpu] : {std::pair{words[1], &fault.from}, std::pair{words[2], &fault.to}}) {
        const auto number = whole_number<int>(word);
        if (number.value_or(-1) < 0) return not_a_fault(text, "'" + std::string(word) + "' is not a GPU's number");
        *gpu = *number;
    }
    if (fault.from == fault.to) return not_a_fault(text, "a GPU is no peer of itself");
    if (std::ranges::find(peer_faults, fault.peer) == peer_faults.end())
        return not_a_fault(text, "'" + fault.peer + "' is not among lost, mirrored, stalled, uncopied");
    return fault;
}

struct ClockReason {
    std::string_view name;
    std::uint64_t bits;  // of NVML
};
constexpr auto clock_reasons = std::to_array<ClockReason>({
    {"none", 0},
    {"gpu_idle", 0x1},
    {"application_clocks", 0x2},
    {"sw_power_cap", 0x4},
    {"hw_slowdown", 0x8},
    {"sync_boost", 0x10},
    {"sw_thermal", 0x20},
    {"hw_thermal", 0x40},
    {"hw_power_brake", 0x80},
    {"display_clock", 0x100},
});

template <class Table>
std::vector<std::string> names_of(const Table& table) {
    std::vector<std::string> names;
    for (const auto& entry : table) names.emplace_back(entry.name);
    return names;
}

std::optional<double> seconds_of(std::string_view text) {
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && std::isfinite(seconds) && seconds >= 0 ? std::optional(seconds) : std::nullopt;
}

bool read_condition(std::string_view word, TelemetryMoment& moment) {
    constexpr std::string_view of_process = "process=";
    constexpr std::string_view after_work = "work+";
    if (word == "busy") return moment.while_busy = true;
    if (word == "work") return (moment.after_work = 0).has_value();
    if (word.starts_with(after_work))
        return (moment.after_work = seconds_of(word.substr(after_work.size()))).has_value();
    if (word.starts_with(of_process))
        return (moment.process = whole_number<std::uint64_t>(word.substr(of_process.size()))).has_value();
    if (word.ends_with('s')) {
        const auto seconds = seconds_of(word.substr(0, word.size() - 1));
        moment.after_seconds = seconds.value_or(0);
        return seconds.has_value();
    }
    const auto reading = whole_number<std::uint64_t>(word);
    moment.reading = reading.value_or(0);
    return reading.has_value();
}

Expected<void> read_value(const TelemetryField& field, const std::string& word, TelemetryLine& line) {
    if (field.value == TelemetryField::Value::number) {
        const auto number = whole_number<std::uint64_t>(word);
        line.number = number.value_or(0);
        if (!number) return problem("'" + word + "' is not a whole number");
        return {};
    }
    if (field.value == TelemetryField::Value::processes && word == "none") return {};
    for (const auto& part : parts_of(word, ',')) {
        if (field.value == TelemetryField::Value::reasons) {
            const auto known = std::ranges::find(clock_reasons, part, &ClockReason::name);
            if (known == clock_reasons.end())
                return problem("'" + part + "' is not a throttle reason" + suggestion(part, names_of(clock_reasons)));
            line.number |= known->bits;
            continue;
        }
        const auto colon = std::min(part.find(':'), part.size() - 1);
        const auto pid = whole_number<unsigned>(std::string_view(part).substr(0, colon));
        const auto bytes = whole_number<std::uint64_t>(std::string_view(part).substr(colon + 1));
        if (!pid || !bytes) return problem("'" + part + "' is not PID:BYTES");
        line.processes.push_back({*pid, *bytes});
    }
    return {};
}

Expected<TelemetryLine> not_telemetry(std::string_view line, const std::string& what) {
    return problem("'" + std::string(line) + "': " + what);
}

}  // namespace

Expected<SimulatedFault> parse_fault(std::string_view text) {
    const auto words = words_of(text);
    const auto quoted = [&](std::size_t word) { return "'" + std::string(words[word]) + "'"; };
    if (!words.empty() && words[0] == "peer") return parse_peer_fault(text, words);
    if (words.size() < 3 || words.size() > 4) return not_a_fault(text, has_words(words.size()));
    if (!words[0].starts_with("cu")) return not_a_fault(text, quoted(0) + " is not a runtime function");
    const auto call = count_of(words[1]);
    if (!call) return not_a_fault(text, quoted(1) + " is not a call number (the first call is 1)");
    const bool hang = words[2] == "hang";
    const bool wrong = words[2] == "wrong";
    const auto error = count_of(words[2]);
    if (!hang && !wrong && !error)
        return not_a_fault(text, quoted(2) + " is neither an error number nor 'hang' nor 'wrong'");
    if (error.value_or(0) > largest_error) return not_a_fault(text, quoted(2) + " is no error of CUDA (1 to 999)");
    const bool sticky = words.size() == 4;
    if (sticky && words[3] != "sticky") return not_a_fault(text, quoted(3) + " is not 'sticky'");
    SimulatedFault fault{.function = std::string(words[0]), .call = static_cast<std::uint64_t>(*call)};
    fault.error = error.value_or(0);
    fault.hang = hang;
    fault.wrong = wrong;
    fault.sticky = sticky;
    return fault;
}

Expected<TelemetryLine> parse_telemetry(std::string_view text) {
    const auto words = words_of(text);
    if (words.size() != 3) return not_telemetry(text, "is not MOMENT FIELD VALUE, as in \"busy pcie_generation 5\"");
    TelemetryLine line;
    for (const auto& condition : parts_of(words[0], ','))
        if (!read_condition(condition, line.moment))
            return not_telemetry(
                text, "'" + condition + "' is not a moment; expected 3, 0.5s, work, work+0.02, busy or process=2");
    const auto known = std::ranges::find(telemetry_fields, words[1], &TelemetryField::name);
    if (known == telemetry_fields.end())
        return not_telemetry(
            text, "'" + std::string(words[1]) + "' is unknown" + suggestion(words[1], names_of(telemetry_fields)));
    line.field = words[1];
    if (const auto read = read_value(*known, std::string(words[2]), line); !read)
        return not_telemetry(text, read.error().what);
    return line;
}

}  // namespace tocuda
