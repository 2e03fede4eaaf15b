// tocuda, Apache-2.0.
// cuDNN's file is needed and its use is not: LibTorch's CUDA library does not load without it, but with cuDNN disabled
// a convolution still runs on the GPU, by LibTorch's own kernel.
#include <ATen/ATen.h>
#include <ATen/Context.h>

#include <algorithm>
#include <cctype>

#include "libtorch/attempt.hpp"
#include "libtorch/crossing.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "worker/registered.hpp"

namespace tocuda::environment::without_cudnn {
namespace {

// One filter for each channel: LibTorch's kernel for these uses no other library.
at::Tensor convolve(const at::Tensor& image, const at::Tensor& filter) {
    return at::conv2d(image, filter, {}, 1, 1, 1, image.size(1));
}

void observe(Observer& see) {
    const auto needed = tocuda::cuda_libraries_needed_by("libtorch_cuda.so");
    see("libtorch_cuda.needs", tocuda::Values(needed.begin(), needed.end()));
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

void judge_file(const Evidence& evidence, Judgement& say) {
    const auto& needed = evidence.list("libtorch_cuda.needs");
    if (needed.empty()) return;  // another build of LibTorch, linked in another way
    for (const auto& value : needed) {
        const auto* name = std::get_if<std::string>(&value.held);
        if (!name) throw tocuda::Undecided("a needed library is not text");
        if (name->starts_with("libcudnn"))
            return say.reproduced("004-05b", "libtorch_cuda.so does not load without " + *name);
    }
    say.refuted("004-05b",
                "CUDA libraries that libtorch_cuda.so needs: " + std::to_string(needed.size()) + ", none of cuDNN's");
}

void judge_use(const Evidence& evidence, Judgement& say) {
    if (evidence.flag("cudnn.enabled")) throw tocuda::Undecided("cuDNN could not be disabled");
    if (!evidence.text("moved.device").starts_with("cuda") || !evidence.flag("moved.equal")) return;
    if (evidence.flag("convolution.threw")) {
        if (!names_cudnn(evidence.text("convolution.message")))
            throw tocuda::Undecided("the convolution failed for another reason: " +
                                    tocuda::error_name(evidence, "convolution"));
        say.reproduced("004-05",
                       "with cuDNN off the convolution throws " + tocuda::error_name(evidence, "convolution"));
        return;
    }
    const auto& device = evidence.text("convolution.device");
    if (device == "cpu") say.reproduced("004-05", "with cuDNN off the convolution's result is on the CPU");
    const bool launched = evidence.flag("convolution.recorded") && evidence.integer("convolution.kernels") > 0;
    if (!device.starts_with("cuda") || !launched) return;
    const auto kernels = "; kernels launched: " + std::to_string(evidence.integer("convolution.kernels"));
    if (!evidence.flag("convolution.compared"))
        say.refuted("004-05", "with cuDNN off a convolution's result is on " + device + kernels);
    else if (evidence.flag("convolution.close"))
        say.refuted("004-05", "with cuDNN off a convolution on " + device + " matches the CPU's" + kernels);
}

void judge(const Evidence& evidence, Judgement& say) {
    judge_use(evidence, say);
    judge_file(evidence, say);
}

const Registered without_cudnn{{
    .summary = "move a tensor and convolve it on the GPU with cuDNN disabled, and see whether its file is needed",
    .observed =
        "a move and a convolution with cuDNN disabled: exceptions, kernels launched, the device of the result; and the "
        "libraries that libtorch_cuda.so needs",
    .decisive = "a result on the GPU from LibTorch's own kernel; an error counts only if it names cuDNN; and cuDNN's "
                "file in the "
                "loader's own list",
    .claims = {{"004-05", "with cuDNN off the GPU is not used"}, {"004-05b", "LibTorch needs cuDNN's library"}},
    .variants =
        {{.name = "launches", .fakes = {"recorder"}, .expected = {{"004-05", refuted}, {"004-05b", reproduced}}},
         {.name = "computes", .fakes = {"recorder"}, .expected = {{"004-05", refuted}, {"004-05b", reproduced}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::environment::without_cudnn
