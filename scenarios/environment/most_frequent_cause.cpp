// tocuda, Apache-2.0.
// Shows that a mismatch of driver and runtime can occur, and that code which does not ask is_available() meets it; how
// often that is the cause cannot be observed on one machine.
#include "libtorch/entry_points.hpp"
#include "libtorch/known_differences.hpp"
#include "worker/registered.hpp"

namespace tocuda::environment::most_frequent_cause {
namespace {

constexpr int insufficient_driver = 35;

void judge(const Evidence& evidence, Judgement& say) {
    if (!tocuda::every_way_threw(evidence)) {
        for (const std::string claim : {"000-15", "001-02"})
            say.refuted(claim, "with too old a driver " + tocuda::ways_in_words(evidence));
        return;
    }
    const bool seen = evidence.integer("to(cuda).code") == insufficient_driver;
    say.inconclusive("000-15", std::string(seen ? "unchecked, every way throws error 35" : "another error was seen") +
                                   "; one machine cannot tell how often");
    say.inconclusive("001-02", std::string(seen ? "too old a driver gives error 35" : "no mismatch was seen") +
                                   "; one machine cannot tell how often");
}

const Registered most_frequent_cause{{
    .summary = "show that a driver can be too old, which does not tell how often that is the cause",
    .observed = "every way to the GPU with a driver that is too old",
    .decisive = "error 35 shows that the cause exists; no single machine can tell how often it is the cause, hence "
                "inconclusive",
    .claims = {{"000-15", "the usual error: is_available() unasked"},
               {"001-02", "the usual cause is a driver mismatch"}},
    .variants = {{.name = "driver_12080",
                  .fakes = {"driver 12080"},
                  .expected = {{"000-15", inconclusive}, {"001-02", inconclusive}}}},
    .differs = tocuda::hints_of_asynchrony_without_a_gpu(),
    .observe = tocuda::observe_entry_points,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::environment::most_frequent_cause
