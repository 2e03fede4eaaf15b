// tocuda, Apache-2.0.
#include "lines/build_line.hpp"

#include <regex>

#include "lines/json.hpp"
#include "lines/words.hpp"

namespace tocuda {
namespace {

using json::Json;

Build to_build(const Json& object) {
    Build build{{json::field<std::string>(object, "version"), {}, json::field<bool>(object, "dirty")},
                json::amount<int>(object, "protocol")};
    json::take(object, "commit", build.suite.commit);
    return build;
}

}  // namespace

std::string version_text(const Build& build) {
    const auto commit = build.suite.commit ? build.suite.commit->substr(0, 12) : "commit unknown";
    return "tocuda " + build.suite.version + " (" + commit + (build.suite.dirty ? ", with changes" : "") + ")";
}

std::string to_line(const Build& build) {
    Json object{{"version", build.suite.version}};
    json::put(object, "commit", build.suite.commit);
    object["dirty"] = build.suite.dirty;
    object["protocol"] = build.protocol;
    return json::text(object);
}

Parsed<Build> build_line(std::string_view said) {
    constexpr std::size_t longest_sentence = 200;  // the regular expression recurses for each character
    if (said.starts_with('{')) return json::parsed<Build>(said, to_build);
    static const std::regex sentence(R"(tocuda (\S+) \(([0-9a-f]{7,40}|commit unknown)(, with changes)?\))");
    std::cmatch parts;
    if (said.size() > longest_sentence || !std::regex_match(said.data(), said.data() + said.size(), parts, sentence))
        return {std::nullopt, "it does not report a version"};
    Build build{{parts[1], {}, parts[3].matched}, 1};
    if (parts[2] != "commit unknown") build.suite.commit = parts[2];
    return {build, {}};
}

}  // namespace tocuda
