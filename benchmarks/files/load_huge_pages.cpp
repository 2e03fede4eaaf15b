// tocuda, Apache-2.0.
// Copies what a loader keeps in huge pages: transparent ones, which the system grants, or those that an administrator
// reserved; directly or through the page-locked ring.
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/copy/one_way.hpp"
#include "benchmarks/copy/staged_copier.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::load_huge_pages {
namespace {

enum class Kind { transparent, reserved };

// Reserved pages are not among the memory that the host has free.
Room needed_of_reserved(const Parameters& set) { return {.device_bytes = once_on_each_side(set).device_bytes}; }

std::string why_too_few_reserved(const Parameters& set, std::size_t free) {
    return why_no_room(in_huge_pages(Passage::with_guards(bytes_of(set))), free, "in reserved huge pages");
}

std::vector<Parameters> without_too_large(std::vector<Parameters> sets, std::size_t free) {
    std::erase_if(sets, [&](const Parameters& set) { return !why_too_few_reserved(set, free).empty(); });
    return sets;
}

class FromHugePages final : public OneWay {
public:
    explicit FromHugePages(const std::vector<Parameters>& sets)
        : OneWay(sets, Direction::host_to_device, huge_page_memory), kind(Kind::transparent) {}
    FromHugePages(const std::vector<Parameters>& sets, std::size_t free)
        : OneWay(without_too_large(sets, free), Direction::host_to_device, reserved_huge_page_memory, Look::by_the_cpu,
                 needed_of_reserved),
          kind(Kind::reserved), free_reserved(free) {}

    std::string why_skipped(const Parameters& set) const override {
        if (kind == Kind::reserved)
            if (auto why = why_too_few_reserved(set, free_reserved); !why.empty()) return why;
        return OneWay::why_skipped(set);
    }

protected:
    void operate(Trial& trial, const Parameters& set) override {
        const auto bytes = bytes_of(set);
        trial.peak.counted = Counted::one_way;
        trial.timing = Called{copied_at_once(bytes)};
        if (text(set, "by") == "ring")
            trial.timing =
                Called{[this, bytes, ring = std::make_shared<StagedCopier>(chosen_shape(passage.direction))] {
                    ring->copy(passage.to(), passage.from(), bytes, passage.direction);
                }};
        if (kind == Kind::transparent)  // the system may grant fewer than were asked for
            trial.flags.push_back(std::to_string(bytes_in_huge_pages(passage.host())) + " bytes in huge pages");
    }

private:
    const Kind kind;
    const std::size_t free_reserved = 0;
};

class Unavailable final : public Bench {
public:
    explicit Unavailable(std::string reason) : why(std::move(reason)) {}
    std::string why_skipped(const Parameters&) const override { return why; }
    Trial trial(const Parameters&) override { throw std::logic_error(why); }

private:
    std::string why;
};

std::unique_ptr<Bench> in_transparent_pages(const std::vector<Parameters>& sets) {
    if (!huge_pages_are_given())
        return std::make_unique<Unavailable>(
            "transparent huge pages are needed; this system does not have them enabled");
    return std::make_unique<FromHugePages>(sets);
}

std::unique_ptr<Bench> in_reserved_pages(const std::vector<Parameters>& sets) {
    const auto free = free_reserved_huge_page_bytes();
    if (free == 0)
        return std::make_unique<Unavailable>(
            "reserved huge pages are needed; of 2 MiB, none is free "
            "(/proc/sys/vm/nr_hugepages)");
    return std::make_unique<FromHugePages>(sets, free);
}

Measurable measured(const char* name, const char* summary, const char* kind,
                    std::unique_ptr<Bench> (*set_up)(const std::vector<Parameters>&)) {
    return {.benchmark = {.name = std::string("load/") + name,
                          .summary = summary,
                          .clock = Clock::host,
                          .parameters = {{"bytes", {256 * mib}}, {"by", {}}},
                          .full = {{"bytes", {64 * mib, 256 * mib, gib}}, {"by", {"copy", "ring"}}},
                          .needs = {.gpus = 1, .machine = std::string(kind) + " huge pages"}},
            .set_up = set_up};
}

const RegisteredBenchmark transparent{measured(
    "transparent_huge_pages", "copy memory in transparent huge pages to the GPU, or send it through a page-locked ring",
    "transparent", in_transparent_pages)};
const RegisteredBenchmark reserved{measured(
    "reserved_huge_pages", "copy memory in reserved huge pages to the GPU, or send it through a page-locked ring",
    "reserved", in_reserved_pages)};

}  // namespace
}  // namespace tocuda::benchmarks::load_huge_pages
