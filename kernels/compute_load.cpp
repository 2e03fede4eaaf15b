// tocuda, Apache-2.0.
// Multiplications and additions of floats in registers: neither memory nor the link is used, but for the flag that ends
// the kernel.
#include "kernels/compute_load.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace kernels::compute_load {

constexpr unsigned round_steps = 4096;                 // some twenty microseconds
constexpr unsigned rounds_to_ask = 4;                  // the host's flag lies beyond the link that is measured
constexpr std::uint64_t patience_ns = 20'000'000'000;  // if the host no longer asks it to stop

// One of these blocks on each multiprocessor keeps all its units for floats busy: with 128 threads each of its four
// schedulers has one warp, with four independent chains. A second warp would take the registers that a block of NCCL
// needs, or one of the blocks of a copy.
template <unsigned threads>
struct Compute {
    static constexpr bool has_barrier = false;
    static constexpr unsigned block_threads = threads;

    template <class Block>
    constexpr void operator()(Block& block, ComputeReports* reports, std::uint32_t* stop_here,
                              std::uint32_t number) const {
        const auto began = block.nanoseconds();
        const bool first = block.thread == 0;
        float a = static_cast<float>(block.thread) / threads;
        float b = a / 2;
        float c = a / 3;
        float d = a / 4;
        std::uint32_t rounds = 0;
        while (block.seen(stop_here) != number) {
            for (unsigned i = 0; i < round_steps; ++i) {  // stays between -1 and 1 and settles nowhere
                a = 1 - 1.99F * a * a;
                b = 1 - 1.99F * b * b;
                c = 1 - 1.99F * c * c;
                d = 1 - 1.99F * d * d;
            }
            ++rounds;
            if (!first) continue;
            if (rounds == 1) block.show(&reports->rounds[block.block], 1);
            const bool asks = block.block == 0 && rounds % rounds_to_ask == 0;
            if (asks && (block.seen(&reports->stop) != 0 || block.nanoseconds() - began >= patience_ns))
                block.show(stop_here, number);
        }
        if (a + b + c + d < -8) ++rounds;  // never true, but keeps the compiler from removing the computation
        if (!first) return;
        block.show(&reports->rounds[block.block], rounds);
        block.show(&reports->ended[block.block], 1);
    }

    // A simulated GPU calls this instead of computing, each time that it looks whether the kernel has ended.
    static bool ready(ComputeReports* reports, std::uint32_t*, std::uint32_t) {
        const bool stop = std::atomic_ref(reports->stop).load() != 0;
        const auto blocks = std::atomic_ref(reports->blocks).load();
        for (std::uint32_t i = 0; i < blocks; ++i) {
            ++std::atomic_ref(reports->rounds[i]);
            if (stop) std::atomic_ref(reports->ended[i]).store(1);
        }
        return stop;
    }
};

using Body = Compute<128>;

}  // namespace kernels::compute_load

namespace {

std::uint32_t seen(std::uint32_t& in) { return std::atomic_ref(in).load(); }

// Ends the kernel even if what is timed throws.
class EndsWith {
public:
    EndsWith(ComputeReports& load_reports, const Stream& load_stream) : reports(load_reports), stream(load_stream) {}
    EndsWith(const EndsWith&) = delete;
    EndsWith& operator=(const EndsWith&) = delete;
    ~EndsWith() {
        std::atomic_ref(reports.stop).store(1);
        static_cast<void>(cudaStreamSynchronize(stream.get()));  // an error is returned again by the next call
    }

private:
    ComputeReports& reports;
    const Stream& stream;
};

}  // namespace

ComputeLoad::ComputeLoad()
    : blocks(std::min(gpu_facts().multiprocessors, ComputeReports::most_blocks)), stop_here(sizeof(std::uint32_t)) {
    require("cudaMemsetAsync", cudaMemsetAsync(stop_here.get(), 0, sizeof(std::uint32_t), stream.get()));
    stream.synchronize();
    // A copy with shared memory cannot start on a multiprocessor that would first have to take it from the L1 cache,
    // which waits until nothing runs there.
    const auto* function = function_of<kernels::compute_load::Body, ComputeReports*, std::uint32_t*, std::uint32_t>();
    require("cudaFuncSetAttribute", cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout,
                                                         cudaSharedmemCarveoutMaxShared));
    outlasts([] {});  // loads the kernel, which may wait for the whole GPU
}

bool ComputeLoad::outlasts(const std::function<void()>& timed) {
    *reports.host() = {.blocks = blocks};
    bool lasted = false;
    {
        launch(stream, {.blocks = blocks, .threads = kernels::compute_load::Body::block_threads},
               kernels::compute_load::Body{}, reports.device(), reinterpret_cast<std::uint32_t*>(stop_here.get()),
               ++launches);
        const EndsWith end(*reports.host(), stream);
        wait_until_it_computes();
        timed();
        lasted = !any_ended();
    }
    stream.synchronize();
    return lasted && all_computed();
}

void ComputeLoad::wait_until_it_computes() const {
    const auto begun = std::chrono::steady_clock::now();
    while (!all_computed()) {
        if (std::chrono::steady_clock::now() - begun > std::chrono::seconds(2))
            throw std::runtime_error("the computing kernel did not run on every multiprocessor within 2 s");
        std::this_thread::yield();
    }
}

bool ComputeLoad::any_ended() const {
    auto& ended = reports.host()->ended;
    return std::any_of(ended.begin(), ended.begin() + blocks, [](std::uint32_t& each) { return seen(each) != 0; });
}

bool ComputeLoad::all_computed() const {
    auto& rounds = reports.host()->rounds;
    return std::all_of(rounds.begin(), rounds.begin() + blocks, [](std::uint32_t& each) { return seen(each) != 0; });
}

}  // namespace tocuda
