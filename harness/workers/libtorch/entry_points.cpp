// tocuda, Apache-2.0.
#include "libtorch/entry_points.hpp"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <torch/cuda.h>

#include <algorithm>
#include <vector>

#include "libtorch/attempt.hpp"

namespace tocuda {
namespace {

// Collects LibTorch's warnings while this object lives.
class Warnings : public c10::WarningHandler {
public:
    Warnings() : before(c10::WarningUtils::get_warning_handler()) { c10::WarningUtils::set_warning_handler(this); }
    ~Warnings() override { c10::WarningUtils::set_warning_handler(before); }
    Warnings(const Warnings&) = delete;
    Warnings& operator=(const Warnings&) = delete;

    void process(const c10::Warning& warning) override { heard.push_back(warning.msg()); }
    const std::vector<std::string>& texts() const { return heard; }

private:
    c10::WarningHandler* before;
    std::vector<std::string> heard;
};

}  // namespace

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
    constexpr std::size_t enough = 45;
    auto line = message.substr(0, message.find('\n'));
    for (const auto* end : {". ", ", ", " - ", " ("}) line = line.substr(0, line.find(end));
    if (line.size() <= enough) return line;
    return line.substr(0, std::min(line.rfind(' ', enough), enough)) + "...";
}

std::string ways_in_words(const Evidence& evidence) {
    for (const std::string way : {"to(cuda)", "to(cuda:0)", "cuda()", "empty(cuda)"})
        if (!evidence.flag(way + ".threw")) return way + " did not throw";
    return "every way throws error " + std::to_string(evidence.integer("to(cuda).code")) + ", \"" +
           opening(evidence.text("to(cuda:0).message")) + "\"";
}

}  // namespace tocuda
