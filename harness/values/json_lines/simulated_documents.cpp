// tocuda, Apache-2.0.
#include "json_lines/documents.hpp"
#include "json_lines/fields.hpp"
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

void fields(auto& io, Of<ReplaySource> auto& source) {
    io("sha256", source.sha256, As::shown);
    io("settings", source.settings, As::shown);
    io("events", source.events);
    io("truncated", source.truncated);
    io("filtered", source.filtered);
    io("start_bytes", source.start_bytes);
    io("ends_in_oom", source.ends_in_oom);
    io("stopped", source.stopped);
}

void fields(auto& io, Of<ReplayDifference> auto& difference) {
    io("number", difference.number);
    io.unless_empty("recorded", difference.recorded, As::shown);
    io.unless_empty("replayed", difference.replayed, As::shown);
}

void fields(auto& io, Of<ReplaySame> auto& same) {
    io("segment_events", same.segment_events);
    io("matching", same.matching);
    io("reproduced", same.reproduced);
    io("first_difference", same.first_difference);
    io("reserved_peak_bytes", same.reserved_peak_bytes);
    io("guesses", same.guesses, As::shown);
}

void fields(auto& io, Of<ReplayLine> auto& line) {
    io("line", line.line, As::shown);
    io("bytes", line.bytes);
}

void fields(auto& io, Of<ReplayPeak> auto& peak) {
    io("event", peak.event);
    io("step", peak.step);
    io.unless_empty("line", peak.line, As::shown);
    io("blocks_bytes", peak.blocks_bytes);
    io("live", peak.live);
    io("before_bytes", peak.before_bytes);
    io("without_line_bytes", peak.without_line_bytes);
}

void fields(auto& io, Of<ReplayOutOfMemory> auto& oom) {
    io("event", oom.event);
    io("size", oom.size);
    io.unless_empty("line", oom.line, As::shown);
}

void fields(auto& io, Of<ReplayCourse> auto& course) {
    io("events", course.events);
    io("allocated_bytes", course.allocated_bytes);
    io("reserved_bytes", course.reserved_bytes);
}

void fields(auto& io, Of<ReplayRow> auto& row) {
    io("torch", row.torch, As::shown);
    io("settings", row.settings, As::shown);
    io("capacity_bytes", row.capacity_bytes);
    io("survived", row.survived);
    io("oom", row.oom);
    io("reserved_peak_bytes", row.reserved_peak_bytes);
    io("allocated_peak_bytes", row.allocated_peak_bytes);
    io("retries", row.retries);
    io("course", row.course);
    io("basis", row.basis, As::shown);
    io("guesses", row.guesses, As::shown);
    io("smallest_bytes", row.smallest_bytes);
    io.unless_empty("smallest_basis", row.smallest_basis, As::shown);
    io("smallest_retries", row.smallest_retries);
    if (io.reads || row.smallest_bytes) io.or_else("fails_above_bytes", row.fails_above_bytes);
}

void fields(auto& io, Of<ReplayNote> auto& note) {
    io("what", note.what, As::shown);
    io("operator", note.name, As::shown);
    io.unless_empty("line", note.line, As::shown);
}

void fields(auto& io, Of<Replayed> auto& replayed) {
    io("source", replayed.source);
    io("torch", replayed.torch, As::shown);
    io("same", replayed.same);
    io("peak", replayed.peak);
    io("what_if", replayed.rows);
    io("device", replayed.device);
    io("steps", replayed.steps);
    io.unless_empty("notes", replayed.notes);
}

void fields(auto& io, Of<ReplayRefused> auto& refused) {
    io("code", refused.code);
    io("refused", refused.why, As::shown);
}

void fields(auto& io, Of<ReplayRequest> auto& request) {
    io("files", request.files);
    io("every_device", request.every_device);
    io("settings", request.settings);
    io("capacities", request.capacities);
    io("smallest", request.smallest);
}

std::string to_text(const ReplayRequest& request) { return json::text(json::of(request)); }

namespace {

struct Answers {
    std::vector<Replayed> each{};
};

void fields(auto& io, Of<Answers> auto& answers) { io("each", answers.each); }

}  // namespace

Expected<std::variant<std::vector<Replayed>, ReplayRefused>> replay_answer(std::string_view text) {
    using Answer = std::variant<std::vector<Replayed>, ReplayRefused>;
    return dom::parsed<Answer>(text, [](const dom::Fields& from) {
        return from.find("refused") ? Answer(dom::to<ReplayRefused>(from)) : Answer(dom::to<Answers>(from).each);
    });
}

Expected<Replayed> read_replay_document(std::string_view text) { return dom::line<Replayed>("replay", text); }

std::string replay_document(const Replayed& replayed) {
    json::Json document{{"kind", "replay"}};
    document.update(json::of(replayed));
    return json::pretty(document);
}

std::string simulate_document(const SimulationCounts& counts) {
    json::Json document{{"gpus", json::Json::array()},
                        {"bytes",
                         {{"host_to_device", counts.host_to_device_bytes},
                          {"device_to_host", counts.device_to_host_bytes},
                          {"device_to_device", counts.device_to_device_bytes},
                          {"peer", counts.peer_bytes}}},
                        {"compiled", counts.compiled},
                        {"computed", counts.computed},
                        {"not_computed", json::Json::array()},
                        {"read_back_not_computed", counts.read_back_not_computed},
                        {"read_back_not_known", counts.read_back_not_known},
                        {"unsupported", counts.unsupported}};
    for (std::size_t i = 0; i < counts.gpus.size(); ++i) {
        const auto& gpu = counts.gpus[i];
        document["gpus"].push_back({{"index", i},
                                    {"peak_allocated_bytes", gpu.peak_allocated_bytes},
                                    {"peak_reserved_bytes", gpu.peak_reserved_bytes}});
    }
    for (const auto& [what, count] : counts.not_computed) {
        json::Json row{{"operator", what.first}, {"count", count}, {"line", nullptr}};
        if (!what.second.empty()) row["line"] = what.second;
        document["not_computed"].push_back(row);
    }
    return json::pretty(document);
}

}  // namespace tocuda
