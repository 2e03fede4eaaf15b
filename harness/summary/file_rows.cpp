// tocuda, Apache-2.0.
#include "summary/file_rows.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "summary/row_summary.hpp"

namespace tocuda {
namespace {

using Pointers = std::vector<const MeasurementRow*>;

struct Group {
    std::vector<std::size_t> sections{};
    Pointers rows{};
    std::map<std::string, Pointers> by_session{};
};

bool is_through(const std::string& benchmark, const Parameters& parameters) {
    const auto through = parameters.find("through");
    if (through != parameters.end()) return through->second == Value("libtorch");
    return benchmark.starts_with("framework/");
}

auto identity_of(const RunLine& run, const MeasurementRow& row) {
    const auto libtorch = through_libtorch(row) ? run.libtorch.version.value_or("") : "";
    return std::tuple(row.id, row.device, row.samples.gpu, row.samples.peer, run.driver.kernel_module, run.driver.cuda,
                      libtorch, run.suite.version, run.suite.commit, run.suite.dirty);
}

FileRow row_of(const Group& group, std::span<const SectionRows> sections, int family) {
    FileRow row{summarise(group.rows, sections[group.sections.front()].run.gpus, family), group.sections, {}};
    for (const auto& [session, rows] : group.by_session) row.medians.push_back(process_medians(rows));
    return row;
}

}  // namespace

bool through_libtorch(const RowSummary& row) { return is_through(row.benchmark, row.parameters); }
bool through_libtorch(const MeasurementRow& row) { return is_through(row.benchmark, row.samples.parameters); }

std::vector<FileRow> file_rows(std::span<const SectionRows> sections) {
    std::vector<Group> groups;
    std::map<decltype(identity_of({}, {})), std::size_t> places;
    for (std::size_t position = 0; position < sections.size(); ++position)
        for (const auto& row : sections[position].rows) {
            const auto [found, is_new] = places.try_emplace(identity_of(sections[position].run, row), groups.size());
            if (is_new) groups.emplace_back();
            auto& group = groups[found->second];
            if (group.sections.empty() || group.sections.back() != position) group.sections.push_back(position);
            group.rows.push_back(&row);
            group.by_session[sections[position].run.session].push_back(&row);
        }
    std::vector<FileRow> rows;
    for (const auto& group : groups) rows.push_back(row_of(group, sections, static_cast<int>(groups.size())));
    return rows;
}

int sessions_of(std::span<const SectionRows> sections, const std::vector<std::size_t>& positions) {
    std::set<std::string> sessions;
    for (const auto position : positions) sessions.insert(sections[position].run.session);
    return static_cast<int>(sessions.size());
}

}  // namespace tocuda
