// tocuda, Apache-2.0.
// Builds a row from what a child of `observe` writes and how it ends. Protocol errors on descriptor 3 are recorded in
// the outcome, so that the row can be judged again from the file alone.
#pragma once

#include <string>
#include <string_view>

#include "execution/plan.hpp"
#include "model/row.hpp"
#include "process/child.hpp"

namespace tocuda {

class RowBuilder {
public:
    explicit RowBuilder(const Step& step);

    void hear(std::string_view line);
    Row finish(const Ended& ended);

    const std::string& fault() const { return wrong; }

private:
    Row row;
    std::vector<Difference> known_differences;
    std::string libtorch{};  // the version that the worker was built with
    int lines = 0;
    bool done = false;
    std::string wrong;
};

// Rows of children that were never started.
Row skipped_row(const Step& step);
Row broken_row(const Step& step, const std::string& why);

}  // namespace tocuda
