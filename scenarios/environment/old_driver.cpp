// tocuda, Apache-2.0.
// The runtime refuses a driver older than its own major version before initialising it, and LibTorch reports that; a
// driver of another minor version, or a newer one, is accepted.
#include <cstdlib>
#include <string_view>

#include "libtorch/attempt.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "libtorch/entry_points.hpp"
#include "libtorch/known_differences.hpp"
#include "worker/registered.hpp"

namespace tocuda::environment::old_driver {
namespace {

constexpr int insufficient_driver = 35;
constexpr int end_of_the_simulator = 500;
constexpr auto too_old = "The NVIDIA driver on your system is too old";

void observe(Observer& see) {
    see("runtime.expected_version", tocuda::built_runtime_version());
    tocuda::observe_entry_points(see);
}

std::string driver_of(const Evidence& evidence) {
    return evidence.stand_in.empty() ? "this driver" : evidence.stand_in.front();
}

bool refused_as_too_old(const Evidence& evidence) {
    return evidence.integer("to(cuda).code") == insufficient_driver &&
           evidence.text("to(cuda:0).message").starts_with(too_old);
}

void judge_old(const Evidence& evidence, Judgement& say) {
    if (!tocuda::every_way_threw(evidence)) {
        say.reproduced("001-04", driver_of(evidence) + ": " + tocuda::ways_in_words(evidence));
        say.reproduced("001-05", driver_of(evidence) + ": " + tocuda::ways_in_words(evidence));
        return;
    }
    if (!refused_as_too_old(evidence)) return;
    say.refuted("001-04", driver_of(evidence) + ": every way throws error 35, the driver is too old");
    if (evidence.flag("is_available")) return;
    const bool warns = evidence.text("is_available.warning").find(too_old) != std::string::npos;
    say.refuted("001-05", driver_of(evidence) + ": every way throws error 35, and is_available() is false" +
                              (warns ? " and warns" : ""));
}

// The version of the stand-in driver: 13000 for CUDA 13.0; 0 if it is none.
std::int64_t version_of_driver(const Evidence& evidence) {
    constexpr std::string_view prefix = "driver ";
    if (evidence.stand_in.empty() || !evidence.stand_in.front().starts_with(prefix)) return 0;
    return std::atoi(evidence.stand_in.front().c_str() + prefix.size());
}

std::string cuda(std::int64_t version) {  // 13020 is "13.2"
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void judge_close(const Evidence& evidence, Judgement& say) {
    const auto driver = version_of_driver(evidence);
    const auto built = evidence.integer("runtime.expected_version");
    if (driver == built) throw tocuda::Undecided("the driver is of exactly the build's version, " + cuda(built));
    const auto build = "a build for CUDA " + cuda(built);
    if (tocuda::threw_code(evidence, "to(cuda)", insufficient_driver)) {
        say.reproduced("001-03", build + " refuses a driver for " + cuda(driver) + ": error 35, too old");
        return;
    }
    const bool ends = tocuda::threw_code(evidence, "to(cuda)", end_of_the_simulator);
    if (evidence.flag("to(cuda).threw") && !ends) return;
    const auto then = ends ? ", a fake that ends at error 500" : ": a move works";
    const auto words = build + " accepts a driver for " + cuda(driver) + then;
    say.refuted("001-03", words);
    // The pair that the document names, 11.6 and 11.2, is one of the same major version.
    constexpr int major = 1000;
    if (driver < built && driver / major == built / major) say.refuted("001-04", words);
}

void judge(const Evidence& evidence, Judgement& say) {
    const bool old = evidence.stand_in == std::vector<std::string>{"driver 11020"} ||
                     evidence.stand_in == std::vector<std::string>{"driver 12080"} ||
                     evidence.stand_in == std::vector<std::string>{"driver 12999"};
    if (old) judge_old(evidence, say);
    else judge_close(evidence, say);
}

const Registered old_driver{{
    .summary = "move a tensor with a driver that is older, or of another version, than the build's CUDA",
    .observed = "every way to the GPU with drivers for CUDA 11.2, 12.8, 12.999, 13.0 and 13.990, and the warnings of "
                "is_available()",
    .decisive =
        "error 35, \"too old\", for a driver of the same major version or a newer one makes 001-03 true; after any "
        "other answer the version check has passed",
    .claims = {{"001-03", "the driver's version must match exactly"},
               {"001-04", "on an older driver moves fail silently"},
               {"001-05", "a version mismatch raises no error"}},
    .variants =
        {{.name = "driver_11020", .fakes = {"driver 11020"}, .expected = {{"001-04", refuted}, {"001-05", refuted}}},
         {.name = "driver_12080", .fakes = {"driver 12080"}, .expected = {{"001-04", refuted}, {"001-05", refuted}}},
         {.name = "driver_12999", .fakes = {"driver 12999"}, .expected = {{"001-04", refuted}, {"001-05", refuted}}},
         {.name = "driver_13000", .fakes = {"driver 13000"}, .expected = {{"001-03", refuted}, {"001-04", refuted}}},
         {.name = "driver_13990", .fakes = {"driver 13990"}, .expected = {{"001-03", refuted}}}},
    .differs = tocuda::hints_of_asynchrony_without_a_gpu(),
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::environment::old_driver
