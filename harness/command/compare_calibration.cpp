// tocuda, Apache-2.0.
// `tocuda compare --calibrate`: how often a comparison of equal sides raises an alarm.
#include "command/calibrate.hpp"
#include "command/compare_kinds.hpp"
#include "gathering/equal_sides.hpp"

namespace tocuda {

int compare_calibration(const CompareOptions& options) {
    auto wanted = options.calibration;
    RowNames names;
    if (!options.history.empty()) {
        const auto read = read_files({options.history}, names);
        if (is_unreadable(read)) return usage;
        warnings_of({&read}, options);
        wanted.recorded = equal_sides(names, read.sections);
    }
    return calibrate(wanted);
}

}  // namespace tocuda
