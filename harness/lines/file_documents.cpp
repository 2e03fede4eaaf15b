// tocuda, Apache-2.0.
#include "lines/file_documents.hpp"

#include "lines/json.hpp"

namespace tocuda {

using json::Json;

std::string verify_document(const VerifyReport& report) {
    auto problems = Json::array();
    for (const auto& [line, what] : report.problems) problems.push_back({{"line", line}, {"what", what}});
    return json::pretty({{"file", report.file},
                         {"whole", report.whole},
                         {"unaltered", report.unaltered},
                         {"problems", problems},
                         {"citable", report.why_not_citable.empty()},
                         {"because", report.why_not_citable},
                         {"sha256", report.sha256},
                         {"notes", report.notes}});
}

std::string merge_document(const MergeReport& report) {
    return json::pretty({{"file", report.file},
                         {"sections", report.sections},
                         {"rows", report.rows},
                         {"duplicates", report.duplicates},
                         {"warnings", report.warnings}});
}

}  // namespace tocuda
