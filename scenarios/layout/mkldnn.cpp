// tocuda, Apache-2.0.
// Formats that make the CPU fast. An opaque mkldnn tensor, which only the CPU has, throws at once when it is moved,
// with a distinct exception type; made dense, the same values move. channels_last moves as it is.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "worker/registered.hpp"

namespace tocuda::layout::mkldnn {
namespace {

void observe(Observer& see) {
    const auto source = at::arange(0, 24, at::kFloat).reshape({4, 6});
    const auto opaque = source.to_mkldnn();
    see("layout", tocuda::text(opaque.layout()));
    see("on_the_cpu.equal", at::equal(at::relu(opaque).to_dense(), source));
    auto moved = opaque;
    say(see, "to(cuda:0)", tocuda::attempt([&] { moved = opaque.to(at::Device(at::kCUDA, 0)); }));
    say(see, "to(cuda)", tocuda::attempt([&] { moved = opaque.to(at::kCUDA); }));
    see("assigned.device", tocuda::text(moved.device()));
    const auto images = at::arange(0, 48, at::kFloat).reshape({1, 4, 3, 4}).contiguous(at::MemoryFormat::ChannelsLast);
    auto there = images;
    const auto tried = tocuda::attempt([&] { there = images.to(at::kCUDA); });
    say(see, "channels_last", tried);
    see("channels_last.device", tocuda::text(there.device()));
    see("channels_last.kept", there.is_contiguous(at::MemoryFormat::ChannelsLast) && !there.is_contiguous());
    if (!tried.threw) see.computed_by_gpu("channels_last.equal", at::equal(there.to(at::kCPU), images));
    at::Tensor dense;
    const auto cured = tocuda::attempt([&] { dense = opaque.to_dense().to(at::Device(at::kCUDA, 0)); });
    say(see, "dense", cured);
    if (!cured.threw) see.computed_by_gpu("dense.equal", at::equal(dense.to(at::kCPU), source));
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.text("layout") != "Mkldnn" || !evidence.flag("on_the_cpu.equal")) return;
    if (!evidence.flag("to(cuda:0).threw") && !evidence.flag("to(cuda).threw")) {
        const auto& device = evidence.text("assigned.device");
        if (device.starts_with("cuda")) say.refuted("002-10", "the mkldnn tensor moved to " + device);
        return;
    }
    // If a dense tensor does not move either, the cause may not be the layout.
    if (evidence.flag("dense.threw") || !evidence.flag("dense.equal")) return;
    const bool typed = evidence.text("to(cuda:0).type") == "c10::NotImplementedError" &&
                       evidence.text("to(cuda).type") == "c10::NotImplementedError";
    if (!typed) return;
    const std::string throws = "moving mkldnn throws NotImplementedError; ";
    if (evidence.flag("channels_last.threw")) {
        if (evidence.text("channels_last.type") == "c10::NotImplementedError")
            say.reproduced("002-10", throws + "so does channels_last");
    } else if (evidence.text("channels_last.device").starts_with("cuda") && evidence.flag("channels_last.kept") &&
               evidence.flag("channels_last.equal")) {
        say.partial("002-10", throws + "channels_last arrives as it is, equal");
    }
}

const Registered mkldnn{{
    .summary = "move tensors in formats that make the CPU fast: mkldnn, the same made dense, and channels_last",
    .observed =
        "the exceptions of moving an mkldnn tensor, the move of the same values made dense, and that of channels_last",
    .decisive =
        "moving mkldnn must throw a NotImplementedError while the dense tensor arrives equal; whether channels_last "
        "does too",
    .claims = {{"002-10", "a CPU-optimised layout always has issues"}},
    .variants = {{.name = "default", .expected = {{"002-10", partial}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::layout::mkldnn
