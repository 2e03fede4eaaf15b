// tocuda, Apache-2.0.
// The documents' own loop: a hundred times four mebibytes, made and dropped. It reuses one segment and leaves nothing split.
#include <ATen/ATen.h>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "worker/registered.hpp"

using tocuda::Evidence;
using tocuda::Judgement;
using tocuda::Observer;
using tocuda::Registered;

namespace {

constexpr auto refuted = tocuda::Verdict::refuted;
constexpr auto partial = tocuda::Verdict::partial;
constexpr std::int64_t mebi = std::int64_t{1} << 20;
constexpr int turns = 100;

void observe(Observer& see) {
    const auto floats = at::dtype(at::kFloat).device(at::kCUDA);
    for (int turn = 0; turn < turns; ++turn) at::empty({mebi}, floats);
    say(see, "loop", tocuda::allocator_figures());
    at::Tensor large;
    say(see, "large", tocuda::attempt([&] { large = at::empty({100 * mebi}, floats); }));
    say(see, "after", tocuda::allocator_figures());
}

void judge(const Evidence& evidence, Judgement& say) {
    const auto allocations = evidence.integer("loop.device_allocations");
    const auto split = evidence.integer("loop.inactive_split_mib");
    const auto because = std::to_string(turns) + " times 4 MiB took " + std::to_string(allocations) + " allocation(s) from the device, " +
                         std::to_string(evidence.integer("loop.reserved_mib")) + " MiB reserved, " + std::to_string(split) + " MiB split";
    const bool reused = allocations == 1 && split == 0;
    if (reused && !evidence.flag("large.threw")) {
        say.refuted("002-E2", because + "; 400 MiB are granted afterwards");
        say.partial("002-05", "not with equal sizes: " + because + " (interleaved lifetimes do it: fragmentation/interleaved)");
    } else if (evidence.flag("large.threw") && split > 0) {
        say.reproduced("002-E2", because + "; 400 MiB are refused");
    }
}

const Registered same_size_loop{{
    .summary = "allocate and drop 4 MiB a hundred times, then ask for 400 MiB",
    .claims = {{"002-05", "frequent allocation and release leave gaps that cannot be used"},
               {"002-E2", "allocating and deleting in a loop fragments the memory, so that a large tensor fails"}},
    .variants = {{.name = "default", .expected = {{"002-05", partial}, {"002-E2", refuted}}}},
    .needs = {.gpus = 1, .free_gib = 0.5},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
