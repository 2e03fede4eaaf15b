// tocuda, Apache-2.0.
// c = a + b and a += b + s c, BabelStream's Add and Nstream, with floats and doubles.
#include "kernels/doubles.hpp"

namespace tocuda::kernels::sums {
namespace {

template <class Element>
struct alignas(16) Vector {
    static constexpr unsigned width = 16 / sizeof(Element);
    Element each[width];
};

constexpr std::size_t place_of_target = std::size_t{1} << 41;

// Numbers so small that every sum is exact.
template <class Element>
constexpr unsigned bits_of = sizeof(Element) == 4 ? 20 : bits_for_one_sum;

template <class Element>
struct Number {
    std::size_t place;
    constexpr Element operator()(std::size_t i) const {
        return static_cast<Element>(payload_number(place + i, bits_of<Element>));
    }
};

template <bool adds_to_target, class Element>
struct Expected {
    constexpr Element operator()(std::size_t i) const {
        const auto b = Number<Element>{place_of_b}(i);
        const auto c = Number<Element>{place_of_c}(i);
        if constexpr (adds_to_target)
            return Number<Element>{place_of_target}(i) + b + static_cast<Element>(stream_scalar) * c;
        else return b + c;
    }
};

// Add reads two arrays, Nstream also the one that it writes.
template <unsigned loads_in_flight, bool adds_to_target, class Element>
struct Sum {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = loads_in_flight;  // from each array
    static constexpr unsigned width = Vector<Element>::width;
    static constexpr std::size_t touches = adds_to_target ? 4 : 3;  // of each element

    static constexpr Grid grid(std::size_t count) {
        return grid_over(count, std::size_t{width} * threads * in_flight, threads, touches * count * sizeof(Element));
    }

    template <class Block>
    constexpr void operator()(Block& block, Element* a, const Element* b, const Element* c, std::size_t count) const {
        auto* to = reinterpret_cast<Vector<Element>*>(a);
        const auto* left = reinterpret_cast<const Vector<Element>*>(b);
        const auto* right = reinterpret_cast<const Vector<Element>*>(c);
        const auto loaded = [&](std::size_t first) {
            Held held;
            for (unsigned i = 0; i < in_flight; ++i)
                held.of[0][i] = load<Hint::no_allocate>(left + first + i * threads);
            for (unsigned i = 0; i < in_flight; ++i)
                held.of[1][i] = load<Hint::no_allocate>(right + first + i * threads);
            if constexpr (adds_to_target)
                for (unsigned i = 0; i < in_flight; ++i)
                    held.of[old][i] = load<Hint::no_allocate>(to + first + i * threads);
            return held;
        };
        const auto stored = [&](std::size_t first, const Held& held) {
            for (unsigned i = 0; i < in_flight; ++i)
                to[first + i * threads] = sum_of(held.of[old][i], held.of[0][i], held.of[1][i]);
        };
        over_pairs<threads, in_flight, width>(
            block, count, loaded, stored, [&](std::size_t i) { to[i] = sum_of(to[i], left[i], right[i]); },
            [&](std::size_t i) { a[i] = sum_of(a[i], b[i], c[i]); });
    }

private:
    static constexpr unsigned old = adds_to_target ? 2 : 0;  // Add does not use the target's values

    struct Held {
        Vector<Element> of[adds_to_target ? 3 : 2][in_flight];
    };

    static constexpr Element sum_of([[maybe_unused]] Element a, Element b, Element c) {
        if constexpr (adds_to_target) return a + b + static_cast<Element>(stream_scalar) * c;
        else return b + c;
    }
    static constexpr Vector<Element> sum_of(const Vector<Element>& a, const Vector<Element>& b,
                                            const Vector<Element>& c) {
        Vector<Element> sum{};
        for (unsigned i = 0; i < width; ++i) sum.each[i] = sum_of(a.each[i], b.each[i], c.each[i]);
        return sum;
    }
};

template <bool adds_to_target, class Element>
using Body = Sum<adds_to_target ? 2 : 4, adds_to_target, Element>;

template <bool adds_to_target, class Element>
Operation summing(std::size_t count) {
    using Of = Body<adds_to_target, Element>;
    return [=](const Stream& stream, const Arrays& arrays) {
        launch(stream, Of::grid(count), Of{}, reinterpret_cast<Element*>(arrays[0]),
               reinterpret_cast<const Element*>(arrays[1]), reinterpret_cast<const Element*>(arrays[2]), count);
    };
}

template <bool adds_to_target, class Element>
void fill(const Stream& stream, const Arrays& arrays, std::size_t count) {
    if (adds_to_target) write_each<Element>(stream, arrays[0], count, Number<Element>{place_of_target});
    write_each<Element>(stream, arrays[1], count, Number<Element>{place_of_b});
    write_each<Element>(stream, arrays[2], count, Number<Element>{place_of_c});
}

// Calls the function with a number of the type that the set asks for.
auto with_type(const Setting& setting, const auto& call) {
    return setting.word("type") == "float" ? call(float{}) : call(double{});
}

template <bool adds_to_target>
Kernel kernel(const std::string& name, const std::string& summary) {
    return {.name = "memory/" + name,
            .summary = summary,
            .parameters = {{"bytes", {}}, {"type", {"double"}}},
            .full = {{"type", {"float", "double"}}},
            .allowed = {{"bytes", {.least = sizeof(float)}}},
            .arrays = [](const Setting& setting) -> ArraySizes {
                const auto bytes =
                    with_type(setting, [&](auto number) { return setting.count<decltype(number)>() * sizeof number; });
                constexpr auto touches = Body<adds_to_target, double>::touches;
                return {.bytes = {bytes, bytes, bytes}, .one_way = bytes, .touched = touches * bytes};
            },
            .operation =
                [](const Setting& setting) {
                    return with_type(setting, [&](auto number) {
                        return summing<adds_to_target, decltype(number)>(setting.count<decltype(number)>());
                    });
                },
            .fill =
                [](const Stream& stream, const Arrays& arrays, const Setting& setting) {
                    with_type(setting, [&](auto number) {
                        fill<adds_to_target, decltype(number)>(stream, arrays, setting.count<decltype(number)>());
                    });
                },
            .expected =
                [](const Stream& stream, std::byte* to, const Setting& setting) {
                    with_type(setting, [&](auto number) {
                        using Element = decltype(number);
                        write_each<Element>(stream, to, setting.count<Element>(), Expected<adds_to_target, Element>{});
                    });
                }};
}

const RegisteredKernel add{kernel<false>("add", "c = a + b: BabelStream's Add")};
const RegisteredKernel nstream{kernel<true>("nstream", "a += b + s c: BabelStream's Nstream")};

}  // namespace
}  // namespace tocuda::kernels::sums
