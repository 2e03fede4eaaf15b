// tocuda, Apache-2.0.
// The work of `bench`: the processes that BenchRounds schedules, one at a time on real GPUs, in parallel on simulated
// ones. Each row is handed out as it arrives; sets that the time budget cut short get a row that says so.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "execution/bench_rounds.hpp"
#include "execution/measuring.hpp"
#include "execution/place.hpp"
#include "model/measurement.hpp"

namespace tocuda {

struct BenchSettings {
    Protocol protocol{};
    int jobs = 1;           // on simulated GPUs
    double seconds = 0;     // deadline of each child; 0: chosen by what it has to measure
    double started = 0;     // start of the budget, on the clock of process/child.hpp
    int first_process = 0;  // number of the first process
};

class BenchWork : public Source {
public:
    using OnRow = std::function<void(std::size_t unit, const MeasurementRow&)>;

    BenchWork(BenchRounds& rounds, const Place& place, BenchSettings settings, OnRow on_row);

    std::vector<Job> next() override;
    void abandon() override { stopping = true; }
    void lost(int gpu, const std::string& why) override;
    std::string progress() const override;

private:
    // What a process measures on: the GPUs that it sees, and which of several processes on one GPU it is, from 1 on.
    struct Seat {
        std::vector<int> gpus;
        int neighbour = 0;  // 0: it has the GPU for itself
    };
    struct Left {
        Seat seat;
        int process;
        Samples samples;  // empty, with the reason
    };
    // Processes that measure the same sets at the same time, each on its own GPU, or several on one.
    struct Group {
        std::size_t running;
        std::vector<Parameters> lost{};  // sets that one of them failed to measure: these are not measured again
        std::vector<Left> left{};
    };
    struct Running {
        Assignment what;
        Seat seat;
        int process;
        double since;
        Measuring measuring;
        std::shared_ptr<Group> group{};
    };

    static std::vector<Seat> seats_of(const BenchUnit& unit);
    Job job_of(const Assignment& next, const Seat& seat, const std::shared_ptr<Group>& group);
    std::string heard(Running& child, std::string_view line);
    void ended(Running& child, const Ended& end);
    void part(const Running& child, std::vector<Parameters> left_over);
    void part_for_time(const Running& child);
    std::vector<Parameters> left_by_all(const Assignment& what, const Group& group);
    Samples without_samples(std::size_t unit, const Parameters& set, Status status, const std::string& why) const;
    void hand_out_cut_short();
    void give_up_on(std::size_t unit, const std::string& why, Status status);
    void hand_out_without(std::size_t unit, int round, const Samples& samples);
    void hand_out(const Assignment& of, const Seat& seat, int process, Samples samples);

    BenchRounds& rounds;
    const Place& place;
    BenchSettings settings;
    OnRow on_row;
    std::size_t running = 0;
    std::map<std::size_t, int> silent_ends;    // processes in a row that returned nothing, by unit
    std::map<std::string, std::string> peers;  // by row id and GPU
    std::string latest;
    int next_process;
    int in_round = 0;
    int round_shown = 0;
    bool skipped_are_out = false;
    bool cut_short_are_out = false;
    bool stopping = false;
};

}  // namespace tocuda
