// tocuda, Apache-2.0.
// The benchmarks of a folder on one GPU, by both clocks, and their figures: bandwidth against size, mechanisms at one
// size, start-up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/figure.hpp"
#include "report/rows.hpp"

namespace tocuda::page {

// The sizes of one mechanism.
struct Path {
    std::string label{};
    RowList rows{};
};

struct Family {
    std::string name{};
    std::string where{};  // the GPU if there are several
    std::vector<Path> paths{};

    RowList rows() const {
        RowList all;
        for (const auto& path : paths) all.insert(all.end(), path.rows.begin(), path.rows.end());
        return all;
    }
};

std::vector<Family> families_of(const std::vector<RowSummary>& rows);

bool by_host(const Path& path);
constexpr std::string_view host_clock = " (host clock)";
std::string label_of(const Path& path);  // ends with `host_clock` where the host's was used
std::string title_of(const Family& family, const std::string& what);

Html figures_of(const Family& family, const std::vector<PathFit>& fits, const std::string& run, Figures& figures,
                const Redaction& redaction);
// The fits through the sizes of each path: start-up time, and the size that reaches half the bandwidth.
Html start_up_of(const Family& family, const std::vector<PathFit>& fits, const std::string& run, Figures& figures,
                 const Redaction& redaction);

}  // namespace tocuda::page
