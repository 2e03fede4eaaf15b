// tocuda, Apache-2.0.
// Moves every dtype in every layout in three ways. An ordinary view moves with any strides, a sparse tensor part by
// part; mkldnn, which only the CPU has, throws. Only quantized views with gaps silently stay on the CPU.
#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "libtorch/attempt.hpp"
#include "libtorch/known_differences.hpp"
#include "libtorch/many_moves.hpp"
#include "libtorch/specimens.hpp"
#include "worker/registered.hpp"

namespace tocuda::layout::every_layout {
namespace {

constexpr std::array ways{tocuda::Way::blocking, tocuda::Way::non_blocking, tocuda::Way::pinned};

// What a usual dtype cannot do in a layout is not tried for the others, because an exception costs milliseconds.
struct Possible {
    bool made = false;
    bool pinned = false;
};

Possible possible(const tocuda::Specimen& specimen) {
    const auto& layout = specimen.layout;
    const auto usual = layout == "conjugated"              ? at::kComplexFloat
                       : layout == "quantized_per_channel" ? at::kQInt8
                                                           : at::kFloat;
    at::Tensor one;
    if (tocuda::attempt([&] { one = specimen.make(usual); }).threw) return {};
    return {true, !tocuda::attempt([&] { one.pin_memory(); }).threw};
}

using Types = std::vector<at::ScalarType>;

void sweep_layout(Observer& see, const tocuda::Specimen& specimen, const Types& pinnable) {
    const auto can = possible(specimen);
    see(specimen.layout + ".can_be_pinned", can.pinned);
    tocuda::ManyMoves moves;
    for (const auto type : tocuda::every_scalar_type()) {
        at::Tensor source;
        if (!can.made || tocuda::attempt([&] { source = specimen.make(type); }).threw) {
            moves.not_made();
            continue;
        }
        const bool pins = can.pinned && std::find(pinnable.begin(), pinnable.end(), type) != pinnable.end();
        for (const auto way : ways)
            if (way != tocuda::Way::pinned || pins) moves.move(source, tocuda::text(type), way);
    }
    moves.say(see, specimen.layout);
}

void observe(Observer& see) {
    const auto types = tocuda::every_scalar_type();
    see("types", static_cast<std::int64_t>(types.size()));
    Types pinnable;
    for (const auto type : types)
        if (!tocuda::attempt([&] { tocuda::patterned(type, {2}).pin_memory(); }).threw) pinnable.push_back(type);
    see("types.pinnable", static_cast<std::int64_t>(pinnable.size()));
    for (const auto& specimen : tocuda::every_layout()) sweep_layout(see, specimen, pinnable);
}

// Quantized views with gaps stay on the CPU wherever they are sent; see quantized_view.
bool all_quantized(const tocuda::Values& lines) {
    return std::all_of(lines.begin(), lines.end(), [](const tocuda::Value& line) {
        const auto* text = std::get_if<std::string>(&line.held);
        if (!text || text->find(": ") == std::string::npos) return false;
        std::istringstream names(text->substr(text->find(": ") + 2));
        for (std::string name; names >> name;)
            if (!name.starts_with('Q')) return false;
        return true;
    });
}

void judge_existence(const Evidence& evidence, Judgement& say) {
    std::size_t found = 0;
    std::string missing;
    const std::array special{"transposed", "channels_last", "coo", "csr", "csc", "bsr", "bsc", "nested", "mkldnn"};
    for (const std::string layout : special) {
        if (evidence.integer(layout + ".tried") > 0) ++found;
        else missing = ", not " + layout;
    }
    say("002-08",
        found == special.size() ? reproduced
        : found == 0            ? refuted
                                : partial,
        std::to_string(found) + " of " + std::to_string(special.size()) + " layouts beside row-major can be made" +
            missing);
}

bool all_refused_by_layout(const tocuda::Values& refused) {
    return !refused.empty() && std::all_of(refused.begin(), refused.end(), [](const tocuda::Value& line) {
        const auto* text = std::get_if<std::string>(&line.held);
        return text && text->starts_with("c10::NotImplementedError ");
    });
}

constexpr std::array<std::string_view, 6> of_parts{"coo", "csr", "csc", "bsr", "bsc", "nested"};

void judge_moves(const Evidence& evidence, Judgement& say) {
    std::int64_t tried = 0;
    std::int64_t moved = 0;
    bool intact = true;
    std::string failed;
    for (const auto& specimen : tocuda::every_layout()) {
        const auto& layout = specimen.layout;
        if (!specimen.plain && std::find(of_parts.begin(), of_parts.end(), layout) == of_parts.end()) continue;
        tocuda::ManyMoves::require_no_fault(evidence, layout);
        tried += evidence.integer(layout + ".tried");
        moved += evidence.integer(layout + ".moved");
        const bool as_said =
            evidence.list(layout + ".refused").empty() && all_quantized(evidence.list(layout + ".stayed"));
        if (!as_said) failed = layout;
        intact = evidence.list(layout + ".changed").empty() && intact;
    }
    if (!failed.empty()) return say.reproduced("002-09", "not every " + failed + " tensor moves that the CPU can copy");
    if (moved < 1 || !intact) return;
    const auto others = std::to_string(moved) + " of " + std::to_string(tried) + " moves arrive equal";
    if (evidence.integer("mkldnn.tried") < 1) return;
    if (evidence.integer("mkldnn.moved") > 0 && evidence.list("mkldnn.refused").empty())
        say.refuted("002-09", others + ", those of mkldnn too");
    else if (evidence.integer("mkldnn.moved") == 0 && all_refused_by_layout(evidence.list("mkldnn.refused")))
        say.partial("002-09", others + "; the CPU's mkldnn throws NotImplementedError");
}

void judge(const Evidence& evidence, Judgement& say) {
    judge_existence(evidence, say);
    judge_moves(evidence, say);
}

const Registered every_layout{{
    .summary = "move every dtype in every layout: blocking, non-blocking, and from pinned memory",
    .observed = "every dtype in every layout, moved in three ways: what was refused, what stayed, and the bytes after "
                "a round trip",
    .decisive =
        "which layouts arrive unchanged of those that the CPU itself can copy, and whether mkldnn's error is about the "
        "layout; errors of the GPU or its memory decide nothing",
    .claims = {{"002-08", "row-major and special layouts exist"}, {"002-09", "an unfit layout may make the move fail"}},
    .variants = {{.name = "default", .expected = {{"002-08", reproduced}, {"002-09", partial}}}},
    .needs = {.gpus = 1},
    .differs = {tocuda::number_of_dtypes("types")},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::layout::every_layout
