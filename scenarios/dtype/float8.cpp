// tocuda, Apache-2.0.
// float8 on GPUs of two generations. Its move needs no kernel and works on each; an operation needs one, and LibTorch
// has none for a float8 sum on any GPU, and hands a float8 product to cuBLAS on some, refusing it on others.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "worker/registered.hpp"

namespace tocuda::dtype::float8 {
namespace {

constexpr auto missing = "c10::NotImplementedError";
constexpr auto too_old = "only supported on CUDA devices with compute capability";  // LibTorch refuses a product
constexpr auto handed_over = "CUBLAS_STATUS_";  // it does not, and cuBLAS fails, as on a GPU that does not compute

void observe_gpu(Observer& see, int index) {
    const auto name = "gpu" + std::to_string(index);
    const at::Device gpu(at::kCUDA, static_cast<c10::DeviceIndex>(index));
    see(name + ".compute_capability", tocuda::compute_capability(index).value_or(""));
    const auto source = at::ones({16, 16}).to(at::kFloat8_e4m3fn);
    auto moved = source;
    say(see, name + ".move", tocuda::attempt([&] { moved = source.to(gpu); }));
    see(name + ".device", tocuda::text(moved.device()));
    if (moved.is_cpu()) return;
    say(see, name + ".add", tocuda::attempt([&] { at::add(moved, moved); }));
    const auto floats = at::ones({16, 16}).to(gpu);
    say(see, name + ".float.add", tocuda::attempt([&] { at::add(floats, floats); }));
    const auto one = at::ones({}).to(gpu);
    say(see, name + ".product", tocuda::attempt([&] {
            at::_scaled_mm(moved, moved.t(), one, one, std::nullopt, std::nullopt, at::kBFloat16);
        }));
}

void observe(Observer& see) {
    for (int index = 0; index < 2; ++index) observe_gpu(see, index);
}

// What is no answer about float8, such as an error of the GPU or its memory, decides nothing.
void require_moved(const Evidence& evidence, const std::string& name) {
    if (!evidence.text(name + ".device").starts_with("cuda")) throw tocuda::Undecided("float8 did not move to " + name);
}

void judge_kernels(const Evidence& evidence, Judgement& say) {
    require_moved(evidence, "gpu0");
    tocuda::require_control(evidence, "gpu0.float.add", "adding float32");
    if (!evidence.flag("gpu0.add.threw")) say.refuted("000-14", "float8 moves to the GPU and is added there");
    else if (evidence.text("gpu0.add.type") == missing)
        say.reproduced("000-14", "float8 moves; adding it throws NotImplementedError, float32 is added");
}

// Returns whether LibTorch refuses a product for this GPU's generation.
bool refused(const Evidence& evidence, const std::string& name) {
    require_moved(evidence, name);
    if (!evidence.flag(name + ".product.threw")) return false;
    const auto& message = evidence.text(name + ".product.message");
    const bool is_refused = message.find(too_old) != std::string::npos;
    if (!is_refused && message.find(handed_over) == std::string::npos)
        throw tocuda::Undecided("the product fails for another reason: " +
                                tocuda::error_name(evidence, name + ".product"));
    return is_refused;
}

void judge_generations(const Evidence& evidence, Judgement& say) {
    const auto& first = evidence.text("gpu0.compute_capability");
    const auto& second = evidence.text("gpu1.compute_capability");
    const bool on_first = refused(evidence, "gpu0");
    const bool on_second = refused(evidence, "gpu1");
    if (first == second) throw tocuda::Undecided("these GPUs are of one generation, " + first);
    if (on_first == on_second) return;
    say.reproduced("002-03", "float8 moves to both; LibTorch refuses its product on " + (on_first ? first : second) +
                                 ", not on " + (on_first ? second : first));
}

void judge(const Evidence& evidence, Judgement& say) {
    judge_kernels(evidence, say);
    judge_generations(evidence, say);
}

const Registered float8{{
    .summary = "move, add and multiply float8 tensors on GPUs of two generations",
    .observed = "on each of two GPUs: where a float8 tensor arrives, and the exceptions of adding and multiplying it",
    .decisive = "a NotImplementedError of the sum while float32 is added; a product refused for one GPU's compute "
                "capability and not for the other's",
    .claims = {{"000-14", "some dtypes need kernels of their own"}, {"002-03", "dtype support depends on the GPU"}},
    .variants = {{.name = "two_generations",
                  .simulate = "1xT4,1xH200",
                  .expected = {{"000-14", reproduced}, {"002-03", reproduced}}}},
    .needs = {.gpus = 2},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::dtype::float8
