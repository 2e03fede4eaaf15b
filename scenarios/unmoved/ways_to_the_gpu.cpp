// tocuda, Apache-2.0.
// .to() is one of several ways: .cuda(), a factory's device, a tensor made like another, and a copy into an existing
// tensor.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "worker/registered.hpp"

namespace tocuda::unmoved::ways_to_the_gpu {
namespace {

const std::vector<std::string> ways{"to", "cuda", "copy_", "factory", "like"};

void observe(Observer& see) {
    const auto source = at::arange(100, at::kInt);
    const auto moved = source.to(at::kCUDA);
    const auto by_cuda = source.cuda();
    auto copied = at::empty({100}, at::dtype(at::kInt).device(at::kCUDA));
    copied.copy_(source);
    for (const auto& [name, tensor] :
         {std::pair{"to", moved}, std::pair{"cuda", by_cuda}, std::pair{"copy_", copied}}) {
        see(std::string(name) + ".device", tocuda::text(tensor.device()));
        see.computed_by_gpu(std::string(name) + ".equal", at::equal(tensor.to(at::kCPU), source));
    }
    see("factory.device", tocuda::text(at::zeros({100}, at::device(at::kCUDA)).device()));
    see("like.device", tocuda::text(at::zeros_like(copied).device()));
    see("nothing.device", tocuda::text(at::zeros({100}).device()));
}

void judge(const Evidence& evidence, Judgement& say) {
    if (!evidence.text("nothing.device").starts_with("cpu")) {
        say.refuted("004-08", "a tensor made without a device is on " + evidence.text("nothing.device"));
        return;
    }
    if (!evidence.text("to.device").starts_with("cuda") || !evidence.flag("to.equal")) return;
    std::string others;
    for (const auto& way : ways)
        if (way != "to" && evidence.text(way + ".device").starts_with("cuda"))
            others += (others.empty() ? "" : ", ") + way;
    const bool intact = evidence.flag("cuda.equal") && evidence.flag("copy_.equal");
    if (others.empty()) say.reproduced("004-08", "only .to() leads to the GPU");
    else if (intact) say.partial("004-08", "on the GPU without .to(): " + others);
}

const Registered ways_to_the_gpu{{
    .summary = "put tensors on the GPU with and without .to()",
    .observed = "the device and values of a tensor by .to(), .cuda(), copy_(), a factory's device, and a tensor made "
                "like another",
    .decisive = "partly true if a tensor is on the GPU without .to()",
    .claims = {{"004-08", "code must call .to() to use the GPU"}},
    .variants = {{.name = "default", .expected = {{"004-08", partial}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::unmoved::ways_to_the_gpu
