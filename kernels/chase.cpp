// tocuda, Apache-2.0.
// The kernel of the latency benchmarks, compiled for the GPU and for the CPU.
#include "kernels/chase.hpp"

#include "kernels/chase_lines.hpp"
#include "kernels/memory_access.hpp"
#include "measurement/block.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace kernels::chase {

struct WriteCycle {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, std::byte* memory, const std::uint64_t* cycle, std::size_t count) const {
        const auto at = [=](std::size_t i) { return reinterpret_cast<Line*>(memory + cycle[i] * line_bytes); };
        for (auto i = std::size_t{block.block} * block.threads + block.thread; i < count;
             i += std::size_t{block.blocks} * block.threads)
            at(i)->next = at(i + 1 == count ? 0 : i + 1);
    }
};

struct ChaseLines {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, Chase chase, Chased* result) const {
        chase_lines(block, chase, [&](const Line* const* at) { return block.followed(at); }, result);
    }

    static constexpr Touched touched(const Chase& chase, Chased*) {
        return {.read = chase.memory, .bytes_read = chase.working_set};
    }
    static constexpr std::size_t dependent_loads(const Chase& chase, Chased*) { return chase.warm_loads + chase.loads; }
};

struct ChaseInBulk {
    static constexpr bool has_barrier = false;
    static constexpr std::size_t shared_bytes = 2 * line_bytes;

    template <class Block>
    constexpr void operator()(Block& block, Chase chase, Chased* result) const {
        BulkCopies copies(shared<std::uint64_t>(block, 1));
        copies.begin(1);
        auto* const line = block.shared_array(line_bytes, line_bytes);
        const auto followed = [&](const Line* const* at) {
            copies.load(0, line, at, line_bytes);
            copies.await_load(0);
            return static_cast<const Line*>(line)->next;
        };
        chase_lines(block, chase, followed, result);
    }

    static constexpr Touched touched(const Chase& chase, Chased* result) { return ChaseLines::touched(chase, result); }
    static constexpr std::size_t dependent_loads(const Chase& chase, Chased* result) {
        return ChaseLines::dependent_loads(chase, result);
    }
};

// Of several blocks that are on this multiprocessor at the same time, the first one chases.
struct ChaseOn {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, Chase chase, unsigned multiprocessor, unsigned of, Chased* result) const {
        if (block.multiprocessor(of) != multiprocessor) return;
        if (block.compare_and_swap(&result->claims, 0U, 1U) != 0) return;
        chase_lines(block, chase, [&](const Line* const* at) { return block.followed_past_l1(at); }, result);
    }

    static constexpr Touched touched(const Chase& chase, unsigned, unsigned, Chased*) {
        return {.read = chase.memory, .bytes_read = chase.working_set};
    }
    static constexpr std::size_t dependent_loads(const Chase& chase, unsigned, unsigned, Chased*) {
        return chase.warm_loads + chase.loads;
    }
};

}  // namespace kernels::chase

Chased Chased::expected(const std::byte* memory, const std::vector<std::uint64_t>& cycle) {
    Chased all;
    for (std::size_t i = 1; i <= chase_loads; ++i) {
        all.end = reinterpret_cast<std::uintptr_t>(memory) + cycle[i % cycle.size()] * line_bytes;
        all.sum += all.end;
    }
    return all;
}

Chased chased_by_host(const Chase& chase) {
    using kernels::chase::Line;
    const auto* line = reinterpret_cast<const Line*>(chase.memory + chase.first * line_bytes);
    Chased result;
    for (std::size_t i = 0; i < chase.loads && line; ++i) {
        line = *static_cast<const Line* const volatile*>(&line->next);
        result.sum += reinterpret_cast<std::uintptr_t>(line);
    }
    result.end = reinterpret_cast<std::uintptr_t>(line);
    return result;
}

void write_cycle(const Stream& stream, std::byte* memory, const std::uint64_t* cycle, std::size_t count) {
    launch(stream, {.blocks = 32, .threads = 256, .bytes_touched = count * line_bytes}, kernels::chase::WriteCycle{},
           memory, cycle, count);
}

void launch_chase(const Stream& stream, const Chase& chase, Chased* result, ChaseBy by) {
    using kernels::chase::ChaseInBulk;
    if (by == ChaseBy::load) launch(stream, Grid{}, kernels::chase::ChaseLines{}, chase, result);
    else launch(stream, {.shared_bytes = ChaseInBulk::shared_bytes}, ChaseInBulk{}, chase, result);
}

void launch_chase_on(const Stream& stream, const Chase& chase, unsigned multiprocessor, unsigned of, Chased* result) {
    launch(stream, {.blocks = 8 * of}, kernels::chase::ChaseOn{}, chase, multiprocessor, of, result);
}

void launch_timer_step(const Stream& stream, std::uint64_t* nanoseconds) {
    launch(stream, Grid{}, kernels::chase::TimerStep{}, nanoseconds);
}

}  // namespace tocuda
