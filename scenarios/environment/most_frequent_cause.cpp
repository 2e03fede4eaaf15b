// tocuda, Apache-2.0.
// That a mismatch of driver and runtime exists is seen here; how often it is the cause no single machine can tell.
#include "libtorch/entry_points.hpp"
#include "libtorch/known_differences.hpp"
#include "worker/registered.hpp"

namespace tocuda::environment::most_frequent_cause {
namespace {

constexpr int insufficient_driver = 35;

void judge(const Evidence& evidence, Judgement& say) {
    if (!tocuda::every_way_threw(evidence)) {
        say.refuted("001-02", "no cause at all: with a driver that is too old " + tocuda::ways_in_words(evidence));
        return;
    }
    const bool seen = evidence.integer("to(cuda).code") == insufficient_driver;
    say.inconclusive("001-02", std::string(seen ? "the mismatch is one possible cause (" + tocuda::ways_in_words(evidence) + ")" : "the mismatch was not seen here") +
                                   "; how often it is the cause cannot be seen on one machine");
}

const Registered most_frequent_cause{{
    .summary = "see that a driver can be too old, and that this says nothing about how often it is",
    .observed = "every way to the GPU with a driver that is too old",
    .decisive = "error 35 shows that the cause exists; how often it is the cause no machine can tell, so that it stays inconclusive",
    .claims = {{"001-02", "a mismatch of driver and runtime is the most frequent cause"}},
    .variants = {{.name = "driver_12080", .stand_ins = {"driver 12080"}, .expected = {{"001-02", tocuda::Verdict::inconclusive}}}},
    .differs = tocuda::hints_of_asynchrony_without_a_gpu(),
    .observe = tocuda::observe_entry_points,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::environment::most_frequent_cause
