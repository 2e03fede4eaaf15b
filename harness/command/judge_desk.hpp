// tocuda, Apache-2.0.
// Rows go in, rows with their verdicts come out. Each worker judges its own rows, in one process that answers row by
// row: loading LibTorch once for each row would double the time of a run. A judge that fails costs the row that it was
// at, not the others.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "command/plan.hpp"
#include "lines/worker_lines.hpp"
#include "model/row.hpp"
#include "process/supervisor.hpp"

namespace tocuda {

class JudgeDesk {
public:
    using Judged = std::function<void(Row)>;

    // `seconds` for each row, and for a judge to end; 0 for what is usual.
    JudgeDesk(Supervisor& supervisor, double seconds, Judged judged);

    void expect_rows(const Worker& worker);  // its judge gets ready while its children run
    void submit(const Worker& worker, const Scenario& scenario, const Variant& variant, Row row);
    bool idle() const;
    void close();                        // no more rows: the judges end
    void abandon();                      // what waits is not judged
    void look_at_the_clock(double now);  // a judge that does not answer in time is ended

private:
    struct Pending {
        Row row;
        Expectations expected;
        std::vector<Ruling> rulings;
        double since = 0;  // it is the judge's turn
    };
    struct Desk {
        const Worker* worker = nullptr;
        Supervisor::Id child = 0;
        bool running = false;
        std::optional<double> closing{};  // since when it may end
        std::string fault;
        std::deque<Pending> pending;
    };

    void start(Desk& desk);
    void hear(Desk& desk, std::string_view line);
    static std::string why_not(const Desk& desk, const RulingLine& ruling);
    void finish_front(Desk& desk);
    void fail_front(Desk& desk, const std::string& why);

    Supervisor& children;
    double answer_seconds;
    Judged on_judged;
    std::map<std::string, Desk> desks;
    double clock = 0;
};

}  // namespace tocuda
