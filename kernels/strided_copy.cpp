// tocuda, Apache-2.0.
// Gathers every n-th four-byte element into one run, like copying a column.
#include "kernels/launching.hpp"

namespace tocuda::kernels::strided_copy {
namespace {

// Returns the number of source elements up to the last one that is read.
constexpr std::size_t strided_extent(std::size_t count, std::size_t stride) {
    return count == 0 ? 0 : (count - 1) * stride + 1;
}

// The stores form one run: neighbouring threads load and store neighbouring elements.
struct StridedCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 8;

    static constexpr Grid grid(std::size_t count) {
        return grid_over(count, threads * in_flight, threads, 2 * count * sizeof(std::uint32_t));
    }

    template <class Block>
    constexpr void operator()(Block& block, std::uint32_t* to, const std::uint32_t* from, std::size_t count,
                              std::size_t stride) const {
        const auto tile = std::size_t{threads} * in_flight;
        for (auto start = block.block * tile; start < count; start += block.blocks * tile) {
            const auto first = start + block.thread;
            std::uint32_t held[in_flight];
            for (unsigned i = 0; i < in_flight; ++i)
                if (first + i * threads < count) held[i] = from[(first + i * threads) * stride];
            for (unsigned i = 0; i < in_flight; ++i)
                if (first + i * threads < count) to[first + i * threads] = held[i];
        }
    }
};

struct Expected {
    std::size_t stride;
    constexpr std::uint32_t operator()(std::size_t i) const { return payload_word(i * stride); }
};

ArraySizes arrays(const Setting& setting) {
    const auto bytes = setting.count<std::uint32_t>() * sizeof(std::uint32_t);
    const auto source =
        strided_extent(setting.count<std::uint32_t>(), setting.number("stride")) * sizeof(std::uint32_t);
    return {.bytes = {bytes, source}, .one_way = bytes, .touched = 2 * bytes};
}

Operation operation(const Setting& setting) {
    return [count = setting.count<std::uint32_t>(), stride = std::size_t{setting.number("stride")}](
               const Stream& stream, const Arrays& arrays) {
        launch(stream, StridedCopy::grid(count), StridedCopy{}, reinterpret_cast<std::uint32_t*>(arrays[0]),
               reinterpret_cast<const std::uint32_t*>(arrays[1]), count, stride);
    };
}

// The source needs `stride` times the memory of the target, whose size `bytes` is.
const RegisteredKernel registered{
    {.name = "copy/device_to_device/strided",
     .summary = "gather four-byte elements that are `stride` elements apart within the memory of one GPU",
     .parameters = {{"bytes", {}}, {"stride", {2, 8}}},
     .full = {{"bytes", {std::int64_t{1} << 20, std::int64_t{64} << 20, std::int64_t{1} << 30}},
              {"stride", {1, 2, 4, 8, 16, 32}}},
     .allowed = {{"bytes", {.least = sizeof(std::uint32_t), .most = std::int64_t{1} << 48}},
                 {"stride", {.least = 1, .most = 4096}}},
     .arrays = arrays,
     .operation = operation,
     .expected =
         [](const Stream& stream, std::byte* to, const Setting& setting) {
             write_each<std::uint32_t>(stream, to, setting.count<std::uint32_t>(), Expected{setting.number("stride")});
         },
     .simulated = "the time does not depend on the stride"}};

}  // namespace
}  // namespace tocuda::kernels::strided_copy
