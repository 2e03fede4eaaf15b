// tocuda, Apache-2.0.
#include "json_lines/report_document.hpp"

#include "json_lines/json.hpp"

namespace tocuda {

std::string report_document(const WrittenReport& report) {
    return json::pretty({{"file", report.file},
                         {"bytes", report.bytes},
                         {"runs", report.runs},
                         {"simulated", report.simulated},
                         {"redacted", report.redacted},
                         {"warnings", report.warnings}});
}

}  // namespace tocuda
