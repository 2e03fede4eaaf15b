// tocuda, Apache-2.0.
// A driver that is present but cannot initialise: after a suspend (999), after an update without a reboot (803), with a
// compatibility library on unsupported hardware (804), with a GPU held by another process (46), or broken (3). Every
// move throws, and nothing falls back to the CPU.
#include "libtorch/entry_points.hpp"
#include "libtorch/known_differences.hpp"
#include "worker/registered.hpp"

namespace tocuda::environment::unknown_error {
namespace {

int code_of(const Evidence& evidence) {
    if (evidence.stand_in.size() != 1) throw tocuda::Undecided("the row does not name one fake driver");
    const auto& stand_in = evidence.stand_in.front();
    const auto space = stand_in.rfind(' ');
    try {
        return std::stoi(stand_in.substr(space == std::string::npos ? 0 : space + 1));
    } catch (const std::exception&) {
        throw tocuda::Undecided("the row's fake driver has no error code: " + stand_in);
    }
}

std::string prefix_of(int code) {
    if (code == 3) return "CUDA driver initialization failed, you might not have a CUDA gpu.";
    if (code == 999) return "CUDA unknown error - this may be due to an incorrectly set up environment";
    return "Unexpected error from cudaGetDeviceCount()";
}

void judge(const Evidence& evidence, Judgement& say) {
    const int code = code_of(evidence);
    const bool loud = tocuda::every_way_threw(evidence) && evidence.integer("to(cuda).code") == code &&
                      evidence.text("to(cuda:0).message").starts_with(prefix_of(code));
    const bool warned = !evidence.flag("is_available.threw") && !evidence.flag("is_available") &&
                        evidence.text("is_available.warning").find(prefix_of(code)) != std::string::npos;
    const auto words = tocuda::ways_in_words(evidence);
    if (loud && warned) {
        for (const std::string claim : {"000-03", "000-03b"})
            say.reproduced(claim, "is_available() is false and warns; every way throws error " + std::to_string(code));
        say.partial("001-08", words);
    }
    if (!tocuda::every_way_threw(evidence)) {
        for (const std::string claim : {"000-03", "000-03b", "001-08"})
            say.refuted(claim, "though the driver fails with " + std::to_string(code) + ", " + words);
    }
}

Variant broken_start(const std::string& code, bool busy) {
    Variant variant{.name = "init_" + code, .fakes = {"driver 13000 init " + code}};
    if (busy) variant.expected = {{"001-08", partial}};
    else variant.expected = {{"000-03", reproduced}, {"000-03b", reproduced}};
    return variant;
}

const Registered unknown_error{{
    .summary = "move a tensor with a driver that is present but cannot initialise",
    .observed =
        "every way to the GPU, and is_available() with its warning, for five reasons why a driver cannot initialise",
    .decisive = "each way must throw, with the driver's own code and LibTorch's text for it; is_available() must be "
                "false and warn",
    .claims = {{"000-03", "is_available() identifies what is wrong"},
               {"000-03b", "GPU use needs is_available() to be true"},
               {"001-08", "the CPU or an unusable GPU may be tried"}},
    .variants = {broken_start("3", false), broken_start("46", true), broken_start("803", false),
                 broken_start("804", false), broken_start("999", false)},
    .differs = tocuda::hints_of_asynchrony_without_a_gpu(),
    .observe = tocuda::observe_entry_points,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::environment::unknown_error
