// tocuda, Apache-2.0.
// Runs the steps of a plan: children in parallel, but one at a time on a real GPU. Each row is judged when its child
// ends.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "command/interruption.hpp"
#include "command/judge_desk.hpp"
#include "command/plan.hpp"
#include "command/progress.hpp"
#include "command/row_builder.hpp"
#include "command/schedule.hpp"
#include "command/simulated_gpus.hpp"
#include "process/supervisor.hpp"

namespace tocuda {

struct CampaignSettings {
    int jobs = 1;
    double seconds = 0;  // deadline of each child and each judgement; 0: the variant's and the judge's own
    bool quiet = false;
    std::string visible_gpus{};  // for children on a GPU, real or simulated; empty: all
    std::uint64_t seed = 1;
};

class Campaign {
public:
    using OnRow = std::function<void(const Row&)>;

    Campaign(std::vector<Step> steps, CampaignSettings settings, OnRow on_row);

    // Returns false if interrupted; rows finished until then have been handed to `on_row`.
    bool run();

private:
    struct Running {
        std::size_t step;
        RowBuilder row;
    };

    void start_what_may();
    bool start(std::size_t step);  // returns false if no child was started
    bool over() const { return schedule.done() && desk.idle(); }
    void wind_up();
    [[noreturn]] void end_at_once();
    std::variant<Environment, std::string> environment_of(const Step& step);
    void ended(Supervisor::Id id, const Ended& ended);
    void hand_out(const Row& row);
    std::vector<std::string> names_running() const;

    std::vector<Step> steps;
    Schedule schedule;
    CampaignSettings settings;
    OnRow on_row;
    Interruption interruption;
    SimulationFolder simulations;
    Supervisor supervisor;
    JudgeDesk desk;
    std::map<Supervisor::Id, Running> running;
    int done = 0;
    bool stopping = false;
};

}  // namespace tocuda
