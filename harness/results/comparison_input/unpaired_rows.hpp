// tocuda, Apache-2.0.
// Rows that are on one side only, and why.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "comparison_input/row_cells.hpp"
#include "model/change_report.hpp"

namespace tocuda {

// Near matches are never compared, only reported.
class UnpairedRows {
public:
    explicit UnpairedRows(const RowCells& cells);

    // Returns whether the row has no counterpart, and then records it.
    bool take(const RowKey& key, const RowCell& cell, const CountedStarts& before, const CountedStarts& after);
    std::vector<Unpaired> said() const;

private:
    std::string why(const RowKey& key, Side has) const;
    void add(const std::string& why, const RowKey& key, Side has);

    using Namesakes = std::vector<std::pair<const RowKey*, const RowCell*>>;
    std::map<std::tuple<std::string, std::string>, Namesakes> namesakes{};  // by benchmark and parameters
    struct Found {
        Unpaired said{};
        std::map<Side, int> rows{};
    };
    std::map<std::string, Found> found{};  // by reason
};

}  // namespace tocuda
