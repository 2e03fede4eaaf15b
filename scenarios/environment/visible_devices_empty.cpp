// tocuda, Apache-2.0.
// A CUDA_VISIBLE_DEVICES that names no GPU hides them all: is_available() is false although driver and installation are
// in order. The fake driver follows CUDA's rule for the variable itself, so this proves LibTorch's reaction; the unset
// variable is the control.
#include <cstdlib>

#include "libtorch/attempt.hpp"
#include "libtorch/entry_points.hpp"
#include "libtorch/known_differences.hpp"
#include "worker/registered.hpp"

namespace tocuda::environment::visible_devices_empty {
namespace {

constexpr int no_device_code = 100;
constexpr int end_of_the_simulator = 500;

void observe(tocuda::Observer& see) {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    see("visible_devices.set", visible != nullptr);
    see("visible_devices", visible ? visible : "");
    tocuda::observe_entry_points(see);
}

void judge(const Evidence& evidence, Judgement& say) {
    if (!tocuda::every_way_threw(evidence)) return;
    const bool hidden = evidence.integer("to(cuda).code") == no_device_code &&
                        evidence.text("to(cuda:0).message").starts_with("No CUDA GPUs are available");
    if (evidence.flag("visible_devices.set") && hidden && !evidence.flag("is_available"))
        say.partial("004-11", "CUDA_VISIBLE_DEVICES=\"" + evidence.text("visible_devices") +
                                  "\" makes is_available() false: error 100, no GPU");
    if (!evidence.flag("visible_devices.set") && tocuda::threw_code(evidence, "to(cuda)", end_of_the_simulator))
        say.partial("004-11", "without CUDA_VISIBLE_DEVICES the driver gives error 500, not 100 (no GPU)");
}

const Registered visible_devices_empty{{
    .summary = "move a tensor while CUDA_VISIBLE_DEVICES names no GPU",
    .observed = "every way to the GPU with CUDA_VISIBLE_DEVICES empty, -1, and not set",
    .decisive = "error code 100 with the variable but not without it shows that the variable alone hides the GPUs",
    .claims = {{"004-11", "is_available() False: a faulty set-up"}},
    .variants = {{.name = "empty",
                  .environment = {{"CUDA_VISIBLE_DEVICES", ""}},
                  .fakes = {"driver 13000 visible"},
                  .expected = {{"004-11", partial}}},
                 {.name = "minus_one",
                  .environment = {{"CUDA_VISIBLE_DEVICES", "-1"}},
                  .fakes = {"driver 13000 visible"},
                  .expected = {{"004-11", partial}}},
                 {.name = "control_unset",
                  .environment = {{"CUDA_VISIBLE_DEVICES", std::nullopt}},
                  .fakes = {"driver 13000 visible"},
                  .expected = {{"004-11", partial}}}},
    .differs = tocuda::hints_of_asynchrony_without_a_gpu(),
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::environment::visible_devices_empty
