// tocuda, Apache-2.0.
// One model, on the log scale; each kind of noise draws its parameters for each row.
#include "comparison_rules/tests/made_up_noise.hpp"

#include <algorithm>
#include <cmath>

namespace tocuda {
namespace {

struct RowNoise {
    double seconds = 0;
    double start = 0, process = 0, launch = 0;  // standard deviations, or scales of heavy tails
    bool has_heavy_tails = false;
    double common_part = 0;  // part of the variance of starts that is the same for all rows
    double clock = 0;        // how strongly the row follows the clock's drift
    double walk = 0;         // random step from launch to launch
    double warm_launches = 0, warm_processes = 0;
    double slow_process = 0, slow_start = 0;  // probabilities
    double slow_by = 0;
    double bad_start = 0;  // probability that a start has one bad process
};

// What all rows of a start have in common.
struct Weather {
    double clock = 0;
    double common = 0;
};

void vary(RowNoise& row, RandomNumbers& random, double low, double high) {
    row.start = random.between(low, high);
    row.process = random.between(2 * low, 2 * high);
    row.launch = random.between(5 * low, 5 * high);
}

void vary_as_mixed(RowNoise& row, RandomNumbers& random) {
    const double kind = random.uniform();
    if (kind < 0.5) vary(row, random, 0.0005, 0.002);
    else if (kind < 0.85) vary(row, random, 0.002, 0.005);
    else vary(row, random, 0.005, 0.02);
}

RowNoise draw_row(Noise noise, RandomNumbers& random) {
    RowNoise row;
    row.seconds = std::exp(random.between(std::log(1e-6), std::log(1e-1)));
    vary(row, random, 0.0005, 0.002);
    if (noise == Noise::mixed) vary_as_mixed(row, random);
    if (noise == Noise::drifting) row.clock = random.uniform(), row.walk = random.between(0.0005, 0.005);
    if (noise == Noise::warming_up)
        row.warm_launches = random.between(0.02, 0.2), row.warm_processes = random.between(0, 0.03);
    if (noise == Noise::two_modes_of_processes)
        row.slow_process = random.between(0.05, 0.5), row.slow_by = random.between(0.01, 0.1);
    if (noise == Noise::two_modes_of_starts)
        row.slow_start = random.between(0.05, 0.5), row.slow_by = random.between(0.01, 0.1);
    if (noise == Noise::heavy_tails) row.has_heavy_tails = true;
    if (noise == Noise::bad_process) row.bad_start = 0.5;
    if (noise == Noise::alike_within_a_start) row.common_part = 0.9;
    return row;
}

std::vector<Weather> draw_weather(Noise noise, int starts, RandomNumbers& random) {
    const double keeps = random.between(0, 0.95);  // correlation with the previous start's clock
    const double deviation = noise == Noise::drifting ? random.between(0.001, 0.005) : 0;
    std::vector<Weather> weather;
    double clock = deviation * random.normal();
    for (int start = 0; start < starts; ++start) {
        weather.push_back({clock, random.normal()});
        clock = keeps * clock + std::sqrt(1 - keeps * keeps) * deviation * random.normal();
    }
    return weather;
}

double draw(const RowNoise& row, RandomNumbers& random) {
    return row.has_heavy_tails ? random.student3() : random.normal();
}

double median_launch(const RowNoise& row, int launches, std::vector<double>& values, RandomNumbers& random) {
    values.clear();
    double walked = 0;
    const double lasting = random.between(0.5, 3);
    for (int launch = 0; launch < launches; ++launch) {
        walked += row.walk > 0 ? row.walk * random.normal() : 0;
        const double warm = row.warm_launches > 0 ? row.warm_launches * std::exp(-launch / lasting) : 0;
        values.push_back(row.launch * draw(row, random) + walked + warm);
    }
    const auto middle = values.begin() + launches / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

Start draw_start(const RowNoise& row, const MadeUpShape& shape, const Weather& weather, std::vector<double>& values,
                 RandomNumbers& random) {
    Start start;
    const double own = row.start * std::sqrt(1 - row.common_part) * draw(row, random);
    const double slow = random.uniform() < row.slow_start ? row.slow_by : 0;
    const double of_start =
        own + row.start * std::sqrt(row.common_part) * weather.common + row.clock * weather.clock + slow;
    const bool has_bad = random.uniform() < row.bad_start;
    const auto bad = random.below(static_cast<std::uint64_t>(shape.processes));
    const double bad_by = std::log(random.between(1.1, 2));
    start.process_medians.reserve(static_cast<std::size_t>(shape.processes));
    for (int process = 0; process < shape.processes; ++process) {
        double value = of_start + row.process * draw(row, random) + row.warm_processes * std::exp(-process);
        if (random.uniform() < row.slow_process) value += row.slow_by;
        if (has_bad && static_cast<int>(bad) == process) value += bad_by;
        start.process_medians.push_back(row.seconds *
                                        std::exp(value + median_launch(row, shape.launches, values, random)));
    }
    return start;
}

// Draws the sizes of the groups of starts in order of time: the history's, then the old side, then the new side.
std::vector<int> draw_groups(const MadeUpShape& shape, RandomNumbers& random) {
    const int groups = 1 + static_cast<int>(random.below(3));
    const int freedom = std::max(shape.freedom - 2 * (shape.starts - 1), 0);
    std::vector<int> sizes;
    for (int group = 0; group < groups; ++group)
        sizes.push_back(freedom / groups + (group < freedom % groups ? 1 : 0) + 1);
    sizes.push_back(shape.starts);
    sizes.push_back(shape.starts);
    return sizes;
}

}  // namespace

std::vector<ComparedRow> made_up_comparison(Noise noise, const MadeUpShape& shape, RandomNumbers random) {
    const auto sizes = draw_groups(shape, random);
    int all = 0;
    for (const int size : sizes) all += size;
    const auto weather = draw_weather(noise, all, random);
    std::vector<double> values;
    std::vector<ComparedRow> rows(static_cast<std::size_t>(shape.rows));
    for (auto& row : rows) {
        const auto own = draw_row(noise, random);
        auto now = weather.begin();
        std::vector<std::vector<Start>> groups;
        for (const int size : sizes) {
            groups.emplace_back();
            for (int start = 0; start < size; ++start)
                groups.back().push_back(draw_start(own, shape, *now++, values, random));
        }
        row.after = std::move(groups.back());
        groups.pop_back();
        row.before = std::move(groups.back());
        groups.pop_back();
        row.history = {std::move(groups), "made up"};
    }
    return rows;
}

std::vector<ComparedRow> made_up_rounds(Noise noise, const MadeUpShape& shape, int rounds, RandomNumbers random) {
    auto of_one_start = shape;
    of_one_start.processes = 2 * rounds;
    const auto weather = draw_weather(noise, 1, random);
    std::vector<double> values;
    std::vector<ComparedRow> rows(static_cast<std::size_t>(shape.rows));
    for (auto& row : rows) {
        const auto all =
            draw_start(draw_row(noise, random), of_one_start, weather.front(), values, random).process_medians;
        row.before.resize(1);
        row.after.resize(1);
        for (std::size_t first = 0; first + 1 < all.size(); first += 2) {
            const std::size_t swapped = random.uniform() < 0.5 ? 1 : 0;
            row.before[0].process_medians.push_back(all[first + swapped]);
            row.after[0].process_medians.push_back(all[first + 1 - swapped]);
        }
    }
    return rows;
}

}  // namespace tocuda
