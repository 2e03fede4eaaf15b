// tocuda, Apache-2.0.
// 'cuda' is the thread's current device, as set by the innermost guard and restored when the guard ends, also by an
// exception; a new thread starts with the first GPU. An explicit index overrides it, and a tensor made without a device
// is on the CPU all the same.
#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <stdexcept>
#include <thread>

#include "libtorch/attempt.hpp"
#include "worker/registered.hpp"

namespace tocuda::selection::device_guard {
namespace {

at::Device gpu(int index) { return {at::kCUDA, static_cast<c10::DeviceIndex>(index)}; }

std::string where_cuda_is() { return tocuda::text(at::empty({2}).to(at::kCUDA).device()); }

void observe(Observer& see) {
    see("outside", where_cuda_is());
    {
        const c10::DeviceGuard outer(gpu(1));
        see("guard", where_cuda_is());
        see("guard.without_device", tocuda::text(at::empty({2}).device()));
        see("guard.factory", tocuda::text(at::empty({2}, at::device(at::kCUDA)).device()));
        see("guard.by_index", tocuda::text(at::empty({2}).to(gpu(0)).device()));
        {
            const c10::DeviceGuard inner(gpu(0));
            see("guard.inner", where_cuda_is());
        }
        see("guard.after_inner", where_cuda_is());
        std::string of_thread;
        std::thread([&] { of_thread = where_cuda_is(); }).join();
        see("guard.other_thread", of_thread);
    }
    see("after", where_cuda_is());
    try {
        const c10::DeviceGuard guard(gpu(1));
        throw std::runtime_error("leaves the guard");
    } catch (const std::runtime_error&) {
        see("after_exception", where_cuda_is());
    }
}

void judge(const Evidence& evidence, Judgement& say) {
    for (const std::string key : {"outside", "guard", "guard.factory", "guard.inner", "after", "guard.other_thread"})
        if (evidence.text(key) == "cpu") say.reproduced("001-07", "without an index a tensor ended on cpu: " + key);
    if (evidence.text("guard") == "cuda:1") {
        const auto& without = evidence.text("guard.without_device");
        say("003-11", without == "cpu" ? reproduced : refuted,
            "under a guard for cuda:1 a tensor made without a device is on " + without);
    }
    const auto is = [&](const std::string& key, const std::string& device) { return evidence.text(key) == device; };
    const bool first = is("outside", "cuda:0") && is("after", "cuda:0") && is("after_exception", "cuda:0") &&
                       is("guard.other_thread", "cuda:0");
    const bool guarded = is("guard", "cuda:1") && is("guard.factory", "cuda:1") && is("guard.after_inner", "cuda:1") &&
                         is("guard.inner", "cuda:0");
    if (!is("guard", "cuda:1")) say.refuted("001-06", "under a guard for cuda:1, 'cuda' is " + evidence.text("guard"));
    if (!first || !guarded || !is("guard.by_index", "cuda:0")) return;
    const std::string words = "'cuda' is the current device: cuda:0, and cuda:1 under a guard";
    say.reproduced("001-06", words);
    say.refuted("001-07", words);
}

const Registered device_guard{{
    .summary = "find what 'cuda' is under guards, after exceptions and in another thread",
    .observed =
        "where a tensor for 'cuda' ends up: outside and under guards, after an exception, and in another thread; and "
        "under a guard one made without a device",
    .decisive = "it must be the thread's current device each time",
    .claims = {{"001-06", "'cuda' does not pick the best GPU"},
               {"001-07", "without an index the CPU may be used"},
               {"003-11", "in a CUDA context, too, it is the CPU"}},
    .variants = {{.name = "default",
                  .expected = {{"001-06", reproduced}, {"001-07", refuted}, {"003-11", reproduced}}}},
    .needs = {.gpus = 2},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::selection::device_guard
