// tocuda, Apache-2.0.
#include "json_lines/build_line.hpp"

#include <regex>

#include "json_lines/fields.hpp"
#include "json_lines/recorded_json.hpp"

namespace tocuda {
void fields(auto& io, Of<Build> auto& build) {
    io("version", build.suite.version);
    io("commit", build.suite.commit);
    io("dirty", build.suite.dirty);
    io("protocol", build.protocol, As::amount);
}

std::string version_text(const Build& build) {
    const auto commit = build.suite.commit ? build.suite.commit->substr(0, 12) : "commit unknown";
    return "tocuda " + build.suite.version + " (" + commit + (build.suite.dirty ? ", with changes" : "") + ")";
}

json::Json json::of_build(const Build& build) { return of(build); }

std::string to_line(const Build& build) { return json::text(json::of(build)); }

Expected<Build> build_line(std::string_view said) {
    constexpr std::size_t longest_sentence = 200;  // the regular expression recurses for each character
    if (said.starts_with('{')) return dom::parsed<Build>(said, dom::to<Build>);
    static const std::regex sentence(R"(tocuda (\S+) \(([0-9a-f]{7,40}|commit unknown)(, with changes)?\))");
    std::cmatch parts;
    if (said.size() > longest_sentence || !std::regex_match(said.data(), said.data() + said.size(), parts, sentence))
        return problem("it does not report a version");
    Build build{{parts[1], {}, parts[3].matched}, 1};
    if (parts[2] != "commit unknown") build.suite.commit = parts[2];
    return build;
}

}  // namespace tocuda
