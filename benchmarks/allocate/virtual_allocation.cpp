// tocuda, Apache-2.0.
// Allocates the GPU's memory with the driver's functions for virtual memory: physical memory of one kind, its mapping,
// and the right to use it.
#include <memory>

#include "benchmarks/allocate/allocation_bench.hpp"
#include "benchmarks/allocate/virtual_memory.hpp"

namespace tocuda::benchmarks::virtual_allocation {
namespace {

VirtualKind kind_of(const Parameters& set) {
    return {.handle = text(set, "handle"), .compressible = text(set, "compressible") == "yes"};
}

class Virtual final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        if (bytes_of(set) == 0) return "at least 1 byte is needed; 0 bytes cannot be allocated";
        if (auto why = fit.why_skipped(set); !why.empty()) return why;
        return why_no_virtual_memory(kind_of(set));
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto memory = std::make_shared<VirtualMemory>(kind_of(set), bytes);
        Trial trial{.bytes_one_way = static_cast<std::int64_t>(bytes),
                    .compared = "every byte holds the value written to it through the mapping"};
        trial.differs = [this, memory, bytes] {
            memory->take_back();
            memory->make();
            auto wrong = wrong_for_the_gpu(memory->at(), bytes, stream);
            memory->take_back();
            return wrong;
        };
        const auto& step = text(set, "step");
        trial.prepare = [memory, step] {
            memory->take_back();
            if (step == "map" || step == "access") memory->create();
            if (step == "access") memory->map();
        };
        if (step == "create") trial.timing = Called{[memory] { memory->create(); }};
        else if (step == "map") trial.timing = Called{[memory] { memory->map(); }};
        else if (step == "access") trial.timing = Called{[memory] { memory->open(); }};
        else
            trial.timing = Called{[memory] {
                memory->make();
                memory->take_back();
            }};
        return trial;
    }

private:
    Stream stream{};
    const Fit fit{[](const Parameters& set) -> Room { return {.device_bytes = allocated_bytes({bytes_of(set)})}; }};
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "allocate/virtual",
                  .summary = "create physical memory of the GPU, map it and allow access, as expandable segments do",
                  .how = "the host's clock around one step of the driver's functions: cuMemCreate (create), cuMemMap "
                         "(map), cuMemSetAccess (access), or these three, cuMemUnmap and cuMemRelease (all); the "
                         "addresses are reserved before",
                  .clock = Clock::host,
                  .parameters = {{"bytes", {}},
                                 {"compressible", {"no", "yes"}},
                                 {"handle", {"none", "file_descriptor", "fabric"}},
                                 {"step", {"create", "map", "access", "all"}}},
                  .quick = {{"bytes", {}}},
                  .full = {{"bytes", {2 * mib, gib}}},
                  .needs = {.gpus = 1},
                  .cost = {.bytes = Handling::on_gpu},
                  .role = {.campaign = "kinds"}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Virtual>(); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::virtual_allocation
