// tocuda, Apache-2.0.
// Runs the processes that the rounds ask for: one at a time where time is real, side by side on simulated GPUs; each
// row is handed out as it comes. What runs beyond the time that there is is ended, and what the time did not suffice
// for has a row that says so.
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
    double seconds = 0;  // a deadline for each child; 0: by what it has to measure
    double started = 0;  // when the budget began, on the clock of process/time.hpp
    bool quiet = false;
    Device device = Device::none;
    std::string simulation{};  // the SPEC of simulated GPUs
    std::vector<Gpu> gpus{};
    int first_process = 0;  // the number of the first one
};

class BenchCampaign {
public:
    using OnRow = std::function<void(std::size_t unit, const MeasurementRow&)>;

    BenchCampaign(BenchRounds& rounds, BenchSettings settings, OnRow on_row);

    // False where it was interrupted: what was finished has been handed out.
    bool run();

private:
    struct Left {
        std::vector<int> gpus;
        int process;
        Samples samples;  // that say why there are none
    };
    // Processes that measure the same at the same time, each on a GPU of its own.
    struct Group {
        MeetingFile meeting;
        std::size_t running;
        std::vector<Parameters> lost{};  // that one of them could not measure: nobody measures these again
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
    std::vector<std::string> uuids_of(const std::vector<int>& gpus) const;
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
    bool at_its_end();

    BenchRounds& rounds;
    BenchSettings settings;
    OnRow on_row;
    Interruption interruption;
    SimulationFolder simulations;
    std::optional<TemporaryFolder> meetings;  // where processes meet that measure at once
    Supervisor supervisor;
    std::map<Supervisor::Id, Running> running;
    std::map<Supervisor::Id, Probing> probes;
    std::map<std::size_t, int> silent_ends;    // processes in a row that measured nothing, by unit
    std::map<std::string, std::string> peers;  // by row id and GPU
    std::string latest;
    int next_process;
    int in_round = 0;
    int round_shown = 0;
    bool stopping = false;
};

}  // namespace tocuda
