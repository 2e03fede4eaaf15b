// tocuda, Apache-2.0.
#include "comparison_rules/tests/made_up_fleet.hpp"

#include <fmt/core.h>

#include <cmath>
#include <numbers>
#include <string>

namespace tocuda::made_up {
namespace {

// xorshift64*, and normal numbers by Box and Muller.
class Chance {
public:
    explicit Chance(std::uint64_t seed) : state(seed * 0x9E3779B97F4A7C15U + 0x5851F42D4C957F2DU) {
        for (int i = 0; i < 8; ++i) uniform();
    }
    double uniform() {
        state ^= state >> 12U;
        state ^= state << 25U;
        state ^= state >> 27U;
        return (static_cast<double>((state * 0x2545F4914F6CDD1DU) >> 11U) + 0.5) * 0x1p-53;
    }
    double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }
    // Three degrees of freedom, scaled to a standard deviation of 1.
    double heavy() {
        double squares = 0;
        for (int i = 0; i < 3; ++i) {
            const double one = normal();
            squares += one * one;
        }
        return normal() / std::sqrt(squares);
    }

private:
    std::uint64_t state;
};

// The boots of a host, one after another: history, old side, new side.
struct Boots {
    std::vector<std::vector<double>> of_row{};
};

double one_boot(Chance& chance, const FleetNoise& noise, double last) {
    switch (noise.tails) {
        case Tails::heavy:
            return noise.boot * chance.heavy();
        case Tails::two_modes:
            return noise.boot * (chance.normal() + (chance.uniform() < 0.2 ? 10 : 0));
        case Tails::drifting:
            return 0.8 * last + 0.6 * noise.boot * chance.normal();
        default:
            return noise.boot * chance.normal();
    }
}

Boots boots_of(const FleetShape& shape, const FleetNoise& noise, Chance& chance) {
    const int all = shape.history + 2 * shape.boots;
    Boots boots{std::vector(static_cast<std::size_t>(shape.rows), std::vector<double>(static_cast<std::size_t>(all)))};
    std::vector<double> last(static_cast<std::size_t>(shape.rows) + 1, 0);
    for (int boot = 0; boot < all; ++boot) {
        const double times = boot < shape.history ? 1 : noise.afterwards;
        const double bad_by = noise.bad_boots > 0 && chance.uniform() < noise.bad_boots ? noise.bad_by : 0;
        const double common = last.back() = one_boot(chance, noise, last.back());
        for (std::size_t row = 0; row < boots.of_row.size(); ++row) {
            last[row] = one_boot(chance, noise, last[row]);
            boots.of_row[row][static_cast<std::size_t>(boot)] =
                times * (std::sqrt(noise.alike) * common + std::sqrt(1 - noise.alike) * last[row]) + bad_by;
        }
    }
    return boots;
}

Start start_of(int boot, double logarithm, const FleetShape& shape, const FleetNoise& noise, Chance& chance) {
    Start start{.name = std::to_string(boot),
                .place = static_cast<std::uint32_t>(boot),
                .load = static_cast<std::uint32_t>(boot)};
    for (int process = 0; process < shape.processes; ++process)
        start.process_medians.push_back(std::exp(logarithm + noise.process * chance.normal()));
    return start;
}

}  // namespace

std::vector<FleetRow> fleet(const FleetShape& shape, const FleetNoise& noise, std::uint64_t seed, ChangeOf change) {
    Chance chance(seed);
    std::vector<FleetRow> rows(static_cast<std::size_t>(shape.rows), FleetRow(static_cast<std::size_t>(shape.hosts)));
    for (int host = 0; host < shape.hosts; ++host) {
        const auto boots = boots_of(shape, noise, chance);
        for (int row = 0; row < shape.rows; ++row)
            for (int gpu = 0; gpu < shape.gpus; ++gpu) {
                const double level = std::log(1e-3) + 0.05 * chance.normal();  // GPUs differ
                ComparedRow one{.benchmark = fmt::format("row {}", row), .gpu = std::to_string(gpu)};
                std::vector<Start> history;
                for (int boot = 0; boot < shape.history + 2 * shape.boots; ++boot) {
                    const bool is_after = boot >= shape.history + shape.boots;
                    const double logarithm =
                        level + boots.of_row[static_cast<std::size_t>(row)][static_cast<std::size_t>(boot)] +
                        noise.gpu * chance.normal() + (is_after ? std::log1p(change(row, host, gpu)) : 0);
                    auto& side = boot < shape.history ? history : is_after ? one.after : one.before;
                    side.push_back(start_of(boot, logarithm, shape, noise, chance));
                }
                if (!history.empty()) one.history = {{std::move(history)}, "made up", 0, 1};
                rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(host)].push_back(std::move(one));
            }
    }
    return rows;
}

}  // namespace tocuda::made_up
