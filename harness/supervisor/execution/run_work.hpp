// tocuda, Apache-2.0.
// The work of `run`: children that observe, in parallel, but one at a time on a real GPU. Each row is judged when its
// child ends.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "execution/judge_desk.hpp"
#include "execution/run_plan.hpp"
#include "model/row.hpp"
#include "process/child.hpp"

namespace tocuda {

// Builds a row from what a child of `observe` writes and how it ends. Protocol errors on descriptor 3 are recorded in
// the outcome, so that the row can be judged again from the file alone.
class RowBuilder {
public:
    explicit RowBuilder(const Step& step);

    void hear(std::string_view line);
    Row finish(const Ended& ended);

    const std::string& fault() const { return wrong; }

private:
    Row row;
    std::vector<Difference> known_differences;
    std::string libtorch{};  // the version that the worker was built with
    int lines = 0;
    bool done = false;
    std::string wrong;
};

// Rows of children that were never started.
Row skipped_row(const Step& step);
Row broken_row(const Step& step, const std::string& why);

class Schedule {
public:
    Schedule(const std::vector<Step>& steps, int jobs);

    // Returns the first waiting step that may start now and marks it as running; nullopt if there is none.
    std::optional<std::size_t> take();
    void ended(std::size_t step);
    bool done() const;  // nothing waits, and nothing runs

private:
    enum class State { waits, runs, over };
    struct Entry {
        bool real;
        bool alone;  // times something, so nothing else may run meanwhile
        State state = State::waits;
    };

    std::vector<Entry> entries;
    int jobs;
};

struct RunSettings {
    int jobs = 1;
    double seconds = 0;                    // deadline of each child and each judgement; 0: their own
    std::optional<std::string> visible{};  // CUDA_VISIBLE_DEVICES of children on GPUs; nullopt: unchanged
    std::optional<std::string> first{};    // the same of those that see one
    Usable usable{};                       // what a variant with a list of its own may name
};

class RunWork : public Source {
public:
    using OnRow = std::function<void(const Row&)>;

    RunWork(std::vector<Step> steps, Engine& engine, RunSettings settings, OnRow on_row);

    std::vector<Job> next() override;
    void look() override;
    bool over() const override { return schedule.done() && desk.idle(); }
    void abandon() override;
    std::string progress() const override;

private:
    Job job_of(std::size_t number);
    void hand_out(const Row& row);

    std::vector<Step> steps;
    Schedule schedule;
    RunSettings settings;
    OnRow on_row;
    JudgeDesk desk;
    std::set<std::size_t> running{};
    double started;
    int done = 0;
    bool closed = false;
    bool stopping = false;
};

}  // namespace tocuda
