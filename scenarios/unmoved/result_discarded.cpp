// tocuda, Apache-2.0.
// The one silent case: .to() returns a new tensor, and code that drops it keeps using the old one on the CPU.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "libtorch/text.hpp"
#include "worker/registered.hpp"

namespace tocuda::unmoved::result_discarded {
namespace {

void observe(Observer& see) {
    auto x = at::arange(100, at::kFloat);
    at::Tensor returned;
    say(see, "move", tocuda::attempt([&] { returned = x.to(at::kCUDA); }));
    see("dropped.device", tocuda::text(x.device()));
    see("returned.device", returned.defined() ? tocuda::text(returned.device()) : "");
    see("returned.storage", returned.defined() ? tocuda::text(returned.storage().device()) : "");
    see("returned.other_tensor", returned.defined() && !returned.is_same(x));
    // The operation that follows without the assignment.
    see("computed.device", tocuda::text((x * 2).device()));
    x = x.to(at::kCUDA);
    see("assigned.device", tocuda::text(x.device()));
    see("again.same_tensor", x.to(at::kCUDA).is_same(x));
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.flag("move.threw")) return;
    const auto& dropped = evidence.text("dropped.device");
    const auto& assigned = evidence.text("assigned.device");
    const auto words = "after x.to(cuda) x is on " + dropped + "; after x = x.to(cuda), on " + assigned;
    if (evidence.flag("returned.other_tensor") && dropped == "cpu" && assigned.starts_with("cuda")) {
        say.reproduced("004-E2", words);
        say.partial("000-01",
                    "x.to(cuda) is another tensor, on " + evidence.text("returned.device") + "; x stays on " + dropped);
    } else if (assigned == "cpu") {
        say.refuted("004-E2", words);
    }
    const auto& computed = evidence.text("computed.device");
    say("004-12", computed == "cpu" ? reproduced : refuted, "without the assignment x * 2 is computed on " + computed);
    const auto& storage = evidence.text("returned.storage");
    const auto words_of_storage = "a tensor on " + evidence.text("returned.device") + " has its storage on " + storage;
    if (storage == evidence.text("returned.device")) say.refuted("003-01", words_of_storage);
    else say.reproduced("003-01", words_of_storage);
}

const Registered result_discarded{{
    .summary = "call x.to(cuda) and keep using x",
    .observed =
        "the device of x after x.to(cuda) and after x = x.to(cuda), and that of the returned tensor and its storage",
    .decisive = "the device itself: cpu after the first, cuda after the second, and the storage on the tensor's device",
    .claims = {{"000-01", "a tensor records its device and can move"},
               {"003-01", "a CUDA tensor may use CPU storage"},
               {"004-12", "without .to() the CPU does the work"},
               {"004-E2", "x = x.to(device) moves x"}},
    .variants =
        {{.name = "default",
          .expected = {{"000-01", partial}, {"003-01", refuted}, {"004-12", reproduced}, {"004-E2", reproduced}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::unmoved::result_discarded
