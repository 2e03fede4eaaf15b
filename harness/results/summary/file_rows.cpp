// tocuda, Apache-2.0.
#include "summary/file_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "summary/row_summary.hpp"
#include "summary/validity.hpp"

namespace tocuda {
namespace {

using Reasons = std::vector<std::string>;

void add_origin(Reasons& reasons, const RunLine& run, Device device) {
    if (run.suite.dirty) reasons.emplace_back("dirty: tocuda was built from a tree with uncommitted changes");
    if (!run.suite.commit || run.suite.commit->empty())
        reasons.emplace_back("unknown commit: the tocuda that recorded it cannot be identified");
    if (device == Device::real && !run.driver.kernel_module)
        reasons.emplace_back("unknown driver: the file does not record the driver version");
    if (run.schema > 1)
        reasons.emplace_back("newer: written by a newer tocuda; this one does not understand all of it");
}

void add_throttling(Reasons& reasons, const RowSummary& row) {
    for (const auto& left_out : row.left_out)
        if (left_out.status == Status::invalid)
            reasons.push_back(
                fmt::format("throttled or invalid: process {} is excluded: {}", left_out.process, left_out.because));
    for (const auto& flag : row.flags)
        if (std::ranges::find(throttling, flag.code) != throttling.end())
            reasons.push_back("throttled: " + flag.text());
}

void add_clock(Reasons& reasons, const RowSummary& row) {
    if (has_flag(row.flags, sm_clock_below_half))
        reasons.emplace_back("slow clock: the SM clock was below half of its maximum in at least one process");
}

void add_row(Reasons& reasons, const RowSummary& row) {
    if (row.status != Status::ok && row.status != Status::invalid)
        reasons.push_back(std::string(word(row.status)) + ": " + row.because);
    add_throttling(reasons, row);
    add_clock(reasons, row);
    const auto fewer = fmt::format("{}{}", row.processes, row.processes == 1 ? " valid process" : " valid processes");
    if (row.processes < cited_processes_min)
        reasons.push_back(fmt::format("too few: {}; a 95 % interval needs {}", fewer, cited_processes_min));
    else if (!row.median_seconds || !row.interval)
        reasons.emplace_back("no interval: it could not be computed from the samples");
}

using Pointers = std::vector<const MeasurementRow*>;

struct RowsOfOne {
    std::vector<std::size_t> sections{};
    Pointers rows{};
    std::map<std::string, Pointers> by_session{};
};

bool is_through(const std::string& benchmark, const Parameters& parameters) {
    const auto through = parameters.find("through");
    if (through != parameters.end()) return through->second == Value("libtorch");
    return role_of(benchmark).libtorch;
}

auto identity_of(const RunLine& run, const MeasurementRow& row) {
    const auto libtorch = through_libtorch(row) ? run.libtorch.version.value_or("") : "";
    return std::tuple(row.id, row.device, row.samples.gpu, row.samples.peer, run.driver.kernel_module, run.driver.cuda,
                      run.driver.libcuda, libtorch, run.suite.version, run.suite.commit, run.suite.dirty);
}

FileRow row_of(const RowsOfOne& group, std::span<const SectionRows> sections, int family) {
    FileRow row{summarise(group.rows, sections[group.sections.front()].run.gpus, family), group.sections, {}};
    for (const auto& [session, rows] : group.by_session) row.medians.push_back(process_medians(rows));
    return row;
}

}  // namespace

std::vector<std::string> why_not_citable(const RunLine& run, const RowSummary& row,
                                         const std::vector<std::string>& problems) {
    Reasons reasons;
    if (row.device == Device::simulated)
        reasons.emplace_back("simulated: measured on a simulated GPU with a virtual clock");
    add_origin(reasons, run, row.device);
    for (const auto& problem : problems) reasons.push_back("unverified: " + problem);
    add_row(reasons, row);
    return reasons;
}

bool only_the_driver_is_fake(const Evidence& evidence) {
    return !evidence.stand_in.empty() &&
           std::ranges::all_of(evidence.stand_in, [](const std::string& fake) { return fake.starts_with("driver "); });
}

std::vector<std::string> why_not_citable(const RunLine& run, const Row& row, const std::vector<std::string>& problems) {
    Reasons reasons;
    if (row.evidence.device == Device::simulated && !only_the_driver_is_fake(row.evidence))
        reasons.emplace_back("simulated: seen on a simulated GPU");
    add_origin(reasons, run, row.evidence.device);
    for (const auto& problem : problems) reasons.push_back("unverified: " + problem);
    return reasons;
}

bool through_libtorch(const RowSummary& row) { return is_through(row.benchmark, row.parameters); }
bool through_libtorch(const MeasurementRow& row) { return is_through(row.benchmark, row.samples.parameters); }

std::vector<FileRow> file_rows(std::span<const SectionRows> sections) {
    std::vector<RowsOfOne> groups;
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
