// tocuda, Apache-2.0.
// Copies of pageable memory, as in a program that does not use page-locking. Fresh pages are those of a new mapping:
// towards the host, the system has yet to allocate them; towards the GPU, they were just written and never copied from.
#include "benchmarks/copy/one_way.hpp"

namespace tocuda::benchmarks::pageable {
namespace {

class Pageable final : public OneWay {
public:
    Pageable(const std::vector<Parameters>& sets, Direction way) : OneWay(sets, way, pageable_memory) {}

protected:
    void operate(Trial& trial, const Parameters& set) override {
        const auto bytes = bytes_of(set);
        trial.timing = Called{copied_at_once(bytes)};
        if (text(set, "pages") == "fresh") trial.prepare = [this, bytes] { passage.renew_host_pages(bytes); };
    }
};

Role role(Direction way) {
    Role role{.characterise = {"bytes=64MiB pages=touched"}, .campaign = "links"};
    if (way == Direction::host_to_device) {
        role.sheet = {{.order = 150, .section = "link", .words = "to the GPU, pageable", .having = "pages=touched"}};
        role.headline = headline::pageable;
    } else {
        role.sheet = {{.order = 160, .section = "link", .words = "to the host, pageable", .having = "pages=touched"}};
    }
    return role;
}

const RegisteredEachWay registered{{.name = "pageable",
                                    .summary = "copy pageable memory",
                                    .clock = Clock::host,
                                    .parameters = {{"bytes", default_sizes()}, {"pages", {"touched"}}},
                                    .quick = {{"bytes", {64 * mib}}},
                                    .full = {{"bytes", all_sizes()}, {"pages", {"touched", "fresh"}}}},
                                   set_up<Pageable>,
                                   role};

}  // namespace
}  // namespace tocuda::benchmarks::pageable
