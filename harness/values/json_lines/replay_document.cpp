// tocuda, Apache-2.0.
#include "json_lines/replay_document.hpp"

#include "json_lines/fields.hpp"

namespace tocuda {

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

}  // namespace tocuda
