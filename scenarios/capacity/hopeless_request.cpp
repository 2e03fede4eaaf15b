// tocuda, Apache-2.0.
// Requests 3.6 TiB of one GPU. Every GPU refuses with the message that the documents' example looks for, but the
// fallback is a different tensor, a thousandth of the size. When the CPU's memory runs out the message differs, so a
// search for "out of memory" does not find it.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "libtorch/entry_points.hpp"
#include "worker/registered.hpp"

namespace tocuda::capacity::hopeless_request {
namespace {

void observe(Observer& see) {
    auto device = at::Device(at::kCUDA);
    at::Tensor x;
    const auto tried = tocuda::attempt([&] { x = at::randn({10000, 10000, 10000}, at::device(device)); });
    say(see, "large", tried);
    see("large.device", x.defined() ? tocuda::text(x.device()) : "");
    const bool matches = tried.threw && tried.message.find("CUDA out of memory") != std::string::npos;
    see("large.matches", matches);
    if (!matches) return;
    device = at::Device(at::kCPU);
    // Its pages are never touched: only the size counts here, and filling four gigabytes takes seconds.
    say(see, "fallback", tocuda::attempt([&] { x = at::empty({1000, 1000, 1000}, at::device(device)); }));
    see("fallback.device", x.defined() ? tocuda::text(x.device()) : "");
    see("fallback.elements", x.defined() ? x.numel() : std::int64_t{0});
}

void judge(const Evidence& evidence, Judgement& say) {
    if (!evidence.flag("large.threw")) {
        say.refuted("001-E3", "3725 GiB was granted on " + evidence.text("large.device"));
        return;
    }
    if (!tocuda::threw_out_of_memory(evidence, "large")) return;
    if (!evidence.flag("large.matches")) {
        say.refuted("001-E3", "the example misses \"" + tocuda::opening(evidence.text("large.message")) + "\"");
        return;
    }
    if (evidence.flag("fallback.threw"))
        say.partial("001-E3", "3725 GiB is refused; the fallback throws " + tocuda::error_name(evidence, "fallback"));
    else if (evidence.text("fallback.device") == "cpu")
        say.reproduced("001-E3", "3725 GiB is refused; the CPU gets another tensor, of " +
                                     std::to_string(evidence.integer("fallback.elements")) + " elements");
}

const Registered hopeless_request{{
    .summary = "request a 10000 x 10000 x 10000 tensor on the GPU, with a smaller one on the CPU as the fallback",
    .observed =
        "the exception of a request for 3.6 TiB, whether its text has the expected words, and what the fallback makes",
    .decisive = "the exception must be an OutOfMemoryError with those words, and the fallback must be on the CPU",
    .claims = {{"001-E3", "a huge tensor can fall back to the CPU"}},
    .variants = {{.name = "with_gpu", .expected = {{"001-E3", reproduced}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::capacity::hopeless_request
