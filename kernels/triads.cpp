// tocuda, Apache-2.0.
// Launches the triads: one kernel for each number of loads and hint, and the bulk triad.
#include <stdexcept>
#include <utility>

#include "kernels/launches.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace {

struct Arrays3 {
    double* a;
    const double* b;
    const double* c;
    std::size_t count;
};

template <unsigned in_flight, Hint hint>
bool launched_as(const Stream& stream, const Arrays3& over, TriadShape shape) {
    if (shape.in_flight != in_flight || shape.hint != hint) return false;
    const Triad<in_flight, hint> triad{.tiles = shape.tiles};
    launch(stream, triad.grid(over.count), triad, over.a, over.b, over.c, over.count);
    return true;
}

template <std::size_t... index>
bool launched(const Stream& stream, const Arrays3& over, TriadShape shape, std::index_sequence<index...>) {
    constexpr auto hints = triad_hints.size();
    return (launched_as<triad_loads[index / hints], triad_hints[index % hints]>(stream, over, shape) || ...);
}

}  // namespace

void launch_triad(const Stream& stream, double* a, const double* b, const double* c, std::size_t count,
                  TriadShape shape) {
    if (!launched(stream, {a, b, c, count}, shape, std::make_index_sequence<triad_loads.size() * triad_hints.size()>()))
        throw std::invalid_argument("no triad has this shape");
}

void launch_bulk_triad(const Stream& stream, double* a, const double* b, const double* c, std::size_t count,
                       BulkTriad shape, Spread spread) {
    launch(stream, shape.grid(count, spread.multiprocessors, spread.blocks_each), shape, a, b, c, count);
}

unsigned bulk_triads_at_once(BulkTriad shape) {
    return blocks_at_once<BulkTriad, double*, const double*, const double*, std::size_t>(BulkTriad::threads,
                                                                                         shape.shared_bytes());
}

}  // namespace tocuda
