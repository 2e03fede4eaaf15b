// tocuda, Apache-2.0.
// Rows that stand on one side only, and why: what nearly matches is never mixed, but said. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "gathering/row_cells.hpp"
#include "model/change_report.hpp"

namespace tocuda {

class UnpairedRows {
public:
    explicit UnpairedRows(const RowCells& cells);

    // Whether the row has no counterpart: then it is remembered here.
    bool take(const RowKey& key, const RowCell& cell, const CountedStarts& before, const CountedStarts& after);
    std::vector<Unpaired> said() const;

private:
    std::string why(const RowKey& key, Side has) const;
    void add(const std::string& why, const RowKey& key, Side has);

    std::map<std::tuple<std::string, std::string>, std::vector<std::pair<const RowKey*, const RowCell*>>> namesakes{};  // by benchmark and parameters
    struct Found {
        Unpaired said{};
        std::map<Side, int> rows{};
    };
    std::map<std::string, Found> found{};  // by the reason
};

}  // namespace tocuda
