// tocuda, Apache-2.0.
// Multicast stores (compute capability 9.0), four words of each thread in flight.
#include "kernels/multicast_copy.hpp"

#include <algorithm>
#include <cstring>

#include "measurement/launch.hpp"

namespace tocuda {
namespace kernels::multicast_copy {

struct alignas(MulticastTarget::word_bytes) Word {
    float numbers[4];
};

// No other store may use such an address.
template <class Any>
constexpr void store(const MulticastTarget& to, std::size_t place, const Any& word) {
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 900
    asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to.of_all + place * sizeof word),
                 "f"(word.numbers[0]), "f"(word.numbers[1]), "f"(word.numbers[2]), "f"(word.numbers[3])
                 : "memory");
#endif
#else
    for (unsigned gpu = 0; gpu < to.gpus; ++gpu) std::memcpy(to.of_each[gpu] + place * sizeof word, &word, sizeof word);
#endif
}

struct Multicast {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 512;
    static constexpr unsigned in_flight = 4;

    template <class Block>
    constexpr void operator()(Block& block, MulticastTarget to, const Word* from, std::size_t words) const {
        const std::size_t step = std::size_t{block.blocks} * threads;
        for (auto first = std::size_t{block.block} * threads + block.thread; first < words; first += in_flight * step) {
            Word loaded[in_flight]{};
            for (unsigned i = 0; i < in_flight; ++i)
                if (first + i * step < words) loaded[i] = from[first + i * step];
            for (unsigned i = 0; i < in_flight; ++i)
                if (first + i * step < words) store(to, first + i * step, loaded[i]);
        }
    }

    // The link of the sender carries each byte once.
    static Touched touched(const MulticastTarget& to, const Word* from, std::size_t words) {
        return {.written = to.of_each[to.sender == 0 ? 1 : 0],
                .bytes_written = words * sizeof(Word),
                .read = from,
                .bytes_read = words * sizeof(Word)};
    }
};

}  // namespace kernels::multicast_copy

void launch_multicast(const Stream& stream, const MulticastTarget& to, const std::byte* from, std::size_t bytes,
                      unsigned multiprocessors) {
    using kernels::multicast_copy::Multicast;
    using kernels::multicast_copy::Word;
    const auto words = bytes / sizeof(Word);
    const auto most = parts(words, std::size_t{Multicast::threads} * Multicast::in_flight);
    const Grid grid{.blocks = static_cast<unsigned>(std::clamp<std::size_t>(most, 1, multiprocessors * 4)),
                    .threads = Multicast::threads,
                    .bytes_touched = bytes};
    launch(stream, grid, Multicast{}, to, reinterpret_cast<const Word*>(from), words);
}

}  // namespace tocuda
