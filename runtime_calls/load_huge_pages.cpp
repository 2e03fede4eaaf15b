// tocuda, Apache-2.0.
// Copies what a loader keeps in huge pages: transparent ones, which the system grants, or those that an administrator
// reserved; directly or through the page-locked ring.

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "measurement/registered_benchmark.hpp"
#include "runtime_calls/one_way.hpp"
#include "runtime_calls/staged_copier.hpp"

namespace tocuda::runtime_calls::load_huge_pages {
namespace {

class FromHugePages final : public OneWay {
public:
    enum class Kind { transparent, reserved };
    FromHugePages(const std::vector<Parameters>& sets, Kind of)
        : OneWay(sets, Direction::host_to_device,
                 of == Kind::transparent ? huge_page_memory : reserved_huge_page_memory),
          kind(of) {}

    std::string why_skipped(const Parameters& set) const override {
        const auto why = why_not_among(set, "by", {"copy", "ring"});
        return why.empty() ? OneWay::why_skipped(set) : why;
    }

protected:
    void operate(Trial& trial, const Parameters& set) override {
        const auto bytes = bytes_of(set);
        trial.peak.counted = Counted::one_way;
        trial.call = [this, bytes] {
            copy_async(passage.to(), passage.from(), bytes, passage.direction, stream);
            stream.synchronize();
        };
        if (text(set, "by") == "ring")
            trial.call = [this, bytes, ring = std::make_shared<StagedCopier>(chosen_shape(passage.direction))] {
                ring->copy(passage.to(), passage.from(), bytes, passage.direction);
            };
        if (kind == Kind::transparent)  // the system may grant fewer than were asked for
            trial.flags.push_back(std::to_string(bytes_in_huge_pages(passage.host())) + " bytes in huge pages");
    }

private:
    const Kind kind;
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
    return std::make_unique<FromHugePages>(sets, FromHugePages::Kind::transparent);
}

std::unique_ptr<Bench> in_reserved_pages(const std::vector<Parameters>& sets) {
    try {
        return std::make_unique<FromHugePages>(sets, FromHugePages::Kind::reserved);
    } catch (const CudaError& error) {
        if (std::string_view(error.what()).find("MAP_HUGETLB") == std::string_view::npos) throw;
        return std::make_unique<Unavailable>(
            "reserved huge pages are needed; /proc/sys/vm/nr_hugepages has too few of them");
    }
}

Measurable measured(const char* name, const char* summary,
                    std::unique_ptr<Bench> (*set_up)(const std::vector<Parameters>&)) {
    return {.benchmark = {.name = std::string("load/") + name,
                          .summary = summary,
                          .clock = Clock::host,
                          .parameters = {{"bytes", {256 * mib}}, {"by", {}}},
                          .full = {{"bytes", {64 * mib, 256 * mib, gib}}, {"by", {"copy", "ring"}}},
                          .needs = {.gpus = 1}},
            .set_up = set_up};
}

const RegisteredBenchmark transparent{measured(
    "transparent_huge_pages", "copy memory in transparent huge pages to the GPU, or send it through a page-locked ring",
    in_transparent_pages)};
const RegisteredBenchmark reserved{measured(
    "reserved_huge_pages", "copy memory in reserved huge pages to the GPU, or send it through a page-locked ring",
    in_reserved_pages)};

}  // namespace
}  // namespace tocuda::runtime_calls::load_huge_pages
