// tocuda, Apache-2.0.
#include "lines/build_line.hpp"

#include <regex>

#include "lines/dom.hpp"
#include "lines/recorded_json.hpp"

namespace tocuda {
namespace {

Build to_build(const dom::Fields& fields) {
    Build build{{dom::field<std::string>(fields, "version"), {}, dom::field<bool>(fields, "dirty")},
                dom::amount<int>(fields, "protocol")};
    dom::take(fields, "commit", build.suite.commit);
    return build;
}

}  // namespace

std::string version_text(const Build& build) {
    const auto commit = build.suite.commit ? build.suite.commit->substr(0, 12) : "commit unknown";
    return "tocuda " + build.suite.version + " (" + commit + (build.suite.dirty ? ", with changes" : "") + ")";
}

json::Json json::of_build(const Build& build) {
    Json object{{"version", build.suite.version}};
    put(object, "commit", build.suite.commit);
    object["dirty"] = build.suite.dirty;
    object["protocol"] = build.protocol;
    return object;
}

std::string to_line(const Build& build) { return json::text(json::of_build(build)); }

Expected<Build> build_line(std::string_view said) {
    constexpr std::size_t longest_sentence = 200;  // the regular expression recurses for each character
    if (said.starts_with('{')) return dom::parsed<Build>(said, to_build);
    static const std::regex sentence(R"(tocuda (\S+) \(([0-9a-f]{7,40}|commit unknown)(, with changes)?\))");
    std::cmatch parts;
    if (said.size() > longest_sentence || !std::regex_match(said.data(), said.data() + said.size(), parts, sentence))
        return problem("it does not report a version");
    Build build{{parts[1], {}, parts[3].matched}, 1};
    if (parts[2] != "commit unknown") build.suite.commit = parts[2];
    return build;
}

}  // namespace tocuda
