// tocuda, Apache-2.0.
// Engine: starts children and follows them until all have ended. It is the only event loop over children: it sets up
// their environment, keeps deadlines and the budget, shows progress, handles interruption, and finds out which GPUs
// still answer. A source decides what to start, and what lines and ends mean.
#pragma once

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/temporary_folder.hpp"
#include "machine/probe_report.hpp"
#include "model/machine.hpp"
#include "model/problem.hpp"
#include "process/meeting_file.hpp"
#include "process/supervisor.hpp"

namespace tocuda {

// Collects Ctrl-C, SIGTERM, SIGHUP and SIGQUIT for the event loop to look at, instead of letting them interrupt it.
// SIGPIPE (nobody reads the output any more) is ignored.
class Interruption {
public:
    Interruption();  // from here on the signals are only collected
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    int descriptor() const { return signals; }  // readable when a signal has arrived
    // Returns how many have arrived so far.
    int count();
    const std::string& name() const { return last; }

private:
    int signals;
    int seen = 0;
    std::string last;
    sigset_t before{};
};

// How long the driver may take to list its GPUs. Unless something keeps it loaded, it initialises each GPU anew, which
// takes 1 to 3 s per GPU.
inline constexpr double probe_seconds = 120;

// The folder of this program, its workers and the simulator.
std::filesystem::path program_folder();

// A child to start.
struct Job {
    std::vector<std::string> command{};
    std::string input{};                                     // for its standard input
    std::string simulation{};                                // SPEC of the simulated GPUs that it sees; empty: none
    std::vector<std::string> faults{};                       // of the simulated GPUs
    std::vector<std::string> fakes{};                        // see process/clean_environment.hpp
    Environment base{};                                      // set first: fakes put their libraries before its own
    Environment variables{};                                 // set last
    std::string libraries{};                                 // a folder where the loader looks first; empty: none
    std::vector<int> gpus{};                                 // probed if it ends abnormally
    double seconds = 60;                                     // deadline
    std::int64_t resident_bytes = 0;                         // 0: no limit
    std::function<std::string(std::string_view)> on_line{};  // returns why the child must be stopped; empty: it goes on
    std::function<void(const Ended&)> on_end{};              // not called once the run is interrupted
    std::function<void(const std::string&)> on_refused{};    // instead of on_end, if its environment cannot be set up
};

class Source {
public:
    Source() = default;
    virtual ~Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    // Returns the jobs to start now; empty if none may. Several jobs meet at a barrier (process/meeting_file.hpp).
    virtual std::vector<Job> next() = 0;
    virtual void look() {}                                         // called after each wait
    virtual bool over() const { return false; }                    // nothing is left that an interruption could stop
    virtual void abandon() {}                                      // the run is interrupted
    virtual void lost(int /*gpu*/, const std::string& /*why*/) {}  // a GPU no longer answers
    virtual std::string progress() const = 0;
};

struct EngineSettings {
    bool quiet = true;                // no progress
    bool interruptible = false;       // false: signals end this process, and with it the children
    std::uint64_t seed = 0;           // of the simulated GPUs
    std::vector<Gpu> gpus{};          // of this machine
    std::optional<double> ends_at{};  // then children are stopped: the budget is spent
    std::string guardian = "/proc/self/exe";
};

class Engine {
public:
    explicit Engine(EngineSettings settings);

    // Returns false if it was interrupted.
    bool run(Source& source);
    // For children that live as long as the run, such as judges.
    Supervisor& children() { return supervisor; }

private:
    using Meeting = std::shared_ptr<MeetingFile>;

    void start_what_may(Source& source);
    void start(Job job, const Meeting& meeting, Source& source);
    void ended(const Job& job, const Ended& end, const Meeting& meeting, Source& source);
    void probe(const Job& after, Source& source);
    void judge_gpus(const std::vector<int>& gpus, const std::string& said, const Ended& end, Source& source);
    void heed_signals(Source& source);
    [[noreturn]] void end_at_once();
    Meeting meeting_of(std::size_t members);
    Expected<Environment> environment_of(const Job& job, const Meeting& meeting);

    EngineSettings settings;
    std::optional<Interruption> interruption;
    std::optional<SimulationFolder> simulations;
    std::optional<TemporaryFolder> meetings;  // declared before the supervisor: children end first
    int next_meeting = 0;
    int probing = 0;
    bool stopping = false;
    Supervisor supervisor;
};

struct Answer {
    std::string said{};
    Ended ended{};
};

// Runs one child to its end. Says what it is `waiting` for if that takes long, unless it is empty. `variables` are set
// last: with those of this process it runs in the user's own environment.
Answer ask(std::vector<std::string> command, double seconds, const std::string& waiting, Environment variables = {});
// The same for a job, whose own callbacks are not used.
Answer ask(Job job, const std::string& waiting);

// Returns why nothing more should be started on the GPU with this UUID; empty if it is usable. `how_it_ended` describes
// the end of the probe itself.
std::string why_sick(const ProbeReport& report, const std::string& how_it_ended,
                     const std::optional<std::string>& uuid);

}  // namespace tocuda
