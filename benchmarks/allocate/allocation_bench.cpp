// tocuda, Apache-2.0.
// Holds one allocation at a time. Whatever a step does not time happens in `prepare`.
#include "benchmarks/allocate/allocation_bench.hpp"

#include <exception>
#include <span>
#include <utility>

#include "measurement/check.hpp"
#include "measurement/gpu/host_memory.hpp"
#include "measurement/payload.hpp"

namespace tocuda {
namespace {

std::string in_words(const Place& place, std::size_t bytes) {
    return place ? "byte " + std::to_string(*place) + " of " + std::to_string(bytes) +
                       " does not hold the value written to it"
                 : "";
}

}  // namespace

AllocationStep step_of(const Parameters& set) {
    const auto step = text(set, "step");
    return step == "take"        ? AllocationStep::take
           : step == "give_back" ? AllocationStep::give_back
                                 : AllocationStep::both;
}

Allocating::~Allocating() {
    try {
        let_go();
    } catch (const std::exception&) {
        held = nullptr;  // the failure to free it has been reported already
    }
}

std::string Allocating::why_skipped(const Parameters& set) const {
    if (bytes_of(set) == 0) return "at least 1 byte is needed; 0 bytes cannot be allocated";
    return fit.why_skipped(set);
}

void Allocating::hold(std::size_t bytes) {
    if (held && held_bytes == bytes) return;
    let_go();
    if (by.before_taking) by.before_taking(bytes);
    held = by.take(bytes);
    held_bytes = bytes;
}

void Allocating::let_go() {
    if (held) by.give_back(std::exchange(held, nullptr), held_bytes);
}

Trial Allocating::trial(const Parameters& set) {
    const auto bytes = bytes_of(set);
    const auto step = step_of(set);
    Trial trial{.bytes_one_way = static_cast<std::int64_t>(bytes),
                .compared = "every byte holds the value written to it"};
    trial.differs = [this, bytes] {
        let_go();  // while only a simulated clock counted, nothing was written to it
        hold(bytes);
        const auto wrong = by.what_is_wrong(held, bytes);
        let_go();
        return wrong;
    };
    trial.prepare = [this, bytes, step] {
        if (step == AllocationStep::give_back) return hold(bytes);
        let_go();
        if (by.before_taking) by.before_taking(bytes);
    };
    trial.timing = Called{[this, bytes, step] {
        if (step != AllocationStep::give_back) {
            held = by.take(bytes);
            held_bytes = bytes;
        }
        if (step != AllocationStep::take) let_go();
    }};
    return trial;
}

std::string wrong_for_the_gpu(std::byte* memory, std::size_t bytes, const Stream& stream) {
    write_payload(stream, std::span(memory, bytes), 0);
    return in_words(first_unlike_payload(stream, std::span<const std::byte>(memory, bytes), 0), bytes);
}

std::string wrong_for_the_cpu(std::byte* memory, std::size_t bytes) {
    write_payload(std::span(memory, bytes), 0);
    return in_words(first_unlike_payload(std::span<const std::byte>(memory, bytes), 0), bytes);
}

std::string wrong_between_cpu_and_gpu(std::byte* memory, std::size_t bytes, const Stream& stream) {
    write_payload(std::span(memory, bytes), 0);
    return in_words(first_unlike_payload(stream, std::span<const std::byte>(as_the_gpu_sees(memory), bytes), 0), bytes);
}

Benchmark described_allocation(const std::string& what, const std::string& summary, const Values& steps) {
    return {.name = "allocate/" + what,
            .summary = summary,
            .clock = Clock::host,
            .parameters = {{"bytes", {64 * mib}}, {"step", steps}},
            .quick = {{"bytes", {}}},
            .full = {{"bytes", {4, kib, 64 * kib, mib, 16 * mib, 64 * mib, 256 * mib, gib, 4 * gib}},
                     {"step", every_step()}},
            .needs = {.gpus = 1}};
}

}  // namespace tocuda
