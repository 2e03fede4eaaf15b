// tocuda, Apache-2.0.
#include "libtorch/entry_points.hpp"

#include <ATen/ATen.h>
#include <torch/cuda.h>

#include "libtorch/attempt.hpp"
#include "libtorch/text.hpp"
#include "libtorch/warnings.hpp"

namespace tocuda {

void observe_entry_points(Observer& see) {
    {
        Warnings warnings;
        bool available = false;
        const auto asked = attempt([&] { available = torch::cuda::is_available(); });
        see("is_available.threw", asked.threw);
        see("is_available", available);
        see("is_available.warnings", static_cast<std::int64_t>(warnings.texts().size()));
        see("is_available.warning", warnings.texts().empty() ? std::string() : warnings.texts().front());
    }
    const auto tensor = at::arange(25, at::kFloat).reshape({5, 5});
    auto moved = tensor;
    say(see, "to(cuda)", attempt([&] { moved = tensor.to(at::kCUDA); }));
    say(see, "to(cuda:0)", attempt([&] { moved = tensor.to(at::Device(at::kCUDA, 0)); }));
    say(see, "cuda()", attempt([&] { moved = tensor.cuda(); }));
    say(see, "empty(cuda)", attempt([&] { at::empty({5, 5}, at::device(at::kCUDA)); }));
    see("assigned.device", text(moved.device()));
    see("source.device", text(tensor.device()));
    see("source.unchanged", at::equal(tensor, at::arange(25, at::kFloat).reshape({5, 5})));
}

bool every_way_threw(const Evidence& evidence) {
    return evidence.flag("to(cuda).threw") && evidence.flag("to(cuda:0).threw") && evidence.flag("cuda().threw") &&
           evidence.flag("empty(cuda).threw");
}

std::string opening(const std::string& message) {
    constexpr std::size_t enough = 72;
    const auto line = message.substr(0, message.find('\n'));
    if (line.size() <= enough) return line;
    return line.substr(0, line.rfind(' ', enough)) + " ...";
}

std::string ways_in_words(const Evidence& evidence) {
    std::string words;
    for (const std::string way : {"to(cuda)", "to(cuda:0)", "empty(cuda)"}) {
        words += (words.empty() ? "" : "; ") + way;
        if (!evidence.flag(way + ".threw")) {
            words += " did not throw";
            continue;
        }
        words += " threw " + evidence.text(way + ".type") + " \"" + opening(evidence.text(way + ".message")) + "\"";
    }
    return words;
}

}  // namespace tocuda
