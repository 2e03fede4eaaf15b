// tocuda, Apache-2.0.
// Fits the start-up time and bandwidth of each path to the medians of its sizes.
#include <map>
#include <tuple>

#include "model/parameter_values.hpp"
#include "statistics/line_fit.hpp"
#include "summary/row_summary.hpp"

namespace tocuda {
namespace {

Parameters without_bytes(Parameters parameters) {
    parameters.erase("bytes");
    return parameters;
}

struct Path {
    PathFit fit;
    std::vector<SizeTime> points;
};

std::vector<Path> paths_of(std::span<const RowSummary> rows) {
    std::vector<Path> paths;
    std::map<std::tuple<std::string, std::string, Device, std::string, std::string>, std::size_t> places;
    for (const auto& row : rows) {
        if (!row.parameters.contains("bytes") || row.bytes_one_way <= 0) continue;
        if (role_of(row.benchmark).working_set) continue;
        auto rest = without_bytes(row.parameters);
        const auto [found, is_new] =
            places.try_emplace({row.benchmark, plain(rest), row.device, row.gpu, row.peer}, paths.size());
        if (is_new)
            paths.push_back({{.benchmark = row.benchmark,
                              .parameters = std::move(rest),
                              .device = row.device,
                              .gpu = row.gpu,
                              .peer = row.peer,
                              .clock = row.clock},
                             {}});
        if (row.status == Status::ok && row.median_seconds)
            paths[found->second].points.push_back({static_cast<double>(row.bytes_one_way), *row.median_seconds});
    }
    return paths;
}

}  // namespace

std::vector<PathFit> path_fits(std::span<const RowSummary> rows) {
    std::vector<PathFit> fits;
    for (auto& [fit, points] : paths_of(rows)) {
        fit.sizes = static_cast<int>(points.size());
        const auto [line, because] = fit_line(points);
        fit.because = because;
        if (line) {
            fit.t0_seconds = line->t0_seconds;
            fit.bytes_per_second = line->bytes_per_second;
            fit.half_bandwidth_bytes = line->half_bandwidth_bytes();
            fit.residual = line->residual;
        }
        fits.push_back(std::move(fit));
    }
    return fits;
}

}  // namespace tocuda
