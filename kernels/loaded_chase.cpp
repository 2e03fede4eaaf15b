// tocuda, Apache-2.0.
// The kernel of latency under load, compiled for the GPU and for the CPU.
#include "kernels/loaded_chase.hpp"

#include <array>

#include "kernels/chase_lines.hpp"
#include "kernels/ordered_access.hpp"
#include "measurement/launch.hpp"
#include "measurement/payload.hpp"

namespace tocuda {
namespace kernels::loaded_chase {

constexpr unsigned loads_of_a_chunk = Beside::chunk_bytes / sizeof(Vector16) / Beside::warp;
// So that the flag, which all readers load from the same line, hardly counts beside what they read.
constexpr unsigned chunks_to_ask = 8;

struct LoadedChase {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = Beside::warp * Beside::warps;

    template <class Block>
    constexpr void operator()(Block& block, Chase chase, Beside beside, ChaseFlags* flags, Chased* result,
                              ReadBeside* read, std::uint32_t* sums) const {
        if (block.block != 0) return read_beside(block, beside, flags, read, sums);
        if (block.thread != 0) return;
        const auto waits_since = block.nanoseconds();
        while (block.seen(&flags->begun) < block.blocks - 1 && block.nanoseconds() - waits_since < beside.patience_ns)
            continue;
        block.show(&flags->begun_before, block.seen(&flags->begun));
        chase::chase_lines(block, chase, [&](const chase::Line* const* at) { return block.followed(at); }, result);
        block.show(&flags->ended, 1);
    }

    static constexpr Touched touched(const Chase& chase, const Beside&, const auto*...) {
        return {.read = chase.memory, .bytes_read = chase.working_set};
    }
    static constexpr std::size_t dependent_loads(const Chase& chase, const Beside&, const auto*...) {
        return chase.loads;
    }

private:
    template <class Block>
    static constexpr void read_beside(Block& block, const Beside& beside, ChaseFlags* flags, ReadBeside* read,
                                      std::uint32_t* sums) {
        const auto reader = (block.block - 1) * Beside::warps + block.thread / Beside::warp;
        const auto lane = block.thread % Beside::warp;
        if (block.thread == 0) block.reduce_add(&flags->begun, 1U);
        const auto began = block.nanoseconds();
        auto first = began;
        // Not all at the same time: each warp has its own place within the pause.
        auto due = block.cycles() + static_cast<std::int64_t>(scrambled(reader) % 1024) * beside.cycles_each / 1024;
        auto chunk = std::size_t{reader};
        std::uint32_t sum = 0;
        std::uint32_t count = 0;
        bool ended = false;
        bool goes_on = beside.patience_ns != 0;
        do {
            const auto held =
                chunk_at(reinterpret_cast<const Vector16*>(beside.from + chunk * Beside::chunk_bytes) + lane);
            // The wait stands here, because the compiler would use what is loaded first before it has issued the last
            // load.
            while (block.cycles() < due) continue;
            if (count == 0) first = block.nanoseconds();
            due += beside.cycles_each;
            for (const auto& each : held) sum += each.words[0] + each.words[1] + each.words[2] + each.words[3];
            chunk += beside.readers();
            if (chunk >= beside.chunks) chunk -= beside.chunks;
            ++count;
            if (count % chunks_to_ask != 0) continue;
            ended = block.seen(&flags->ended) != 0;
            goes_on = !ended && block.nanoseconds() - began < beside.patience_ns;
        } while (goes_on);
        sums[reader * Beside::warp + lane] = sum;
        if (lane == 0) read[reader] = {block.nanoseconds() - first, count, ended ? 1U : 0U};
    }

    static constexpr std::array<Vector16, loads_of_a_chunk> chunk_at(const Vector16* from) {
        std::array<Vector16, loads_of_a_chunk> held;
        for (unsigned i = 0; i < loads_of_a_chunk; ++i) held[i] = ordered_load(from + i * Beside::warp);
        return held;
    }
};

}  // namespace kernels::loaded_chase

void launch_loaded_chase(const Stream& stream, const Chase& chase, const Beside& beside, std::size_t shared_bytes,
                         ChaseFlags* flags, Chased* result, ReadBeside* read, std::uint32_t* sums) {
    using kernels::loaded_chase::LoadedChase;
    launch(stream, {.blocks = beside.multiprocessors, .threads = LoadedChase::threads, .shared_bytes = shared_bytes},
           LoadedChase{}, chase, beside, flags, result, read, sums);
}

}  // namespace tocuda
