// tocuda, Apache-2.0.
#include "lines/fault_text.hpp"

#include <string>

#include "model/words.hpp"

namespace tocuda {
namespace {

std::optional<int> count_of(std::string_view word) {
    const auto number = whole_number<int>(word);
    return number.value_or(0) > 0 ? number : std::nullopt;
}

Expected<SimulatedFault> not_a_fault(std::string_view fault, const std::string& what) {
    return problem("fault '" + std::string(fault) + "': " + what +
                   "; a fault is FUNCTION CALL ERROR|hang [sticky], as in 'cudaMalloc 3 2 sticky'");
}

}  // namespace

Expected<SimulatedFault> parse_fault(std::string_view text) {
    const auto words = words_of(text);
    const auto quoted = [&](std::size_t word) { return "'" + std::string(words[word]) + "'"; };
    if (words.size() < 3 || words.size() > 4)
        return not_a_fault(text, "has " + std::to_string(words.size()) + " words");
    if (!words[0].starts_with("cu")) return not_a_fault(text, quoted(0) + " is not a runtime function");
    const auto call = count_of(words[1]);
    if (!call) return not_a_fault(text, quoted(1) + " is not a call number (the first call is 1)");
    const bool hang = words[2] == "hang";
    const auto error = count_of(words[2]);
    if (!hang && !error) return not_a_fault(text, quoted(2) + " is neither an error number nor 'hang'");
    const bool sticky = words.size() == 4;
    if (sticky && words[3] != "sticky") return not_a_fault(text, quoted(3) + " is not 'sticky'");
    SimulatedFault fault{.function = std::string(words[0]), .call = static_cast<std::uint64_t>(*call)};
    fault.error = error.value_or(0);
    fault.hang = hang;
    fault.sticky = sticky;
    return fault;
}

}  // namespace tocuda
