// tocuda, Apache-2.0.
// cuDNN is not needed: with it disabled, a convolution still runs on the GPU, using LibTorch's own kernel.
#include <ATen/ATen.h>
#include <ATen/Context.h>

#include <algorithm>
#include <cctype>

#include "libtorch/attempt.hpp"
#include "libtorch/crossing.hpp"
#include "libtorch/text.hpp"
#include "worker/registered.hpp"

namespace tocuda::environment::without_cudnn {
namespace {

// One filter for each channel: LibTorch's kernel for these uses no other library.
at::Tensor convolve(const at::Tensor& image, const at::Tensor& filter) {
    return at::conv2d(image, filter, {}, 1, 1, 1, image.size(1));
}

void observe(Observer& see) {
    at::globalContext().setUserEnabledCuDNN(false);
    see("cudnn.enabled", at::globalContext().userEnabledCuDNN());
    const auto image = at::arange(2 * 4 * 8 * 8, at::kFloat).reshape({2, 4, 8, 8});
    const auto filter = at::arange(4 * 3 * 3, at::kFloat).reshape({4, 1, 3, 3});
    const auto image_there = image.to(at::kCUDA);
    const auto filter_there = filter.to(at::kCUDA);
    see("moved.device", tocuda::text(image_there.device()));
    see.computed_by_gpu("moved.equal", at::equal(image_there.to(at::kCPU), image));
    at::Tensor result;
    const tocuda::CrossingMark mark;
    say(see, "convolution", tocuda::attempt([&] { result = convolve(image_there, filter_there); }));
    say(see, "convolution", mark.read());
    see("convolution.device", result.defined() ? tocuda::text(result.device()) : "");
    const bool compared = see.variant() == "computes" && result.defined();
    see("convolution.compared", compared);
    if (compared) see.computed_by_gpu("convolution.close", at::allclose(result.to(at::kCPU), convolve(image, filter)));
}

bool names_cudnn(std::string message) {
    std::transform(message.begin(), message.end(), message.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return message.find("cudnn") != std::string::npos;
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.flag("cudnn.enabled")) throw tocuda::Undecided("cuDNN could not be disabled");
    if (!evidence.text("moved.device").starts_with("cuda") || !evidence.flag("moved.equal")) return;
    if (evidence.flag("convolution.threw")) {
        if (!names_cudnn(evidence.text("convolution.message")))
            throw tocuda::Undecided("the convolution failed for another reason: " +
                                    tocuda::error_name(evidence, "convolution"));
        say.reproduced("004-05", "without cuDNN the convolution throws " + tocuda::error_name(evidence, "convolution"));
        return;
    }
    const auto& device = evidence.text("convolution.device");
    if (device == "cpu") say.reproduced("004-05", "without cuDNN the convolution's result is on the CPU");
    const bool launched = evidence.flag("convolution.recorded") && evidence.integer("convolution.kernels") > 0;
    if (!device.starts_with("cuda") || !launched) return;
    const auto kernels = "; kernels launched: " + std::to_string(evidence.integer("convolution.kernels"));
    if (!evidence.flag("convolution.compared"))
        say.refuted("004-05", "without cuDNN a convolution's result is on " + device + kernels);
    else if (evidence.flag("convolution.close"))
        say.refuted("004-05", "without cuDNN a convolution on " + device + " matches the CPU's" + kernels);
}

const Registered without_cudnn{{
    .summary = "move a tensor and convolve it on the GPU with cuDNN disabled",
    .observed =
        "a move and a convolution without cuDNN: exceptions, the kernels launched, and the device of the result",
    .decisive =
        "a result on the GPU from LibTorch's own kernel makes it false; an error makes it true only if it names cuDNN",
    .claims = {{"004-05", "cuDNN is needed"}},
    .variants = {{.name = "launches", .fakes = {"recorder"}, .expected = {{"004-05", refuted}}},
                 {.name = "computes", .fakes = {"recorder"}, .expected = {{"004-05", refuted}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::environment::without_cudnn
