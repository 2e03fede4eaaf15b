// tocuda, Apache-2.0.
// a = b + s c with doubles, like BabelStream's Triad, with few or many loads in flight.
#include "kernels/doubles.hpp"

namespace tocuda::kernels::triad {
namespace {

struct Shape {
    unsigned in_flight = 4;  // loads per thread from each of the two arrays before its first store
    unsigned width = 16;     // of a load, in bytes
    Hint hint = Hint::plain;
    bool ahead = false;  // the next tile is loaded before the last is stored

    bool operator==(const Shape&) const = default;
};

// The compiled shapes, which are the allowed parameter values.
constexpr std::array loads{1U, 2U, 4U};
constexpr std::array tiles{1U, 2U, 4U};  // per block
constexpr std::array hints{Hint::plain, Hint::streaming_store};
constexpr auto shapes = [] {
    std::array<Shape, (2 * loads.size() - 1) * loaded_widths.size() * hints.size()> all{};
    std::size_t count = 0;
    for (const auto in_flight : loads)
        for (const auto width : loaded_widths)
            for (const auto hint : hints)
                for (const bool ahead : {false, true})
                    if (!ahead || in_flight > 1) all[count++] = {in_flight, width, hint, ahead};
    return all;
}();

template <unsigned loads_in_flight, class Doubles, Hint hint, bool ahead>
struct Triad {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = loads_in_flight;
    static constexpr unsigned width = sizeof(Doubles) / sizeof(double);
    static constexpr Hint loading = hint == Hint::plain && in_flight == 1 ? Hint::plain : Hint::no_allocate;
    unsigned tiles = 1;  // per block

    constexpr Grid grid(std::size_t count) const {
        return grid_over(count, std::size_t{width} * threads * in_flight * tiles, threads, 3 * count * sizeof(double));
    }

    template <class Block>
    constexpr void operator()(Block& block, double* a, const double* b, const double* c, std::size_t count) const {
        auto* to = reinterpret_cast<Doubles*>(a);
        const auto* left = reinterpret_cast<const Doubles*>(b);
        const auto* right = reinterpret_cast<const Doubles*>(c);
        const auto loaded = [&](std::size_t first) {
            Held held;
            for (unsigned i = 0; i < in_flight; ++i) held.left[i] = load<loading>(left + first + i * threads);
            for (unsigned i = 0; i < in_flight; ++i) held.right[i] = load<loading>(right + first + i * threads);
            return held;
        };
        const auto stored = [&](std::size_t first, const Held& held) {
            for (unsigned i = 0; i < in_flight; ++i)
                store<hint>(to + first + i * threads, triad_of(held.left[i], held.right[i]));
        };
        const auto one = [&](std::size_t i) { to[i] = triad_of(left[i], right[i]); };
        const auto last = [&](std::size_t i) { a[i] = b[i] + stream_scalar * c[i]; };
        if constexpr (ahead)
            ahead_over_pairs<threads, in_flight, width>(block, count, tiles, loaded, stored, one, last);
        else if constexpr (in_flight > 1)
            over_pairs<threads, in_flight, width>(block, count, loaded, stored, one, last);
        else one_each<threads, width>(block, count, loaded, stored, last);
    }

private:
    struct Held {
        Doubles left[in_flight];
        Doubles right[in_flight];
    };
};

Operation operation(const Setting& setting) {
    const Shape shape{setting.number("in_flight"), setting.number("width"), hint_of(setting.word("hint")),
                      setting.number("tiles") > 1};
    return compiled_for<shapes>(shape, [&]<std::size_t index>() {
        constexpr auto one = shapes[index];
        const Triad<one.in_flight, DoublesOf<one.width>, one.hint, one.ahead> body{.tiles = setting.number("tiles")};
        return computing_triad(body, body.grid(setting.count<double>()), setting.count<double>());
    });
}

std::string why_skipped(const Setting& setting) {
    if (auto why = why_not_wide(setting); !why.empty() || setting.number("in_flight") != 1) return why;
    return why_not_among("tiles", setting.set.at("tiles"), {1});
}

const RegisteredKernel registered{
    {.name = "memory/triad_vectors",
     .summary = "a = b + s c with doubles in arrays of `bytes` each, BabelStream's Triad, by a kernel with few or many "
                "loads in "
                "flight",
     .parameters = {{"bytes", {}}, {"in_flight", {4}}, {"width", {16}}, {"tiles", {1}}, {"hint", {"plain"}}},
     .full = {{"in_flight", values_of(loads)},
              {"width", values_of(loaded_widths)},
              {"tiles", values_of(tiles)},
              {"hint", {"plain", "streaming_store"}}},
     .allowed = {{"bytes", {.least = sizeof(double)}},
                 {"in_flight", {.only = values_of(loads)}},
                 {"width", {.only = values_of(loaded_widths)}},
                 {"tiles", {.only = values_of(tiles)}}},
     .tuning = "triad_by_vectors",
     .why_skipped = why_skipped,
     .arrays = arrays_of_doubles<3>,
     .operation = operation,
     .fill = fill_with_numbers<bits_for_one_sum>,
     .expected = write_expected_triad}};

}  // namespace
}  // namespace tocuda::kernels::triad
