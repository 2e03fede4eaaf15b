// tocuda, Apache-2.0.
// The one silent case: .to() returns a new tensor, and code that drops it keeps using the old one on the CPU. Where a
// tensor is, .device says, and the driver agrees about its address.
#include <ATen/ATen.h>
#include <ATen/Context.h>

#include "libtorch/attempt.hpp"
#include "worker/registered.hpp"

namespace tocuda::unmoved::result_discarded {
namespace {

// Where the driver has the tensor's memory: "cuda:0", or "not a GPU's".
std::string driver_says(const at::Tensor& tensor) {
    std::string device = "not a GPU's";
    tocuda::attempt([&] {
        device = tocuda::text(at::globalContext().getAcceleratorHooksInterface(at::kCUDA).getDeviceFromPtr(
            const_cast<void*>(tensor.const_data_ptr())));
    });
    return device;
}

void observe(Observer& see) {
    auto x = at::arange(100, at::kFloat);
    at::Tensor returned;
    say(see, "move", tocuda::attempt([&] { returned = x.to(at::kCUDA); }));
    see("dropped.device", tocuda::text(x.device()));
    see("returned.device", returned.defined() ? tocuda::text(returned.device()) : "");
    see("returned.storage", returned.defined() ? tocuda::text(returned.storage().device()) : "");
    if (returned.defined()) {
        see("returned.driver_says", driver_says(returned));
        see("dropped.driver_says", driver_says(x));
    }
    see("returned.other_tensor", returned.defined() && !returned.is_same(x));
    // The operation that follows without the assignment.
    see("computed.device", tocuda::text((x * 2).device()));
    x = x.to(at::kCUDA);
    see("assigned.device", tocuda::text(x.device()));
    see("again.same_tensor", x.to(at::kCUDA).is_same(x));
}

void judge_records(const Evidence& evidence, Judgement& say) {
    const auto& there = evidence.text("returned.device");
    const auto& here = evidence.text("dropped.device");
    if (!there.starts_with("cuda") || here != "cpu") return;
    const auto words = "x is on " + here + ", x.to(cuda) on " + there;
    say.reproduced("000-01", words);
    const auto& driver = evidence.text("returned.driver_says");
    const bool as_recorded = driver == there && evidence.text("dropped.driver_says") == "not a GPU's";
    for (const std::string claim : {"000-16", "001-18"})
        say(claim, as_recorded ? reproduced : refuted,
            words + (as_recorded ? ", as the driver says" : "; the driver says: " + driver));
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.flag("move.threw")) return;
    const auto& dropped = evidence.text("dropped.device");
    const auto& assigned = evidence.text("assigned.device");
    const auto words = "after x.to(cuda) x is on " + dropped + "; after x = x.to(cuda), on " + assigned;
    if (evidence.flag("returned.other_tensor") && dropped == "cpu" && assigned.starts_with("cuda")) {
        say.reproduced("004-E2", words);
    } else if (assigned == "cpu") {
        say.refuted("004-E2", words);
    }
    const auto& computed = evidence.text("computed.device");
    say("004-12", computed == "cpu" ? reproduced : refuted, "without the assignment x * 2 is computed on " + computed);
    const auto& storage = evidence.text("returned.storage");
    const auto words_of_storage = "a tensor on " + evidence.text("returned.device") + " has its storage on " + storage;
    if (storage == evidence.text("returned.device")) say.refuted("003-01", words_of_storage);
    else say.reproduced("003-01", words_of_storage);
    judge_records(evidence, say);
}

const Registered result_discarded{{
    .summary = "call x.to(cuda) and keep using x",
    .observed =
        "the device of x after x.to(cuda) and after x = x.to(cuda), that of the returned tensor and its storage, and "
        "the driver's word for both addresses",
    .decisive =
        "the device itself: cpu after the first, cuda after the second, the storage on the tensor's device, and the "
        "driver agreeing",
    .claims = {{"000-01", "a tensor records its device"},
               {"000-16", ".device tells where a tensor is"},
               {"001-18", ".device confirms a move"},
               {"003-01", "a CUDA tensor may use CPU storage"},
               {"004-12", "without .to() the CPU does the work"},
               {"004-E2", "x = x.to(device) moves x"}},
    .variants = {{.name = "default",
                  .expected = {{"000-01", reproduced},
                               {"000-16", reproduced},
                               {"001-18", reproduced},
                               {"003-01", refuted},
                               {"004-12", reproduced},
                               {"004-E2", reproduced}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::unmoved::result_discarded
