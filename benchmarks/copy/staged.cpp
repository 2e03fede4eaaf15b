// tocuda, Apache-2.0.
// Copies pageable memory through page-locked buffers that several threads fill or empty.
#include "benchmarks/copy/one_way.hpp"
#include "benchmarks/copy/staged_copier.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::staged {
namespace {

std::string in_words(const StagedCopier& copier, std::size_t bytes) {
    if (!StagedCopier::stages(bytes))
        return "below " + std::to_string(worth_staging) + " bytes: one call of the runtime";
    const auto& shape = copier.shape();
    const auto cut = cut_for(bytes, copier.threads(), shape.chunk_bytes);
    return std::to_string(copier.threads()) + " threads, " + std::to_string(shape.buffers) + " chunks of " +
           std::to_string(cut.chunk_bytes) + " bytes, waiting by " +
           (shape.waiting == RelayWait::pausing ? "pausing" : "yielding");
}

class Staged final : public OneWay {
public:
    Staged(const std::vector<Parameters>& sets, Direction way, const TakeHostMemory& take) : OneWay(sets, way, take) {}

    std::string why_skipped(const Parameters& set) const override {
        if (text(set, "pages") == "huge" && !huge_pages_are_given())
            return "transparent huge pages are needed; this system does not have them enabled";
        return OneWay::why_skipped(set);
    }

protected:
    void operate(Trial& trial, const Parameters& set) override {
        const auto copier = copiers.of(chosen_shape(passage.direction, set));
        const auto bytes = bytes_of(set);
        trial.peak.counted = Counted::one_way;  // whatever the benchmark's name
        trial.timing =
            Called{[this, bytes, copier] { copier->copy(passage.to(), passage.from(), bytes, passage.direction); }};
        if (text(set, "pages") == "fresh") trial.prepare = [this, bytes] { passage.renew_host_pages(bytes); };
        trial.flags.push_back(in_words(*copier, bytes));
        if (text(set, "pages") == "huge")
            trial.flags.push_back(std::to_string(bytes_in_huge_pages(passage.host())) + " bytes in huge pages");
    }

private:
    OneCopier copiers{};
};

// 0 and `chosen` stand for the values in this GPU's table of chosen variants.
Role role(Direction way) {
    Role role{.campaign = "links"};
    if (way == Direction::host_to_device) {
        role.sheet = {{.order = 170,
                       .section = "link",
                       .words = "to the GPU, staged by tocuda",
                       .having = "chunk=0 pages=touched threads=0"}};
        role.characterise = {"bytes=64MiB"};
    }
    return role;
}

Measurable staged(Direction direction) {
    return {
        .benchmark = {.name = name_of(direction, "staged"),
                      .summary =
                          std::string("copy pageable memory through page-locked buffers that several threads serve, ") +
                          aim(direction),
                      .clock = Clock::host,
                      .parameters = {{"bytes", {4 * mib, 64 * mib, 256 * mib}},
                                     {"pages", {"touched"}},
                                     {"threads", {0}},
                                     {"chunk", {0}},
                                     {"ring", {0}},
                                     {"wait", {"chosen"}}},
                      .quick = {{"bytes", {64 * mib}}},
                      .full = {{"bytes", {mib, 4 * mib, 16 * mib, 64 * mib, 256 * mib, gib, 4 * gib}},
                               {"pages", {"touched", "fresh"}},
                               {"threads", {0, 1, 4, 8}},
                               {"chunk", {0, mib}}},
                      .allowed = {{"threads", {.most = 256}},
                                  {"chunk", {.least = 4 * kib, .most = 64 * mib, .or_zero = true}},
                                  {"ring", {.most = 64}},
                                  {"wait", {.only = {"chosen", "yield", "pause"}}}},
                      .needs = {.gpus = 1},
                      .cost = {.bytes = handling_of(direction)},
                      .role = role(direction)},
        .set_up = [=](const std::vector<Parameters>& sets) {
            return std::make_unique<Staged>(sets, direction, pageable_memory);
        }};
}

// A separate benchmark, because its memory is allocated differently.
Measurable staged_in_huge_pages(Direction direction) {
    auto measurable = staged(direction);
    measurable.benchmark.name += "_huge_pages";
    measurable.benchmark.summary =
        std::string("copy pageable memory in huge pages (madvise) through page-locked buffers, ") + aim(direction);
    measurable.benchmark.role = {};
    measurable.benchmark.parameters["pages"] = {"huge"};
    measurable.benchmark.parameters["bytes"] = {};
    measurable.benchmark.quick = {{"bytes", {}}};
    measurable.benchmark.full = {{"bytes", {64 * mib, 256 * mib, gib, 4 * gib}}, {"threads", {0, 4, 8}}};
    measurable.set_up = [=](const std::vector<Parameters>& sets) {
        return std::make_unique<Staged>(sets, direction, huge_page_memory);
    };
    return measurable;
}

Measurable to_choose(Direction direction) {
    return tuning(staged(direction),
                  direction == Direction::host_to_device ? "tune/staged_to_gpu" : "tune/staged_to_host",
                  {{"bytes", {256 * mib}},
                   {"pages", {"touched"}},
                   {"threads", {0, 8}},
                   {"chunk", {0}},
                   {"ring", {4, 8, 16}},
                   {"wait", {"yield", "pause"}}});
}

const RegisteredBenchmark to_the_gpu{staged(Direction::host_to_device)};
const RegisteredBenchmark to_the_host{staged(Direction::device_to_host)};
const RegisteredBenchmark to_the_gpu_from_huge_pages{staged_in_huge_pages(Direction::host_to_device)};
const RegisteredBenchmark to_the_host_into_huge_pages{staged_in_huge_pages(Direction::device_to_host)};
const RegisteredBenchmark to_choose_to_the_gpu{to_choose(Direction::host_to_device)};
const RegisteredBenchmark to_choose_to_the_host{to_choose(Direction::device_to_host)};

}  // namespace
}  // namespace tocuda::benchmarks::staged
