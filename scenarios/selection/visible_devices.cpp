// tocuda, Apache-2.0.
// Tries each form of CUDA_VISIBLE_DEVICES: which GPUs remain, under which index, and what happens to a tensor for a
// hidden one. Simulated GPUs follow CUDA's rules for the variable themselves, so there this proves LibTorch's reaction.
// GPUs are identified by their memory size.
#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <torch/cuda.h>

#include "libtorch/attempt.hpp"
#include "libtorch/entry_points.hpp"
#include "libtorch/known_differences.hpp"
#include "libtorch/text.hpp"
#include "worker/registered.hpp"

namespace tocuda::selection::visible_devices {
namespace {

constexpr auto partial = tocuda::Verdict::partial;
constexpr auto reproduced = tocuda::Verdict::reproduced;
constexpr auto not_set = "(unset)";
constexpr int no_device = 100;
constexpr int invalid_device = 101;
constexpr std::size_t mebibyte = std::size_t{1} << 20;

void observe(Observer& see) {
    const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
    see("visible_devices", list ? list : not_set);
    const bool available = torch::cuda::is_available();
    const auto count = static_cast<std::int64_t>(torch::cuda::device_count());
    see("is_available", available);
    see("device_count", count);
    tocuda::Values memory;
    for (std::int64_t gpu = 0; gpu < count; ++gpu)
        memory.emplace_back(
            at::getDeviceAllocator(at::kCUDA)->getMemoryInfo(static_cast<c10::DeviceIndex>(gpu)).second / mebibyte);
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

std::string in_words(const Evidence& evidence) {
    const auto& list = evidence.text("visible_devices");
    const auto count = evidence.integer("device_count");
    auto words = list == not_set ? "CUDA_VISIBLE_DEVICES is not set and" : "CUDA_VISIBLE_DEVICES=\"" + list + "\"";
    words +=
        " leaves " + (count == 0 ? std::string("no GPU") : std::to_string(count) + (count == 1 ? " GPU" : " GPUs"));
    for (const auto& value : evidence.list("memory_mib")) {
        const auto* size = std::get_if<std::int64_t>(&value.held);
        if (!size) throw tocuda::Undecided("a memory size is not a number");
        words += (&value == &evidence.list("memory_mib").front() ? " of " : ", ") + std::to_string(*size) + " MiB";
    }
    return words;
}

void judge_hidden(const Evidence& evidence, Judgement& say, const std::string& words) {
    const auto count = evidence.integer("device_count");
    if (!evidence.flag("hidden.threw")) {
        say.refuted("001-08", words + ", but a tensor for one more ended on " + evidence.text("hidden.device"));
        return;
    }
    const auto text = "\"" + tocuda::opening(evidence.text("hidden.message")) + "\"";
    if (count > 0 && evidence.text("hidden.type") == "c10::AcceleratorError" &&
        evidence.integer("hidden.code") == invalid_device)
        say.partial("001-08", words + "; requesting one more is an error, not a fallback to the CPU: " + text);
    else if (count == 0 && evidence.text("hidden.message").starts_with("No CUDA GPUs are available"))
        say.partial("001-08", words + "; requesting the first is an error, not a fallback to the CPU: " + text);
}

void judge(const Evidence& evidence, Judgement& say) {
    const auto words = in_words(evidence);
    const auto count = evidence.integer("device_count");
    const bool available = evidence.flag("is_available");
    judge_hidden(evidence, say, words);
    if (!available && count == 0 && evidence.flag("current.threw") && evidence.integer("current.code") == no_device)
        say.partial("004-11", "is_available() is false although driver and GPUs work: " + words);
    if (available && evidence.text("visible_devices").empty())
        say.reproduced("004-11", "is_available() is true although no GPU is visible");
    const auto& wanted = evidence.text("chosen.wanted");
    const auto& device = evidence.text("chosen.device");
    const bool there = !evidence.flag("chosen.threw") && (device == wanted || (wanted == "cuda" && device == "cuda:0"));
    if (there && evidence.flag("chosen.equal"))
        say.reproduced("001-E2", words + "; the example chooses " + wanted + " and the tensor is on " + device);
    else if (!there)
        say.refuted("001-E2", words + "; the example chooses " + wanted + " and the tensor is on " + device);
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
        "counts, devices, and error codes 100 and 101; partial if is_available() is false while the driver works",
    .claims = {{"001-08", "PyTorch may try a GPU that is offline or busy, and fail"},
               {"001-E2", "choosing cuda:1 on a machine with several GPUs puts the tensor there"},
               {"004-11", "if is_available() is false there is a problem of set-up, driver or installation"}},
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
