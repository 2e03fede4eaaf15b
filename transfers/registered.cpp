// tocuda, Apache-2.0.
// Copies of memory that was page-locked after its allocation: the copy alone, and the copy with locking and unlocking.
#include "transfers/one_way.hpp"

namespace tocuda::transfers::registered {
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
        trial.call = [this, bytes = bytes_of(set)] {
            require("cudaHostRegister", cudaHostRegister(passage.host(), bytes, cudaHostRegisterDefault));
            copy_async(passage.to(), passage.from(), bytes, passage.direction, stream);
            stream.synchronize();
            require("cudaHostUnregister", cudaHostUnregister(passage.host()));
        };
    }
};

Benchmark described(Direction direction, const std::string& mechanism, const std::string& summary, Clock clock) {
    return {.name = name_of(direction, mechanism),
            .summary = summary + aim(direction),
            .clock = clock,
            .parameters = {{"bytes", {}}},
            .quick = {{"bytes", {}}},
            .full = {{"bytes", all_sizes()}},
            .needs = {.gpus = 1}};
}

Measurable registered(Direction direction) {
    return {.benchmark = described(direction, "registered", "copy previously page-locked memory ", Clock::device),
            .set_up = [=](const std::vector<Parameters>& sets) {
                return std::make_unique<QueuedCopy>(sets, direction, registered_memory);
            }};
}

Measurable registering(Direction direction) {
    return {
        .benchmark = described(direction, "registering", "page-lock memory, copy it and unlock it, ", Clock::host),
        .set_up = [=](const std::vector<Parameters>& sets) { return std::make_unique<Registering>(sets, direction); }};
}

const RegisteredBenchmark copied_to_the_gpu{registered(Direction::host_to_device)};
const RegisteredBenchmark copied_to_the_host{registered(Direction::device_to_host)};
const RegisteredBenchmark locked_for_the_gpu{registering(Direction::host_to_device)};
const RegisteredBenchmark locked_for_the_host{registering(Direction::device_to_host)};

}  // namespace
}  // namespace tocuda::transfers::registered
