// tocuda, Apache-2.0.
// Copies of memory that was page-locked after its allocation: the copy alone, and the copy with locking and unlocking.
#include "benchmarks/copy/one_way.hpp"

namespace tocuda::benchmarks::registered {
namespace {

// Each copy locks its memory first and unlocks it afterwards.
class Registering final : public OneWay {
public:
    Registering(const std::vector<Parameters>& sets, Direction way) : OneWay(sets, way, pageable_memory) {}

    std::string why_skipped(const Parameters& set) const override {
        return bytes_of(set) == 0 ? "at least 1 byte is needed; 0 bytes cannot be page-locked"
                                  : OneWay::why_skipped(set);
    }

protected:
    void operate(Trial& trial, const Parameters& set) override {
        trial.timing = Called{[this, bytes = bytes_of(set), copy = copied_at_once(bytes_of(set))] {
            require("cudaHostRegister", cudaHostRegister(passage.host(), bytes, cudaHostRegisterDefault));
            copy();
            require("cudaHostUnregister", cudaHostUnregister(passage.host()));
        }};
    }
};

std::unique_ptr<Bench> set_up_registered(const std::vector<Parameters>& sets, Direction way) {
    return std::make_unique<QueuedCopy>(sets, way, registered_memory);
}

Benchmark described(const std::string& mechanism, const std::string& summary, Clock clock) {
    return {.name = mechanism,
            .summary = summary,
            .clock = clock,
            .parameters = {{"bytes", {}}},
            .quick = {{"bytes", {}}},
            .full = {{"bytes", all_sizes()}}};
}

const RegisteredEachWay registered{described("registered", "copy previously page-locked memory", Clock::device),
                                   set_up_registered};
const RegisteredEachWay registering{described("registering", "page-lock memory, copy it and unlock it,", Clock::host),
                                    set_up<Registering>};

}  // namespace
}  // namespace tocuda::benchmarks::registered
