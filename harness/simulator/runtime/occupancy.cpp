// tocuda, Apache-2.0.
// Limits of a multiprocessor: threads, blocks, registers (by the warp, in steps of 256) and shared memory.
#include "runtime/occupancy.hpp"

#include <algorithm>

namespace tocuda::simulator {

int blocks_per_multiprocessor(const SimulatedGpu& gpu, int block_threads, std::size_t dynamic_shared_bytes) {
    if (block_threads <= 0 || block_threads > gpu.threads_per_block) return 0;
    if (static_cast<std::int64_t>(dynamic_shared_bytes) > gpu.shared_per_block_optin) return 0;
    const std::int64_t warps = (block_threads + 31) / 32;
    const std::int64_t registers = warps * 32 * assumed_registers;
    const std::int64_t shared =
        static_cast<std::int64_t>((dynamic_shared_bytes + 127) / 128 * 128) + gpu.shared_reserved_per_block;
    std::int64_t blocks = std::min(gpu.blocks_per_multiprocessor, gpu.threads_per_multiprocessor / (warps * 32));
    blocks = std::min(blocks, gpu.registers_per_multiprocessor / registers);
    if (shared > 0) blocks = std::min(blocks, gpu.shared_per_multiprocessor / shared);
    return static_cast<int>(blocks);
}

std::size_t shared_bytes_left(const SimulatedGpu& gpu, int blocks) {
    const std::int64_t each = gpu.shared_per_multiprocessor / std::max(1, blocks) - gpu.shared_reserved_per_block;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(each / 128 * 128, 0, gpu.shared_per_block_optin));
}

}  // namespace tocuda::simulator
