// tocuda, Apache-2.0.
// What the table of `bench` says below its rows: why some were skipped, and what is noted about others.
#include <gtest/gtest.h>

#include "printing/bench_table.hpp"

namespace tocuda {
namespace {

RowSummary made_up_row(const std::string& benchmark) {
    RowSummary row{.benchmark = benchmark, .parameters = {{"bytes", 4}}, .device = Device::real, .gpu = "GPU-1"};
    row.processes = 3;
    row.median_seconds = 1.2061e-3;
    return row;
}

std::string notes(const std::vector<RowSummary>& rows) { return bench_table({rows, {}, {}}, Paper(false)); }

TEST(BenchNotes, ManyRowsThatLackedTimeShareAReason) {
    std::vector<RowSummary> rows;
    const auto add = [&](const std::string& because) {
        rows.push_back(made_up_row("a/" + std::to_string(rows.size())));
        rows.back().status = Status::skipped;
        rows.back().median_seconds.reset();
        rows.back().because = because;
        if (because.starts_with("budget")) rows.back().flags = {"budget"};
    };
    add("needs 2 GPUs; found 1");
    for (const char* because : {"budget: not started: 1 s", "budget: not started: 2 s", "budget: not started: 3 s"})
        add(because);
    EXPECT_NE(notes(rows).find("skipped: budget: not started: 2 s: 1 row of a/2\n"), std::string::npos) << notes(rows);
    add("budget: not started: 4 s");
    EXPECT_NE(notes(rows).find("skipped: budget: too little time was left for them: 4 rows of a/1, a/2, a/3, a/4\n"),
              std::string::npos)
        << notes(rows);
    EXPECT_NE(notes(rows).find("skipped: needs 2 GPUs; found 1: 1 row of a/0\n"), std::string::npos) << notes(rows);
}

TEST(BenchNotes, ExactRowHasNoNoteThatItsIntervalIsWide) {
    auto one = made_up_row("a");
    one.process_medians = {{1, 1.2061e-3}, {2, 1.2061e-3}, {3, 1.2061e-3}};
    one.half_width = std::nullopt;
    for (const char* stopped : {"processes", "budget"}) {
        one.stopped = stopped;
        EXPECT_EQ(notes({one}).find("+-0.5 %"), std::string::npos) << notes({one});
    }
    one.process_medians[1].seconds *= 2;
    one.stopped = "processes";
    EXPECT_NE(notes({one}).find("still wider than +-0.5 %"), std::string::npos) << notes({one});
}

}  // namespace
}  // namespace tocuda
