// tocuda, Apache-2.0.
// Tries each form of CUDA_VISIBLE_DEVICES: which GPUs remain, under which index, and what happens to a tensor for a
// hidden one. Simulated GPUs follow CUDA's rules for the variable themselves, so there this proves LibTorch's reaction.
// GPUs are identified by their memory size.
#include <ATen/ATen.h>
#include <torch/cuda.h>

#include "libtorch/attempt.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "libtorch/known_differences.hpp"
#include "worker/registered.hpp"

namespace tocuda::selection::visible_devices {
namespace {

constexpr auto not_set = "(unset)";
constexpr int no_device = 100;
constexpr int invalid_device = 101;
constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

void observe(Observer& see) {
    const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
    see("visible_devices", list ? list : not_set);
    const bool available = torch::cuda::is_available();
    const auto count = static_cast<std::int64_t>(torch::cuda::device_count());
    see("is_available", available);
    see("device_count", count);
    tocuda::Values memory;
    for (int gpu = 0; gpu < count; ++gpu) memory.emplace_back(tocuda::total_bytes(gpu).value_or(0) / mebibyte);
    see("memory_mib", memory);
    // The document's example.
    const auto chosen = count > 1 ? at::Device(at::kCUDA, 1) : available ? at::Device(at::kCUDA) : at::Device(at::kCPU);
    const auto source = at::arange(100, at::kInt);
    auto x = source;
    say(see, "chosen", tocuda::attempt([&] { x = source.to(chosen); }));
    see("chosen.wanted", tocuda::text(chosen));
    see("chosen.device", tocuda::text(x.device()));
    see.computed_by_gpu("chosen.equal", at::equal(x.to(at::kCPU), source));
    auto hidden = source;
    say(see, "hidden",
        tocuda::attempt([&] { hidden = source.to(at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(count))); }));
    see("hidden.device", tocuda::text(hidden.device()));
    say(see, "current", tocuda::attempt([&] { hidden = source.to(at::kCUDA); }));
}

// "CUDA_VISIBLE_DEVICES=\"0,-1,1\" leaves 1 GPU"; a UUID is cut short.
std::string in_words(const Evidence& evidence) {
    constexpr std::size_t enough = 8;
    const auto& list = evidence.text("visible_devices");
    const auto count = evidence.integer("device_count");
    const auto shown = list.size() > enough ? list.substr(0, enough) + "..." : list;
    return "CUDA_VISIBLE_DEVICES" + (list == not_set ? " unset" : "=\"" + shown + "\"") + " leaves " +
           (count == 0 ? "no" : std::to_string(count)) + (count > 1 ? " GPUs" : " GPU");
}

void judge_hidden(const Evidence& evidence, Judgement& say, const std::string& words) {
    const auto count = evidence.integer("device_count");
    if (!evidence.flag("hidden.threw")) {
        say.refuted("001-08", words + "; one more ended on " + evidence.text("hidden.device"));
        return;
    }
    const auto error = words + "; one more gives " + tocuda::error_name(evidence, "hidden");
    if (count > 0 && evidence.text("hidden.type") == "c10::AcceleratorError" &&
        evidence.integer("hidden.code") == invalid_device)
        say.partial("001-08", error);
    else if (count == 0 && evidence.text("hidden.message").starts_with("No CUDA GPUs are available"))
        say.partial("001-08", error);
}

void judge(const Evidence& evidence, Judgement& say) {
    const auto words = in_words(evidence);
    const auto count = evidence.integer("device_count");
    const bool available = evidence.flag("is_available");
    if (count == 0 && evidence.text("visible_devices").starts_with("GPU-"))
        throw tocuda::Undecided("no GPU has the UUID in CUDA_VISIBLE_DEVICES");
    judge_hidden(evidence, say, words);
    if (!available && count == 0 && evidence.flag("current.threw") && evidence.integer("current.code") == no_device)
        say.partial("004-11", words + "; is_available() is false");
    if (available && evidence.text("visible_devices").empty())
        say.reproduced("004-11", words + "; is_available() is true");
    const auto& wanted = evidence.text("chosen.wanted");
    const auto& device = evidence.text("chosen.device");
    const bool there = !evidence.flag("chosen.threw") && (device == wanted || (wanted == "cuda" && device == "cuda:0"));
    if (there && evidence.flag("chosen.equal")) say.reproduced("001-E2", words + "; x is on " + device);
    else if (!there) say.refuted("001-E2", words + "; x for " + wanted + " is on " + device);
}

Variant form(const std::string& name, const std::optional<std::string>& list, const tocuda::Expectations& expected,
             int gpus = 1) {
    return {.name = name,
            .environment = {{"CUDA_VISIBLE_DEVICES", list}},
            .simulate = "1x1GiB,1x2GiB,1x4GiB",
            .needs = tocuda::Needs{.gpus = gpus},
            .expected = expected};
}

const tocuda::Expectations hides_all{{"004-11", partial}};
const tocuda::Expectations leaves_some{{"001-E2", reproduced}};
const tocuda::Expectations leaves_fewer{{"001-E2", reproduced}, {"001-08", partial}};

Variant ordered() {
    auto variant = form("by_bus", "2,1", leaves_some, 3);
    variant.environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
    return variant;
}

const Registered visible_devices{{
    .summary = "choose among three GPUs under CUDA_VISIBLE_DEVICES in each of its forms",
    .observed =
        "which GPUs remain and under which index, identified by their memory, and what requesting a hidden one throws",
    .decisive =
        "counts, devices, and error codes 100 and 101; partly true if is_available() is false while the driver works",
    .claims = {{"001-08", "the CPU or an unusable GPU may be tried"},
               {"001-E2", "cuda:1 is used if there are two GPUs"},
               {"004-11", "is_available() False: a faulty set-up"}},
    .variants = {form("unset", std::nullopt, leaves_fewer),
                 form("empty", "", {{"001-E2", reproduced}, {"001-08", partial}, {"004-11", partial}}),
                 form("minus_one", "-1", hides_all), form("too_large", "99", hides_all),
                 form("repeated", "0,0", hides_all), form("cut_short", "0,-1,1", leaves_fewer),
                 form("turned_round", "2,0", leaves_some, 3),
                 form("uuid", "GPU-70c0da00-0000-4000-8000-000000000001", leaves_some, 3), ordered()},
    .differs = {tocuda::hint_of_asynchrony("hidden", {"unset", "cut_short", "turned_round", "uuid", "by_bus"}),
                tocuda::hint_of_asynchrony("current", {"empty", "minus_one", "too_large", "repeated"})},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::selection::visible_devices
