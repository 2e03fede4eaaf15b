// tocuda, Apache-2.0.
#include "record/other_tools.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace tocuda {
namespace {

// Only the beginning is there, so this looks at the text.
bool has_key(std::string_view text, std::string_view key) {
    const auto quoted = fmt::format("\"{}\"", key);
    for (auto at = text.find(quoted); at != std::string_view::npos; at = text.find(quoted, at + 1)) {
        const auto after = text.find_first_not_of(" \t\r\n", at + quoted.size());
        if (after != std::string_view::npos && text[after] == ':') return true;
    }
    return false;
}

std::string_view tool_of(std::string_view text) {
    if (is_babelstream(text)) return "BabelStream";
    const auto* const found = std::ranges::find_if(other_tools, [&](const OtherTool& tool) {
        return std::ranges::all_of(tool.keys, [&](std::string_view key) { return has_key(text, key); });
    });
    return found == other_tools.end() ? "" : found->name;
}

}  // namespace

std::string why_no_record(std::string_view beginning, const std::string& file) {
    if (beginning.find(R"("kind":)") != std::string_view::npos) return "";  // damage rarely spares no line
    if (const auto tool = tool_of(beginning); !tool.empty())
        return fmt::format("looks like the output of {}: `tocuda import {} -o x.jsonl` first", tool, file);
    return "not a result file: its lines are not those that run, bench and merge write";
}

}  // namespace tocuda
