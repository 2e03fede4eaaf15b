// tocuda, Apache-2.0.
// Moves a bfloat16 tensor. It is two bytes of storage and moves to every GPU unchanged; only a real GPU shows that it
// also computes there.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "worker/registered.hpp"

namespace tocuda::dtype::bfloat16_move {
namespace {

at::Tensor source() { return at::arange(0, 256, at::kFloat).to(at::kBFloat16).reshape({16, 16}); }

void observe(Observer& see) {
    const bool computes = see.variant() == "computes";
    see("computes", computes);
    const auto halves = source();
    auto moved = halves;
    const auto tried = tocuda::attempt([&] { moved = halves.to(at::kCUDA); });
    say(see, "move", tried);
    // The document's remedy, which it leaves unguarded: the same values as float32. Also serves as the control.
    say(see, "float.move", tocuda::attempt([&] { halves.to(at::kFloat).to(at::kCUDA); }));
    if (tried.threw) return;
    see("device", tocuda::text(moved.device()));
    see("dtype", tocuda::text(moved.scalar_type()));
    see.computed_by_gpu("round trip equal", at::equal(moved.to(at::kCPU), halves));
    if (!computes) return;
    const auto sum = (moved + moved).to(at::kCPU);
    see.computed_by_gpu("sum equal", at::equal(sum, halves + halves));
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.flag("move.threw")) {
        tocuda::require_control(evidence, "float.move", "moving float32");
        const auto words = "moving bfloat16 throws " + tocuda::error_name(evidence, "move") + "; float32 moves";
        say.reproduced("002-02", words);
        say.reproduced("002-E1", words);
        return;
    }
    const auto& device = evidence.text("device");
    if (!device.starts_with("cuda") || evidence.text("dtype") != "BFloat16" || !evidence.flag("round trip equal"))
        return;
    const std::string arrived = "bfloat16 arrived on " + device + ", equal bit for bit";
    if (!evidence.flag("computes")) say.refuted("002-02", arrived);
    else if (evidence.flag("sum equal")) say.refuted("002-02", arrived + "; a sum equals the CPU's");
    if (!evidence.flag("float.move.threw")) say.refuted("002-E1", arrived + ", unconverted");
}

const Registered bfloat16_move{{
    .summary = "move a 16x16 bfloat16 tensor to the GPU",
    .observed = "whether moving bfloat16 throws, where it arrives, its bytes after a round trip, the same as float32, "
                "and a sum on a real GPU",
    .decisive = "arriving on the GPU equal bit for bit makes it false; an exception counts only if float32 moves",
    .claims = {{"002-02", "moving or adding bfloat16 fails"}, {"002-E1", "bfloat16 must become float32 first"}},
    .variants = {{.name = "moves", .expected = {{"002-02", refuted}, {"002-E1", refuted}}},
                 {.name = "older_gpu",
                  .simulate = "1xT4",
                  .needs = tocuda::Needs{.gpus = 1, .compute_capability = "below 8.0"},
                  .expected = {{"002-02", refuted}, {"002-E1", refuted}}},
                 {.name = "computes", .expected = {{"002-02", refuted}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::dtype::bfloat16_move
