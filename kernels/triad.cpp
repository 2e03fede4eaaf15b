// tocuda, Apache-2.0.
// a = b + s c with doubles, like BabelStream's Triad, with many loads in flight.
#include "kernels/doubles.hpp"

namespace tocuda::kernels::triad {
namespace {

struct Shape {
    unsigned in_flight = 4;  // loads per thread from each of the two arrays before its first store
    Hint hint = Hint::plain;

    bool operator==(const Shape&) const = default;
};

// The compiled shapes, which are the allowed parameter values.
constexpr std::array loads{2U, 4U};
constexpr std::array tiles{1U, 2U, 4U};  // per block; with several, the next is loaded before the last is stored
constexpr std::array shapes{Shape{2, Hint::plain}, Shape{2, Hint::streaming_store}, Shape{4, Hint::plain},
                            Shape{4, Hint::streaming_store}};

// Even with one tile per block, the branch between the loads and the computation keeps the compiler from using the
// first value before it issues the last load, which would save registers but leave only half of the loads in flight.
template <unsigned loads_in_flight, Hint hint>
struct Triad {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = loads_in_flight;
    unsigned tiles = 1;  // per block

    constexpr Grid grid(std::size_t count) const {
        return grid_over(count, std::size_t{2} * threads * in_flight * tiles, threads, 3 * count * sizeof(double));
    }

    template <class Block>
    constexpr void operator()(Block& block, double* a, const double* b, const double* c, std::size_t count) const {
        auto* to = reinterpret_cast<Pair*>(a);
        const auto* left = reinterpret_cast<const Pair*>(b);
        const auto* right = reinterpret_cast<const Pair*>(c);
        const auto loaded = [&](std::size_t first) {
            Held held;
            for (unsigned i = 0; i < in_flight; ++i) held.left[i] = load<Hint::no_allocate>(left + first + i * threads);
            for (unsigned i = 0; i < in_flight; ++i)
                held.right[i] = load<Hint::no_allocate>(right + first + i * threads);
            return held;
        };
        const auto stored = [&](std::size_t first, const Held& held) {
            for (unsigned i = 0; i < in_flight; ++i)
                store<hint>(to + first + i * threads, triad_of(held.left[i], held.right[i]));
        };
        const auto one = [&](std::size_t i) { to[i] = triad_of(left[i], right[i]); };
        const auto last = [&](std::size_t i) { a[i] = b[i] + stream_scalar * c[i]; };
        ahead_over_pairs<threads, in_flight>(block, count, tiles, loaded, stored, one, last);
    }

private:
    struct Held {
        Pair left[in_flight];
        Pair right[in_flight];
    };
};

Operation operation(const Setting& setting) {
    const Shape shape{setting.number("in_flight"), hint_of(setting.word("hint"))};
    return compiled_for<shapes>(shape, [&]<std::size_t index>() {
        const Triad<shapes[index].in_flight, shapes[index].hint> body{.tiles = setting.number("tiles")};
        return computing_triad(body, body.grid(setting.count<double>()), setting.count<double>());
    });
}

const RegisteredKernel registered{
    {.name = "memory/triad_vectors",
     .summary = "a = b + s c with doubles, BabelStream's Triad, by a kernel with many loads in flight",
     .parameters = {{"bytes", {}}, {"in_flight", {4}}, {"tiles", {1}}, {"hint", {"plain"}}},
     .full = {{"in_flight", values_of(loads)}, {"tiles", values_of(tiles)}, {"hint", {"plain", "streaming_store"}}},
     .allowed = {{"bytes", {.least = sizeof(double)}},
                 {"in_flight", {.only = values_of(loads)}},
                 {"tiles", {.only = values_of(tiles)}}},
     .tuning = "triad_by_vectors",
     .arrays = arrays_of_doubles<3>,
     .operation = operation,
     .fill = fill_with_numbers<bits_for_one_sum>,
     .expected = write_expected_triad}};

}  // namespace
}  // namespace tocuda::kernels::triad
