// tocuda, Apache-2.0.
// Has rows judged by the workers that know their scenarios. Each worker judges all its rows in one process, because
// loading LibTorch for each row would double the time of a run. A judge that fails loses only the row it was judging.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "execution/run_plan.hpp"
#include "json_lines/worker_lines.hpp"
#include "model/row.hpp"
#include "process/supervisor.hpp"

namespace tocuda {

class JudgeDesk {
public:
    using Judged = std::function<void(Row)>;

    // `seconds`: deadline of each row, and for a judge to exit at the end; 0: the default.
    JudgeDesk(Supervisor& supervisor, double seconds, Judged judged);

    void expect_rows(const Worker& worker);  // starts its judge while its children run
    void submit(const Worker& worker, const Scenario& scenario, const Variant& variant, Row row);
    bool idle() const;
    void close();                        // no more rows: lets the judges exit
    void abandon();                      // drops the rows that are not judged yet
    void look_at_the_clock(double now);  // stops judges that do not answer in time

private:
    struct Pending {
        Row row;
        Expectations expected;
        std::vector<Ruling> rulings;
        double since = 0;  // when the judge's time for it began
    };
    struct Desk {
        const Worker* worker = nullptr;
        Supervisor::Id child = 0;
        bool running = false;
        std::optional<double> closing{};  // when its input was closed
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
