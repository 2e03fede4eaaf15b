// tocuda, Apache-2.0.
// Shows where a random tensor is made: with the same seed, randn().cuda() equals the CPU's tensor bit for bit, because
// it is made there and copied, exactly as x.cuda() is. Only device=cuda in the factory makes it on the GPU: no CPU
// memory, no copy, one kernel.
#include <ATen/ATen.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <cstdint>
#include <memory>

#include "libtorch/attempt.hpp"
#include "libtorch/crossing.hpp"
#include "worker/registered.hpp"

namespace tocuda::transfer::same_seed {
namespace {

// Counts the bytes that LibTorch allocates on the CPU and on GPUs in this thread while this object lives, as its
// allocators report them.
class Allocated {
public:
    Allocated() : reports(std::make_shared<Reports>()), guard(c10::DebugInfoKind::PROFILER_STATE, reports) {}

    std::int64_t cpu_bytes() const { return reports->cpu; }
    std::int64_t gpu_bytes() const { return reports->gpu; }

private:
    struct Reports : c10::MemoryReportingInfoBase {
        void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t, c10::Device device) override {
            if (bytes > 0) (device.is_cpu() ? cpu : gpu) += bytes;
        }
        bool memoryProfilingEnabled() const override { return true; }
        std::int64_t cpu = 0;
        std::int64_t gpu = 0;
    };

    std::shared_ptr<Reports> reports;
    c10::DebugInfoGuard guard;
};

constexpr std::int64_t bytes_of_one = 4'000'000;
constexpr std::uint64_t seed = 2025;

at::Tensor made_on_the_cpu() {
    at::manual_seed(seed);
    return at::randn({1000, 1000});
}

template <class Action>
void measure(Observer& see, const std::string& name, Action action) {
    const tocuda::CrossingMark mark;
    const Allocated allocated;
    const at::Tensor kept = action();
    say(see, name, mark.read());
    see(name + ".cpu_bytes", allocated.cpu_bytes());
    see(name + ".gpu_bytes", allocated.gpu_bytes());
    see(name + ".device", tocuda::text(kept.device()));
}

void observe(Observer& see) {
    const auto first = made_on_the_cpu();
    // Before any kernel, so that what comes back is what was copied there.
    see.computed_by_gpu("made_then_moved.equals_the_cpus", at::equal(made_on_the_cpu().cuda().to(at::kCPU), first));
    measure(see, "named_then_moved", [] {
        const auto named = made_on_the_cpu();
        return named.cuda();
    });
    measure(see, "made_then_moved", [] { return made_on_the_cpu().cuda(); });
    const auto moved = first.cuda();
    measure(see, "already_there", [&] { return moved.cuda(); });
    measure(see, "doubled", [&] { return moved * 2; });
    measure(see, "made_there", [] { return at::randn({1000, 1000}, at::device(at::kCUDA)); });
}

struct Cost {
    std::int64_t cpu;
    std::int64_t crossed;
    std::int64_t kernels;
    bool operator==(const Cost&) const = default;
};

Cost cost(const Evidence& evidence, const std::string& name) {
    return {evidence.integer(name + ".cpu_bytes"), evidence.integer(name + ".to_device_bytes"),
            evidence.integer(name + ".kernels")};
}

void judge(const Evidence& evidence, Judgement& say) {
    if (!evidence.flag("named_then_moved.recorded")) throw tocuda::Undecided("the recorder was not loaded");
    const auto named = cost(evidence, "named_then_moved");
    const auto moved = cost(evidence, "made_then_moved");
    const auto there = cost(evidence, "made_there");
    const auto doubled = cost(evidence, "doubled");
    const auto again = cost(evidence, "already_there");
    const Cost nothing{0, 0, 0};
    if (doubled.crossed == 0 && doubled.kernels == 1 && again == nothing && named.crossed == bytes_of_one)
        say.partial("003-07", "all " + std::to_string(named.crossed) +
                                  " bytes are copied, but by the explicit cuda(); the product copies 0");
    else if (doubled.crossed > 0)
        say.reproduced("003-07", "the product itself copies " + std::to_string(doubled.crossed) + " bytes to the GPU");
    const auto compared = "bytes copied: randn().cuda() " + std::to_string(moved.crossed);
    const auto directly = ", randn(device=cuda) " + std::to_string(there.crossed);
    const auto in_two = ", x.cuda() " + std::to_string(named.crossed);
    const bool made_there = there.cpu == 0 && there.crossed == 0 && there.kernels == 1 &&
                            evidence.text("made_there.device").starts_with("cuda");
    if (moved.crossed == bytes_of_one && made_there) say.reproduced("003-10", compared + directly);
    else if (there.crossed >= moved.crossed) say.refuted("003-10", compared + directly);
    if (moved == named && moved.crossed == bytes_of_one && made_there) {
        if (evidence.flag("made_then_moved.equals_the_cpus"))
            say.refuted("003-E1", compared + in_two + "; the values are equal");
    } else if (moved.crossed < named.crossed) {
        say.reproduced("003-E1", compared + in_two);
    }
}

const Registered same_seed{{
    .summary = "make a random tensor on the CPU and move it, in one expression or in two, and make one on the GPU",
    .observed = "bytes made on the CPU, bytes copied and kernels launched for each way of making a random tensor, and "
                "the values with one seed",
    .decisive = "equal costs, and values equal to the CPU's, show that the \"right\" way is the \"wrong\" one",
    .claims = {{"003-07", "x.cuda() copies the tensor implicitly"},
               {"003-10", "allocate on the target from the start"},
               {"003-E1", "randn().cuda() is made on the GPU"}},
    .variants = {{.name = "default",
                  .fakes = {"recorder"},
                  .expected = {{"003-07", partial}, {"003-10", reproduced}, {"003-E1", refuted}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::transfer::same_seed
