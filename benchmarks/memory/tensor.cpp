// tocuda, Apache-2.0.
// How many operations the tensor cores do in a second, and how long one of their instructions takes, with factors that
// stay in registers.
#include "kernels/tensor.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/room.hpp"

namespace tocuda::benchmarks::tensor_rates {
namespace {

Values numbers() {
    Values words;
    for (const auto& word : tensor_number_words) words.emplace_back(std::string(word));
    return words;
}

// The compiler would make half numbers of float8 for the others.
bool multiplies_float8(const GpuFacts& gpu) { return gpu.compute_capability == 89 || gpu.compute_capability >= 120; }

class TensorRates final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        if (text(set, "by") == "wgmma") {
            if (auto why = why_no_groups(); !why.empty()) return why;
        } else if (text(set, "type") == "float8") {
            if (auto why = why_not_capable(gpu, 89); !why.empty()) return why;
            if (!multiplies_float8(gpu))
                return "this GPU's mma.sync has no float8 (compute capability 8.9 and 12.0 have); see " +
                       std::string(gpu.compute_capability == 90 ? "by=wgmma" : "framework/matmul");
        }
        if (auto why = why_not_capable(gpu, 80); !why.empty()) return why;
        return why_no_room(allocated_bytes({products_of(set).result_bytes()}), free);
    }

    Trial trial(const Parameters& set) override {
        const auto products = products_of(set);
        const auto sums = std::make_shared<DeviceMemory>(products.result_bytes());
        const auto launched = [=, this](const Stream& on) {
            launch_tensor_products(on, products, sums->get(), time.device());
        };
        Trial trial{.compared = "each sum of each chain with that of the CPU, to the last bit",
                    .differs = [=, this] { return what_differs(products, *sums, launched); }};
        if (products.alone) {
            trial.timing = SelfTimed{.seconds = [=, this] { return seconds_of(launched); },
                                     .together = products.steps(),
                                     .cycles = [this] { return static_cast<double>(time.host()->cycles); },
                                     .busy = {.operation = launched}};
        } else {
            trial.items = products.operations();
            trial.timing = Queued{.operation = launched};
        }
        if (gpus_are_simulated()) trial.flags.emplace_back("simulated: the time is that of an empty kernel");
        return trial;
    }

private:
    // wgmma exists on 9.0 alone, and only in code that was compiled for 90a.
    std::string why_no_groups() const {
        if (auto why = why_not_capable(gpu, 90); !why.empty()) return why;
        if (gpu.compute_capability != 90) return "wgmma is an instruction of compute capability 9.0 alone";
        if (gpus_are_simulated() || std::string_view(TOCUDA_ARCHITECTURES).find("90a") != std::string_view::npos)
            return "";
        return "wgmma needs kernels compiled for 90a; these are for " TOCUDA_ARCHITECTURES;
    }

    TensorProducts products_of(const Parameters& set) const {
        const auto word = std::find(tensor_number_words.begin(), tensor_number_words.end(), text(set, "type"));
        // Long enough that starting a launch hardly counts, and so few steps that sums of float8, of which tensor cores
        // keep fewer bits than a float has, are exact. Simulated GPUs compute little: the CPU does it.
        const bool grouped = text(set, "by") == "wgmma";
        const unsigned rounds = grouped && text(set, "type") != "float8" ? 1024 : 256;
        return {.number = static_cast<TensorNumber>(word - tensor_number_words.begin()),
                .alone = text(set, "what") == "latency",
                .grouped = grouped,
                .multiprocessors = gpu.multiprocessors,
                .rounds = gpus_are_simulated() ? 1 : rounds};
    }

    // By the kernel's clocks, which stand still on a simulated GPU: there, between two events.
    double seconds_of(const std::function<void(const Stream&)>& launched) const {
        before.record(stream);
        launched(stream);
        after.record(stream);
        stream.synchronize();
        return gpus_are_simulated() ? seconds_between(before, after)
                                    : 1e-9 * static_cast<double>(time.host()->nanoseconds);
    }

    std::string what_differs(const TensorProducts& products, const DeviceMemory& sums,
                             const std::function<void(const Stream&)>& launched) const {
        std::vector<std::byte> found(products.result_bytes());
        require("cudaMemsetAsync", cudaMemsetAsync(sums.get(), 0xFF, found.size(), stream.get()));
        *time.host() = {};
        launched(stream);
        download(found, sums.get(), stream);
        if (auto why = wrong_with(products, found); !why.empty()) return why;
        const bool advanced = time.host()->cycles > 0 && time.host()->nanoseconds > 0;
        return advanced || gpus_are_simulated() ? "" : "the GPU's clocks did not advance";
    }

    const GpuFacts gpu = gpu_facts();
    const std::size_t free = free_device_bytes();
    const Stream stream{};
    const Event before{};
    const Event after{};
    const MappedMemory<TensorTime> time{};
};

const RegisteredBenchmark registered{
    {.benchmark = {.name = "arithmetic/tensor",
                   .summary = "operations of the tensor cores in a second, by instruction and type of the factors",
                   .how = "matrices are multiplied and the products added to sums in float (of int8 in int32). "
                          "`by=mma`: each warp 16 rows by 8 columns with mma.sync, what each GPU since compute "
                          "capability 8.0 has; all factors stay in registers. `by=wgmma`: each four warps 64 rows by "
                          "64 columns with the instruction that only 9.0 has; the right factor is in shared memory. "
                          "`what=rate`: 16 warps on each multiprocessor with eight chains each, or two groups of "
                          "four; a multiplication and an addition count as two operations, without zeros that a GPU "
                          "could skip: the rate is in 10^9 operations a second (Gop/s). `what=latency`: one warp with "
                          "a single chain, or one group, which waits after each sixteenth; the time is that of one "
                          "instruction whose sum the next one needs. That of a group multiplies 64 by 64 numbers and "
                          "keeps the tensor cores busy all that time. A launch lasts less than a millisecond, with "
                          "small whole numbers: at the power limit a long run with other numbers is slower. By groups, "
                          "one with float8 is a quarter as long as the others, and its start counts 3 %. float8 is "
                          "added up with fewer bits than a float has. 10.0 has its own faster one (tcgen05), whose "
                          "rate this is not; compare with framework/matmul, whose library uses it. float8 is e4m3, "
                          "measured where the instruction has it, not where it is converted to half first",
                   .clock = Clock::device,
                   .parameters = {{"type", {}}, {"what", {"rate", "latency"}}, {"by", {"mma", "wgmma"}}},
                   .quick = {{"type", {}}},
                   .full = {{"type", numbers()}},
                   .needs = {.gpus = 1}},
     .set_up = [](const std::vector<Parameters>&) { return std::make_unique<TensorRates>(); }}};

}  // namespace
}  // namespace tocuda::benchmarks::tensor_rates
