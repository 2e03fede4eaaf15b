// tocuda, Apache-2.0.
// A network on the CPU with an input on the GPU: the first layer throws, and nothing is computed slowly. Moving the
// module moves its registered tensors in place; a plain member stays.
#include <torch/nn.h>

#include "libtorch/attempt.hpp"
#include "libtorch/crossing.hpp"
#include "libtorch/entry_points.hpp"
#include "worker/registered.hpp"

namespace tocuda::unmoved::module_left_behind {
namespace {

constexpr auto same_device = "Expected all tensors to be on the same device";

struct Network : torch::nn::Module {
    Network() {
        first = register_module("first", torch::nn::Linear(10, 5));
        second = register_module("second", torch::nn::Linear(5, 2));
        running = register_buffer("running", torch::zeros({5}));
    }
    at::Tensor forward(const at::Tensor& input) { return second(first(input)); }

    torch::nn::Linear first{nullptr};
    torch::nn::Linear second{nullptr};
    at::Tensor running;
    at::Tensor member = torch::zeros({5});
};

tocuda::Values devices_of(const std::vector<at::Tensor>& tensors) {
    tocuda::Values devices;
    for (const auto& tensor : tensors) devices.emplace_back(tocuda::text(tensor.device()));
    return devices;
}

void observe(Observer& see) {
    Network network;
    const auto weight = network.first->weight;
    const auto before = weight.detach().clone();
    const auto input = at::ones({1, 10});
    see("parameters.before", devices_of(network.parameters()));
    see("cpu.device", tocuda::text(network.forward(input).device()));
    const auto there = input.to(at::kCUDA);
    {
        const tocuda::CrossingMark mark;
        say(see, "left_behind", tocuda::attempt([&] { network.forward(there); }));
        say(see, "left_behind.crossing", mark.read());
    }
    const tocuda::CrossingMark mark;
    say(see, "module.move", tocuda::attempt([&] { network.to(at::kCUDA); }));
    say(see, "module.crossing", mark.read());
    see("parameters", devices_of(network.parameters()));
    see("buffers", devices_of(network.buffers()));
    see("in_place", network.first->weight.is_same(weight));
    see("member.device", tocuda::text(network.member.device()));
    see.computed_by_gpu("weight.equal", at::equal(weight.detach().to(at::kCPU), before));
    // With the module on the GPU, an input left on the CPU is refused.
    say(see, "input_left_behind", tocuda::attempt([&] { network.forward(input); }));
}

bool all_on(const tocuda::Values& devices, const char* kind) {
    for (const auto& device : devices) {
        const auto* text = std::get_if<std::string>(&device.held);
        if (!text || !text->starts_with(kind)) return false;
    }
    return !devices.empty();
}

void judge_moves(const Evidence& evidence, Judgement& say) {
    if (!evidence.flag("left_behind.threw")) {
        say.reproduced("003-E2", "the module on the CPU accepted an input on the GPU");
    } else if (evidence.flag("left_behind.crossing.recorded")) {
        const bool typed = tocuda::threw(evidence, "left_behind", "c10::Error", same_device) &&
                           tocuda::threw(evidence, "input_left_behind", "c10::Error", same_device);
        const auto crossed = evidence.integer("left_behind.crossing.to_device_bytes") +
                             evidence.integer("left_behind.crossing.to_host_bytes");
        if (typed && crossed == 0)
            say.refuted("003-E2", "the layer throws \"" + tocuda::opening(evidence.text("left_behind.message")) +
                                      "\"; 0 bytes cross");
    }
    if (evidence.flag("module.move.threw")) return;
    const auto& parameters = evidence.list("parameters");
    const bool moved = all_on(parameters, "cuda") && all_on(evidence.list("buffers"), "cuda");
    if (!moved) return say.refuted("003-08", "after module.to(cuda) a parameter or a buffer is not on the GPU");
    if (evidence.flag("in_place") && evidence.flag("weight.equal"))
        say.reproduced("003-08", std::to_string(parameters.size()) +
                                     " parameters and the buffer are on the GPU; a mere member is on " +
                                     evidence.text("member.device"));
}

void judge(const Evidence& evidence, Judgement& say) {
    judge_moves(evidence, say);
    const auto& unmoved = evidence.list("parameters.before");
    if (!unmoved.empty())
        say("003-12", all_on(unmoved, "cpu") ? reproduced : refuted,
            "before module.to(cuda) " + std::string(all_on(unmoved, "cpu") ? "all " : "not all ") +
                std::to_string(unmoved.size()) + " parameters are on the CPU");
}

const Registered module_left_behind{{
    .summary = "give a network on the CPU an input on the GPU, then move the network",
    .observed = "the exception of a CPU network with a CUDA input, what crossed the bus, and where everything is after "
                "moving the module",
    .decisive =
        "a c10::Error that says \"same device\" before a byte crosses; parameters and buffers on the GPU, in place",
    .claims = {{"003-E2", "a CPU model runs a GPU input slowly"},
               {"003-08", "model.cuda() moves all parameters"},
               {"003-12", "an unmoved model stays on the CPU"}},
    .variants = {{.name = "default",
                  .fakes = {"recorder"},
                  .expected = {{"003-E2", refuted}, {"003-08", reproduced}, {"003-12", reproduced}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::unmoved::module_left_behind
