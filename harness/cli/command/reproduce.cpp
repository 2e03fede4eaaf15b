// tocuda, Apache-2.0.
// `tocuda reproduce`: runs the plan of a result file again on this machine, records it, and reports whether the new
// results lie where the old ones predict.
#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "command/request_options.hpp"
#include "execution/bench_plan.hpp"
#include "execution/recorded_run.hpp"
#include "execution/recording.hpp"
#include "json_lines/documents.hpp"
#include "printing/reproduced.hpp"
#include "terminal/complaint.hpp"
#include "terminal/paper.hpp"

namespace tocuda {
namespace {

struct Again {
    int code = as_expected;  // other than as_expected if it did not complete
    Reproduction reproduction{};
};

Again again_of(const ReproduceRequest& request, const RunLine& first, const Recorded& recorded,
               std::vector<ReproducedRow> rows) {
    return {
        recorded.stopped.value_or(as_expected),
        {request.file, recorded.file, recorded.run.device, std::move(rows), differences(first, recorded.run), first}};
}

OrExit<Again> bench_again(const ReproduceRequest& request, const FoundRun& run) {
    const auto& plan = *run.plan;
    if (!plan.rules || !plan.protocol) return refuse(usage, request.file + ": its plan measures nothing");
    if (run.first().driver.libcuda)
        return refuse(usage, fmt::format("{}: measured with {}: repeat it with bench --against-driver", request.file,
                                         driver_words(run.first().driver)));
    const auto protocol = protocol_called(plan.protocol->name);
    if (plan.protocol->version != protocol.version)
        return refuse(nothing_done, fmt::format("{}: measured with protocol {}; this tocuda measures with {}",
                                                request.file, plan.protocol->version, protocol.version));
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
    BenchRequest again{static_cast<const Request&>(request)};
    again.wanted.protocol = protocol.name;
    again.seed = request.seed >= 0 ? static_cast<std::uint64_t>(request.seed) : (plan.seed + 1) % most;
    again.budget = request.budget > 0 ? request.budget : plan.budget_seconds;
    again.together = is_together(plan);
    const auto recording = record_bench(again, load_catalogue(worker_folders(), request.quiet), &plan);
    if (!recording) return tl::unexpected(recording.error());
    if (recording->measured.empty()) return refuse(recording->stopped.value_or(nothing_done), "");
    std::vector<SectionRows> before;
    for (const auto& [file, section] : run.sections) {
        before.push_back({section->run, {}});
        for (const auto& row : section->measurements) before.back().rows.push_back(row.row);
    }
    return again_of(request, run.first(), *recording, reproduced_rows(before, {recording->run, recording->measured}));
}

OrExit<Again> run_again(const ReproduceRequest& request, const FoundRun& run) {
    const auto recording = record_run(RunRequest{static_cast<const Request&>(request)},
                                      load_catalogue(worker_folders(), request.quiet), run.plan.get());
    if (!recording) return tl::unexpected(recording.error());
    if (recording->rows.empty()) return refuse(recording->stopped.value_or(nothing_done), "");
    return again_of(request, run.first(), *recording, reproduced_claims(run.rows(), recording->rows));
}

int report(const ReproduceRequest& request, const Again& again) {
    const auto& reproduction = again.reproduction;
    if (request.json) print_document(reproduce_document(reproduction));
    else
        fmt::print("{}\n{}\n{}recorded in {}\n", reproduction_table(reproduction, paper_for_stdout()),
                   reproduction_totals(reproduction), again.code == stopped_early ? not_whole : "",
                   reproduction.recorded);
    if (again.code != as_expected) return again.code;
    const auto any = [&](Reproduced verdict) {
        return std::ranges::any_of(reproduction.rows, [&](const ReproducedRow& row) { return row.verdict == verdict; });
    };
    return any(Reproduced::outside) ? finding : any(Reproduced::inside) ? as_expected : nothing_done;
}

}  // namespace

int reproduce_verb(const Words& words) {
    const auto request = parse_reproduce(words);
    if (!request) return complain(request.error());
    try {
        const auto run = run_named(request->file, request->run);
        if (!run) return complain(run.error());
        const auto again = run->first().verb == "bench" ? bench_again(*request, *run) : run_again(*request, *run);
        return again ? report(*request, *again) : complain(again.error());
    } catch (const RecordError& error) {
        return complain(Refusal{nothing_done, error.what()});
    }
}

}  // namespace tocuda
