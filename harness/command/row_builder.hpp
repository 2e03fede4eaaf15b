// tocuda, Apache-2.0.
// What a child of `observe` says and how it ends, gathered into a row. Whatever it did wrong on descriptor 3 stands in
// the outcome, so that the file alone can be judged again.
#pragma once

#include <string>
#include <string_view>

#include "command/plan.hpp"
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

// Rows of what was never started.
Row skipped_row(const Step& step);
Row broken_row(const Step& step, const std::string& why);

}  // namespace tocuda
