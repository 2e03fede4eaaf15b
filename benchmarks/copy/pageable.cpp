// tocuda, Apache-2.0.
// Copies of pageable memory, as in a program that does not use page-locking. Fresh pages are those of a new mapping:
// towards the host, the system has yet to allocate them; towards the GPU, they were just written and never copied from.
#include "benchmarks/copy/one_way.hpp"

namespace tocuda::benchmarks::pageable {
namespace {

class Pageable final : public OneWay {
public:
    Pageable(const std::vector<Parameters>& sets, Direction way) : OneWay(sets, way, pageable_memory) {}

    std::string why_skipped(const Parameters& set) const override {
        const auto why = why_not_among(set, "pages", {"touched", "fresh"});
        return why.empty() ? OneWay::why_skipped(set) : why;
    }

protected:
    void operate(Trial& trial, const Parameters& set) override {
        const auto bytes = bytes_of(set);
        trial.call = copied_at_once(bytes);
        if (text(set, "pages") == "fresh") trial.prepare = [this, bytes] { passage.renew_host_pages(bytes); };
    }
};

const RegisteredEachWay registered{{.name = "pageable",
                                    .summary = "copy pageable memory",
                                    .clock = Clock::host,
                                    .parameters = {{"bytes", default_sizes()}, {"pages", {"touched"}}},
                                    .quick = {{"bytes", {64 * mib}}},
                                    .full = {{"bytes", all_sizes()}, {"pages", {"touched", "fresh"}}}},
                                   set_up<Pageable>};

}  // namespace
}  // namespace tocuda::benchmarks::pageable
