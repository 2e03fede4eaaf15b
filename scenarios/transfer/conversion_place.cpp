// tocuda, Apache-2.0.
// Counts how many bytes cross the bus and where a conversion runs: the real cost of moving a double to float32 or
// bfloat16.
#include <ATen/ATen.h>

#include "libtorch/attempt.hpp"
#include "libtorch/crossing.hpp"
#include "libtorch/known_differences.hpp"
#include "worker/registered.hpp"

namespace tocuda::transfer::conversion_place {
namespace {

constexpr std::int64_t elements = std::int64_t{1} << 20;

template <class Action>
void measure(Observer& see, const std::string& name, Action action) {
    const tocuda::CrossingMark mark;
    const at::Tensor kept = action();  // outlives the reading, because releasing may synchronise
    say(see, name, mark.read());
}

void observe(Observer& see) {
    const auto source = at::zeros({elements}, at::kDouble);
    at::empty({1}, at::device(at::kCUDA));  // initialises CUDA before anything is counted
    measure(see, "same", [&] { return source.to(at::kCUDA); });
    measure(see, "blocking", [&] { return source.to(at::kCUDA, at::kFloat); });
    measure(see, "non_blocking", [&] { return source.to(at::kCUDA, at::kFloat, true); });
    measure(see, "made_then_moved", [&] { return at::zeros({10}, at::kFloat).to(at::kCUDA); });
    measure(see, "made_there", [&] { return at::zeros({10}, at::dtype(at::kFloat).device(at::kCUDA)); });
}

void judge(const Evidence& evidence, Judgement& say) {
    if (!evidence.flag("same.recorded")) throw tocuda::Undecided("the recorder was not loaded");
    const auto bytes = [&](const char* name) { return evidence.integer(std::string(name) + ".to_device_bytes"); };
    const auto kernels = [&](const char* name) { return evidence.integer(std::string(name) + ".kernels"); };
    const bool unconverted = bytes("same") == 8 * elements && kernels("same") == 0;
    const bool on_the_cpu = bytes("blocking") == 4 * elements && kernels("blocking") == 0;
    const bool on_the_gpu = bytes("non_blocking") == 8 * elements && kernels("non_blocking") == 1;
    if (unconverted)
        say.refuted("000-06", "a double moves as " + std::to_string(bytes("same")) + " bytes, unconverted");
    else if (kernels("same") > 0)
        say.reproduced("000-06", "moving a double launched kernels: " + std::to_string(kernels("same")));
    if (unconverted && on_the_cpu && on_the_gpu)
        say.reproduced("001-14", "if asked: on the CPU (" + std::to_string(bytes("blocking")) +
                                     " bytes cross), non_blocking on the GPU");
    const bool saved = bytes("made_then_moved") == 40 && bytes("made_there") == 0;
    if (saved) say.reproduced("002-15", "made on the GPU 0 bytes cross, made on the CPU 40; both work");
}

const Registered conversion_place{{
    .summary = "count what crosses the bus when a tensor is moved, converted, or made on the GPU",
    .observed = "bytes, copies and kernels counted by the recorder for a move, a move with conversion, and a factory",
    .decisive = "all bytes and no kernel for a plain move; half the bytes if the CPU converts, all bytes and one "
                "kernel if the GPU does",
    .claims = {{"000-06", "doubles must become float32 to move"},
               {"001-14", "PyTorch handles dtype conversions"},
               {"002-15", "made on the GPU it saves a copy"}},
    .variants = {{.name = "default",
                  .fakes = {"recorder"},
                  .expected = {{"000-06", refuted}, {"001-14", reproduced}, {"002-15", reproduced}}}},
    .needs = {.gpus = 1},
    .differs = {{"made_there.kernels",
                 {{"2.11", "1"}, {"2.15", "0"}},
                 "zeros on the GPU launch a kernel, in later versions a memset",
                 {}}},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::transfer::conversion_place
