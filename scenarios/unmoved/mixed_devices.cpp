// tocuda, Apache-2.0.
// Operands on two devices throw one of two families of errors and are not copied silently; the exceptions are a single
// zero-dimensional CPU operand, and indices.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "libtorch/entry_points.hpp"
#include "worker/registered.hpp"

namespace tocuda::unmoved::mixed_devices {
namespace {

constexpr auto same_device = "Expected all tensors to be on the same device";

void observe(Observer& see) {
    const auto host = at::ones({4, 4});
    const auto device = host.to(at::kCUDA);
    const auto scalar = at::scalar_tensor(2.0);
    say(see, "add", tocuda::attempt([&] { at::add(host, device); }));
    say(see, "addmm", tocuda::attempt([&] { at::addmm(host, device, host); }));
    say(see, "cpu_plus_cuda_scalar", tocuda::attempt([&] { at::add(host, scalar.to(at::kCUDA)); }));
    at::Tensor product;
    say(see, "cuda_times_cpu_scalar", tocuda::attempt([&] { product = at::mul(device, scalar); }));
    see("cuda_times_cpu_scalar.device", product.defined() ? tocuda::text(product.device()) : "");
    say(see, "cuda_indexed_by_cpu", tocuda::attempt([&] { device.index({at::tensor({0, 1}, at::kLong)}); }));
    product = at::Tensor();
    say(see, "moved", tocuda::attempt([&] { product = at::add(host.to(at::kCUDA), device); }));
    see("moved.device", product.defined() ? tocuda::text(product.device()) : "");
}

bool refused(const Evidence& evidence, const std::string& name) {
    return tocuda::threw(evidence, name, "c10::Error", same_device);
}

void judge(const Evidence& evidence, Judgement& say) {
    const bool loud =
        refused(evidence, "add") && refused(evidence, "addmm") && refused(evidence, "cpu_plus_cuda_scalar");
    if (!evidence.flag("add.threw")) {
        say.reproduced("003-04", "adding a CPU and a CUDA tensor did not throw");
        say.refuted("003-03", "adding a CPU and a CUDA tensor did not throw");
        return;
    }
    if (!loud) throw tocuda::Undecided("an operation failed for a reason other than its devices");
    say.refuted("003-04", "add and addmm throw \"" + tocuda::opening(evidence.text("add.message")) + "\"");
    for (const std::string name : {"moved", "cuda_times_cpu_scalar", "cuda_indexed_by_cpu"})
        if (evidence.flag(name + ".threw") && evidence.text(name + ".type") == "c10::AcceleratorError")
            throw tocuda::Undecided("the GPU itself refuses an operation: " + tocuda::error_name(evidence, name));
    const bool cured = !evidence.flag("moved.threw") && evidence.text("moved.device").starts_with("cuda");
    const bool exceptions =
        !evidence.flag("cuda_times_cpu_scalar.threw") && !evidence.flag("cuda_indexed_by_cpu.threw");
    say("003-03",
        !cured       ? refuted
        : exceptions ? partial
                     : reproduced,
        std::string("add throws, after the transfer it ") + (cured ? "works" : "fails") +
            (exceptions ? "; a CPU scalar and indices need none" : ""));
    say("004-13", exceptions ? partial : reproduced,
        exceptions ? "one CPU scalar and CPU indices need not be moved" : "CPU scalars or indices are refused, too");
}

const Registered mixed_devices{{
    .summary = "combine a CPU tensor with a CUDA tensor",
    .observed = "the exceptions of operations on a CPU and a CUDA tensor, on a scalar or indices, and on the same "
                "tensors after a move",
    .decisive = "a c10::Error that says \"same device\"; an operation that does not throw would be the silent copy",
    .claims = {{"003-03", "mixed devices need explicit transfers"},
               {"003-04", "mixed devices are copied silently"},
               {"004-13", "all tensors must be moved"}},
    .variants = {{.name = "default", .expected = {{"003-03", partial}, {"003-04", refuted}, {"004-13", partial}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::unmoved::mixed_devices
