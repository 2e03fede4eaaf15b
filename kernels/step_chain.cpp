// tocuda, Apache-2.0.
// The kernels of the latency of shared memory and of atomic operations, compiled for the GPU and for the CPU.
#include "kernels/step_chain.hpp"

#include "kernels/chase_lines.hpp"
#include "measurement/block.hpp"
#include "measurement/launch.hpp"
#include "measurement/payload.hpp"

namespace tocuda {
namespace kernels::step_chain {

// Places in shared memory by their address there, as the instructions take it, so that no step computes anything.
class SharedWords {
public:
    constexpr explicit SharedWords(std::uint32_t* at) : words(at) {
#ifdef __CUDA_ARCH__
        asm("{ .reg .u64 address; cvta.to.shared.u64 address, %1; cvt.u32.u64 %0, address; }" : "=r"(base) : "l"(at));
#endif
    }

    constexpr std::uint32_t first() const { return base; }

    // Returns what was there.
    template <ChainStep step, class Block>
    constexpr std::uint32_t visit([[maybe_unused]] Block& block, std::uint32_t at) const {
#ifdef __CUDA_ARCH__
        std::uint32_t found = 0;
        if constexpr (step == ChainStep::load)
            asm volatile("ld.shared.u32 %0, [%1];" : "=r"(found) : "r"(at) : "memory");
        else if constexpr (step == ChainStep::add)
            asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(found) : "r"(at) : "memory");
        else asm volatile("atom.shared.exch.b32 %0, [%1], %1;" : "=r"(found) : "r"(at) : "memory");
        return found;
#else
        auto& word = words[at / sizeof(std::uint32_t)];
        const auto found = word;
        word = static_cast<std::uint32_t>(left_by(step, at, found));
        return found;
#endif
    }

private:
    std::uint32_t* words;
    std::uint32_t base = 0;
};

template <ChainStep step>
struct SharedChain {
    static constexpr bool has_barrier = true;
    static constexpr unsigned threads = 256;

    template <class Block>
    constexpr void operator()(Block& block, const std::uint32_t* links, unsigned steps, Chased* result,
                              std::uint32_t* left) const {
        auto* const held = shared<std::uint32_t>(block, shared_places);
        const SharedWords words(held);
        for (auto i = block.thread; i < shared_places; i += block.threads) held[i] = words.first() + links[i];
        block.barrier();
        if (block.thread == 0) {
            const auto began_ns = block.nanoseconds();
            const auto began = block.cycles();
            auto at = words.first();
            std::uint64_t sum = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 16  // so that the loop itself costs each of these steps alike
#endif
            for (unsigned i = 0; i < steps; ++i) {
                sum += at;  // of the step before: the loop's branch does not wait for the newest
                at = words.template visit<step>(block, at);
            }
            sum += at - words.first();
            if (at != ~0U) {  // the clocks are read only once the last step has returned
                const auto cycles = block.cycles() - began;
                *result = {at - words.first(), sum - std::uint64_t{steps} * words.first(), cycles,
                           block.nanoseconds() - began_ns};
            }
        }
        block.barrier();
        for (auto i = block.thread; i < shared_places; i += block.threads) left[i] = held[i] - words.first();
    }

    static constexpr Touched touched(const std::uint32_t* links, unsigned, Chased*, std::uint32_t*) {
        return {.read = links, .bytes_read = shared_places * sizeof(std::uint32_t)};
    }
    static constexpr std::size_t dependent_loads(const std::uint32_t*, unsigned steps, Chased*, std::uint32_t*) {
        return steps;
    }
};

template <ChainStep step, class Block>
constexpr const chase::Line* visited([[maybe_unused]] Block& block, const chase::Line* const* at) {
    auto* const link = reinterpret_cast<unsigned long long*>(const_cast<const chase::Line**>(at));
#ifdef __CUDA_ARCH__
    unsigned long long found = 0;
    if constexpr (step == ChainStep::add)
        asm volatile("atom.global.add.u64 %0, [%1], 1;" : "=l"(found) : "l"(link) : "memory");
    else asm volatile("atom.global.exch.b64 %0, [%1], %1;" : "=l"(found) : "l"(link) : "memory");
#else
    const auto found = *link;
    *link = left_by(step, reinterpret_cast<std::uintptr_t>(link), found);
#endif
    return reinterpret_cast<const chase::Line*>(found);
}

template <ChainStep step>
struct LineChain {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, Chase chase, Chased* result) const {
        chase::chase_lines(
            block, chase, [&](const chase::Line* const* at) { return visited<step>(block, at); }, result);
    }

    static constexpr Touched touched(const Chase& chase, Chased*) {
        return {.read = chase.memory, .bytes_read = chase.working_set};
    }
    static constexpr std::size_t dependent_loads(const Chase& chase, Chased*) { return chase.loads; }
};

}  // namespace kernels::step_chain

std::vector<std::uint32_t> shared_links() {
    std::vector<std::uint32_t> order(shared_places);
    for (unsigned i = 0; i < shared_places; ++i) order[i] = i;
    for (unsigned i = shared_places - 1; i > 1; --i) std::swap(order[i], order[1 + scrambled(i) % i]);
    std::vector<std::uint32_t> links(shared_places);
    for (unsigned i = 0; i < shared_places; ++i)
        links[order[i]] = order[(i + 1) % shared_places] * static_cast<std::uint32_t>(sizeof(std::uint32_t));
    return links;
}

void launch_shared_chain(const Stream& stream, ChainStep step, const std::uint32_t* links, unsigned steps,
                         Chased* result, std::uint32_t* left) {
    const auto launched = [&](auto kernel) {
        launch(stream, {.threads = kernel.threads, .shared_bytes = shared_places * sizeof(std::uint32_t)}, kernel,
               links, steps, result, left);
    };
    if (step == ChainStep::load) launched(kernels::step_chain::SharedChain<ChainStep::load>{});
    else if (step == ChainStep::add) launched(kernels::step_chain::SharedChain<ChainStep::add>{});
    else launched(kernels::step_chain::SharedChain<ChainStep::exchange>{});
}

void launch_line_chain(const Stream& stream, ChainStep step, const Chase& chase, Chased* result) {
    if (step == ChainStep::add) launch(stream, Grid{}, kernels::step_chain::LineChain<ChainStep::add>{}, chase, result);
    else launch(stream, Grid{}, kernels::step_chain::LineChain<ChainStep::exchange>{}, chase, result);
}

}  // namespace tocuda
