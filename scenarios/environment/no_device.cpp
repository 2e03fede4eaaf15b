// tocuda, Apache-2.0.
// A driver without a GPU: is_available() is false without a warning, and a move throws an error that names the reason.
#include <ATen/ATen.h>
#include <torch/cuda.h>

#include "libtorch/attempt.hpp"
#include "libtorch/entry_points.hpp"
#include "libtorch/known_differences.hpp"
#include "worker/registered.hpp"

namespace tocuda::environment::no_device {
namespace {

constexpr int no_device_code = 100;

void observe(Observer& see) {
    tocuda::observe_entry_points(see);
    const auto device = torch::cuda::is_available() ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU);
    auto x = at::randn({100, 100});
    x = x.to(device);
    see("reassigned.device", tocuda::text(x.device()));
}

void judge(const Evidence& evidence, Judgement& say) {
    const bool named = tocuda::every_way_threw(evidence) && evidence.integer("to(cuda).code") == no_device_code &&
                       evidence.text("to(cuda:0).message").starts_with("No CUDA GPUs are available");
    if (named) say.reproduced("000-02", tocuda::ways_in_words(evidence));
    else if (!tocuda::every_way_threw(evidence))
        say.refuted("000-02", "without a GPU " + tocuda::ways_in_words(evidence));
    const auto& device = evidence.text("reassigned.device");
    if (!evidence.flag("is_available") && device == "cpu")
        say.reproduced("004-E2", "without a GPU x = x.to(device) leaves x on cpu; nothing throws");
    else say.refuted("004-E2", "x = x.to(device) puts x on " + device);
}

const Registered no_device{{
    .summary = "move a tensor with a driver but no GPU",
    .observed = "every way to the GPU with a driver that finds none, and a guarded move",
    .decisive = "error code 100 and \"No CUDA GPUs are available\"; the guarded tensor must be on the CPU",
    .claims = {{"000-02", "without library or driver nothing works"}, {"004-E2", "x = x.to(device) moves x"}},
    .variants = {{.name = "init_100",
                  .fakes = {"driver 13000 init 100"},
                  .expected = {{"000-02", reproduced}, {"004-E2", reproduced}}}},
    .differs = tocuda::hints_of_asynchrony_without_a_gpu(),
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::environment::no_device
