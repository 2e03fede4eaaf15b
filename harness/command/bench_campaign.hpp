// tocuda, Apache-2.0.
// Runs the processes that BenchRounds schedules: one at a time on real GPUs, in parallel on simulated ones. Each row is
// handed out as it arrives. Processes that overrun the time budget are ended, and sets that it cut short get a row that
// says so.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "command/bench_rounds.hpp"
#include "command/interruption.hpp"
#include "command/measuring.hpp"
#include "command/progress.hpp"
#include "command/simulated_gpus.hpp"
#include "command/temporary_folder.hpp"
#include "machine/probe_report.hpp"
#include "model/machine.hpp"
#include "model/measurement.hpp"
#include "process/meeting_file.hpp"
#include "process/supervisor.hpp"

namespace tocuda {

struct BenchSettings {
    Protocol protocol{};
    std::uint64_t seed = 1;
    int jobs = 1;        // on simulated GPUs
    double seconds = 0;  // deadline of each child; 0: chosen by what it has to measure
    double started = 0;  // start of the budget, on the clock of process/time.hpp
    bool quiet = false;
    Device device = Device::none;
    std::string simulation{};  // SPEC of the simulated GPUs; empty if they are real
    std::vector<Gpu> gpus{};
    int first_process = 0;  // number of the first process
};

class BenchCampaign {
public:
    using OnRow = std::function<void(std::size_t unit, const MeasurementRow&)>;

    BenchCampaign(BenchRounds& rounds, BenchSettings settings, OnRow on_row);

    // Returns false if it was interrupted; all finished rows have been handed out.
    bool run();

private:
    struct Left {
        std::vector<int> gpus;
        int process;
        Samples samples;  // empty, with the reason
    };
    // Processes that measure the same sets at the same time, each on its own GPU.
    struct Group {
        MeetingFile meeting;
        std::size_t running;
        std::vector<Parameters> lost{};  // sets that one of them failed to measure: these are not measured again
        std::vector<Left> left{};
    };
    struct Running {
        Assignment what;
        std::vector<int> gpus;
        int process;
        double since;
        Measuring measuring;
        std::filesystem::path simulation{};
        std::shared_ptr<Group> group{};
    };
    struct Probing {
        std::vector<int> gpus;
        std::string said{};
    };

    void hand_out_skipped();
    void start_what_may();
    void start(const Assignment& next);
    void start_process(const Assignment& next, const std::vector<int>& gpus, const std::shared_ptr<Group>& group);
    std::variant<Environment, std::string> environment_of(const std::vector<int>& gpus, int process, const Group* group,
                                                          std::filesystem::path& simulation);
    void heard(Supervisor::Id id, std::string_view line);
    void ended(Supervisor::Id id, const Ended& end);
    void part(const Running& child, std::vector<Parameters> left_over);
    std::vector<Parameters> left_by_all(const Assignment& what, const Group& group);
    Samples without_samples(std::size_t unit, const Parameters& set, Status status, const std::string& why) const;
    void give_up_on(std::size_t unit, const std::string& why, Status status);
    void hand_out_without(std::size_t unit, int round, const Samples& samples);
    void hand_out_cut_short();
    void end_what_overruns();
    void part_for_time(const Running& child);
    void look_at_gpus(const Running& of);
    void judge_gpus(const Probing& probing, const Ended& end);
    void hand_out(const Assignment& of, const std::vector<int>& gpus, int process, Samples samples);
    std::string what_goes_on() const;

    BenchRounds& rounds;
    BenchSettings settings;
    OnRow on_row;
    Interruption interruption;
    SimulationFolder simulations;
    std::optional<TemporaryFolder> meetings;  // holds the barrier files of groups
    Supervisor supervisor;
    std::map<Supervisor::Id, Running> running;
    std::map<Supervisor::Id, Probing> probes;
    std::map<std::size_t, int> silent_ends;    // processes in a row that returned nothing, by unit
    std::map<std::string, std::string> peers;  // by row id and GPU
    std::string latest;
    int next_process;
    int in_round = 0;
    int round_shown = 0;
    bool stopping = false;
};

}  // namespace tocuda
