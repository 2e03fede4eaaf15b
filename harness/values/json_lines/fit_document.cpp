// tocuda, Apache-2.0.
#include "json_lines/fit_document.hpp"

#include "json_lines/json.hpp"

namespace tocuda {
namespace {

template <class Type>
void put(json::Json& to, const char* name, const std::optional<Type>& value) {
    if (value) to[name] = *value;
}

json::Json brink_json(const FitBrink& brink, std::int64_t steps) {
    json::Json json{{"settings", brink.settings}, {"bytes", brink.bytes}, {"basis", brink.basis}};
    put(json, brink.went_on ? "went_on_at_bytes" : "failed_at_bytes", brink.failed_at_bytes);
    if (brink.fails_above_bytes > 0) json["fails_above_bytes"] = brink.fails_above_bytes;
    json["flushes"] = brink.flushes;
    if (steps > 0) json["flushes_per_step"] = static_cast<double>(brink.flushes) / static_cast<double>(steps);
    return json;
}

json::Json peak_json(const FitPeak& peak) {
    json::Json json{{"device", peak.device},
                    {"line", nullptr},
                    {"allocated_bytes", peak.allocated_bytes},
                    {"reserved_bytes", peak.reserved_bytes},
                    {"live", json::Json::array()}};
    put(json, "step", peak.recorded.step);
    if (!peak.recorded.line.empty()) json["line"] = peak.recorded.line;
    for (const auto& line : peak.recorded.live) json["live"].push_back({{"line", line.line}, {"bytes", line.bytes}});
    return json;
}

json::Json need_json(const FitNeed& need) {
    json::Json json{{"comfortable_bytes", need.comfortable_bytes},
                    {"brink", json::Json::array()},
                    {"peak", peak_json(need.peak)},
                    {"outside",
                     {{"bytes", need.outside.bytes},
                      {"uncertain_bytes", need.outside.uncertain_bytes},
                      {"source", need.outside.source}}},
                    {"host", {{"pinned_bytes", need.host.pinned_bytes}}},
                    {"steps", need.steps},
                    {"processes", need.processes},
                    {"asks_for_free_memory", need.asks},
                    {"not_known", need.not_known}};
    if (need.host.pageable_bytes > 0) json["host"]["pageable_bytes"] = need.host.pageable_bytes;
    for (const auto& brink : need.brink) json["brink"].push_back(brink_json(brink, need.steps));
    return json;
}

json::Json gpu_json(const FitGpu& gpu, const std::vector<FitNeed>& needs) {
    json::Json json{{"name", gpu.name}, {"memory_bytes", gpu.memory_bytes}, {"verdict", gpu.verdict}};
    if (gpu.need) {
        const auto& need = needs.at(*gpu.need);
        json["left_bytes"] = gpu.left_bytes;
        json["basis"] = gpu.basis;
        json["comfortable_bytes"] = need.comfortable_bytes;
        json["brink_bytes"] = need.brink.at(0).bytes + need.outside.bytes;
    }
    if (!gpu.because.empty()) json["because"] = gpu.because;
    return json;
}

json::Json varied_json(const FitVaried& varied) {
    json::Json json{{"gpu", varied.gpu},
                    {"name", varied.name},
                    {"largest", nullptr},
                    {"comfortable_bytes", varied.bytes},
                    {"memory_bytes", varied.memory_bytes},
                    {"is_last", varied.is_last}};
    put(json, "largest", varied.largest);
    return json;
}

}  // namespace

std::string fit_document(const Fitted& fitted) {
    json::Json document{{"kind", "fit"}, {"gpus", json::Json::array()}};
    if (!fitted.needs.empty()) document.update(need_json(fitted.needs.at(0)));
    for (const auto& gpu : fitted.gpus) document["gpus"].push_back(gpu_json(gpu, fitted.needs));
    if (fitted.needs.size() > 1)
        for (const auto& need : fitted.needs) document["needs"].push_back(need_json(need));
    for (const auto& varied : fitted.varied) document["vary"].push_back(varied_json(varied));
    return json::pretty(document);
}

}  // namespace tocuda
