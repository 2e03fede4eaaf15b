// tocuda, Apache-2.0.
// Queries how much memory the GPU has and in which levels (registers, shared memory, L2 cache, main memory), each
// larger than the one above. The claim holds, but it is no reason for a tensor not to move: only main memory matters
// there.
#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <c10/core/CachingDeviceAllocator.h>

#include "libtorch/attempt.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "worker/registered.hpp"

namespace tocuda::capacity::memory_levels {
namespace {

// -1 if the runtime is not in this process or the query fails.
std::int64_t asked(tocuda::Attribute attribute) { return tocuda::attribute(attribute).value_or(-1); }

void observe(Observer& see) {
    const auto moved = at::zeros({1000}).to(at::kCUDA);
    see("device", tocuda::text(moved.device()));
    see("total_bytes", static_cast<std::int64_t>(at::getDeviceAllocator(at::kCUDA)->getMemoryInfo(0).second));
    see("l2_bytes", asked(tocuda::Attribute::l2_bytes));
    see("shared_bytes_of_a_block", asked(tocuda::Attribute::shared_bytes_of_a_block));
    constexpr std::int64_t bytes_of_a_register = 4;
    see("register_bytes_of_a_block", asked(tocuda::Attribute::registers_of_a_block) * bytes_of_a_register);
}

void judge(const Evidence& evidence, Judgement& say) {
    const auto total = evidence.integer("total_bytes");
    const auto cache = evidence.integer("l2_bytes");
    const auto shared = evidence.integer("shared_bytes_of_a_block");
    const auto registers = evidence.integer("register_bytes_of_a_block");
    if (total <= 0 || cache < 0 || shared < 0 || registers < 0 || !evidence.text("device").starts_with("cuda")) return;
    constexpr std::int64_t kibibyte = 1024;
    const auto figures = std::to_string(total / kibibyte / kibibyte) + " MiB; L2 " + std::to_string(cache / kibibyte) +
                         " KiB; a block: " + std::to_string(shared / kibibyte) + " KiB shared, " +
                         std::to_string(registers / kibibyte) + " KiB registers";
    const bool levels = total > cache && cache > shared && shared > 0 && registers > 0;
    if (evidence.device != tocuda::Device::real)
        throw tocuda::Undecided("a simulated GPU has the levels that its profile says");
    say("002-04", levels ? reproduced : refuted, (levels ? "" : "no levels: ") + figures);
}

const Registered memory_levels{{
    .summary = "query how much memory the GPU has, and in which levels",
    .observed = "the GPU's memory, its L2 cache, and a block's shared memory and registers, as reported by the runtime",
    .decisive =
        "every level must exist, with the memory larger than the cache and the cache larger than the shared memory",
    .claims = {{"002-04", "GPU memory is limited, with a hierarchy"}},
    .variants = {{.name = "default", .expected = {{"002-04", reproduced}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::capacity::memory_levels
