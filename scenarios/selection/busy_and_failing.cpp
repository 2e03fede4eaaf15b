// tocuda, Apache-2.0.
// One GPU among several is full of another program's memory, refuses, or dies. Full: it runs out of memory and the
// others work. Refusing: it throws the runtime's error code and the others work. Dead: every later call of the process
// fails. In no case is the failure silent.
#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <torch/cuda.h>

#include <memory>
#include <sstream>
#include <string_view>

#include "libtorch/allocator.hpp"
#include "libtorch/attempt.hpp"
#include "libtorch/cuda_runtime.hpp"
#include "libtorch/known_differences.hpp"
#include "worker/registered.hpp"

namespace tocuda::selection::busy_and_failing {
namespace {

void move_to(Observer& see, const std::string& name, c10::DeviceIndex gpu) {
    const auto source = at::zeros({32 * mebibyte}, at::kByte);
    auto moved = source;
    say(see, name, tocuda::attempt([&] { moved = source.to(at::Device(at::kCUDA, gpu)); }));
    see(name + ".device", tocuda::text(moved.device()));
}

std::int64_t free_bytes() {
    return static_cast<std::int64_t>(at::getDeviceAllocator(at::kCUDA)->getMemoryInfo(0).first);
}

void observe(Observer& see) {
    // GPU 0 fails: it is the current device, so no guard has to leave it again.
    move_to(see, "before", 1);
    std::unique_ptr<tocuda::ForeignMemory> foreign;
    if (see.variant() == "full") {
        const bool integrated = tocuda::attribute(tocuda::Attribute::integrated).value_or(0) != 0;
        const auto free = free_bytes();
        // The memory of an integrated GPU is the host's.
        if (!integrated) foreign = std::make_unique<tocuda::ForeignMemory>(0, free - 16 * mebibyte);
        see("full.free_mib", free_bytes() / mebibyte);
        see("trouble.in_place", foreign && foreign->held());
    } else {
        see("trouble.in_place", true);
    }
    move_to(see, "troubled", 0);
    see("is_available", torch::cuda::is_available());
    see("device_count", static_cast<std::int64_t>(torch::cuda::device_count()));
    // A different size, so that it is not served from the cache.
    say(see, "others", tocuda::attempt([] { at::zeros({64 * mebibyte}, at::kByte).to(at::Device(at::kCUDA, 1)); }));
}

// Whether the move failed with the injected trouble. A fault's third word is the runtime's error: "fault cudaMalloc 2
// 46". Without a fault the GPU was filled.
bool is_the_trouble_made(const Evidence& evidence) {
    constexpr std::string_view mark = "fault ";
    for (const auto& stand_in : evidence.stand_in) {
        if (!stand_in.starts_with(mark)) continue;
        std::istringstream words(stand_in.substr(mark.size()));
        std::string function;
        int call = 0;
        int code = 0;
        if (!(words >> function >> call >> code))
            throw tocuda::Undecided("the row's fault has no error code: " + stand_in);
        return tocuda::threw_code(evidence, "troubled", code);
    }
    return tocuda::threw_out_of_memory(evidence, "troubled");
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.flag("before.threw"))
        throw tocuda::Undecided("the other GPU failed, too: " + tocuda::error_name(evidence, "before"));
    if (!evidence.flag("trouble.in_place")) throw tocuda::Undecided("the GPU could not be filled");
    const auto& device = evidence.text("troubled.device");
    if (!evidence.flag("troubled.threw")) {
        // Some drivers move memory to the host or take back what the host has cached, and others may free some.
        if (evidence.has("full.free_mib") && device == "cuda:0")
            throw tocuda::Undecided("the driver found room on the full GPU");
        if (device == "cpu")
            say.reproduced("001-01", "the move to the failing GPU did not throw; the tensor is on cpu");
        say.refuted("001-08", "the move to the failing GPU ended on " + device);
        return;
    }
    if (!is_the_trouble_made(evidence))
        throw tocuda::Undecided("the move failed for another reason: " + tocuda::error_name(evidence, "troubled"));
    const auto words = "cuda:0 of " + std::to_string(evidence.integer("device_count")) + " throws " +
                       tocuda::error_name(evidence, "troubled") + "; then cuda:1 " +
                       (evidence.flag("others.threw") ? "fails, too" : "still works");
    if (device != "cpu") return;  // it threw although the tensor moved: neither verdict fits
    say.partial("001-08", words);
    say.refuted("001-01", words);
}

Variant failing(const std::string& name, const std::string& fault) {
    return {
        .name = name, .simulate = "4x1GiB", .faults = {fault}, .expected = {{"001-01", refuted}, {"001-08", partial}}};
}

const Registered busy_and_failing{{
    .summary = "move tensors to a GPU that is full, that refuses, or that dies, and then to another",
    .observed = "moves to a GPU that is full, refuses or dies, and then to another one",
    .decisive = "the exception's type and code must be those of the injected trouble; a tensor on the CPU and no "
                "exception would be silent",
    .claims = {{"001-01", "a failed move is often silent"}, {"001-08", "the CPU or an unusable GPU may be tried"}},
    .variants = {{.name = "full", .simulate = "4x1GiB", .expected = {{"001-01", refuted}, {"001-08", partial}}},
                 failing("refuses", "cudaMalloc 2 46"),
                 failing("dies", "cudaMemcpyAsync 2 214 sticky")},
    .needs = {.gpus = 2},
    .differs = {tocuda::hint_of_asynchrony("troubled", {"refuses", "dies"}),
                tocuda::hint_of_asynchrony("others", {"dies"})},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::selection::busy_and_failing
