// tocuda, Apache-2.0.
// Measures the time from the start of a process to its first byte on the GPU. Each new process passes all milestones
// and so yields one sample for each.
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/calls/context.hpp"
#include "benchmarks/calls/measured_child.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::start {
namespace {

// Returns whether the daemon of the Multi-Process Service has its pipe where new processes look for it.
bool mps_runs() {
    const char* named = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
    return std::filesystem::exists(std::filesystem::path(named ? named : "/tmp/nvidia-mps") / "control");
}

class Start final : public Bench {
public:
    Trial trial(const Parameters& set) override {
        const auto loading = text(set, "loading");
        const auto until = *milestone_called(text(set, "until"));
        Trial trial{.compared = "the bytes that the new process copied to the GPU and that its first kernel wrote"};
        trial.differs = [this, loading] { return what_was_wrong(loading); };
        const auto last = std::make_shared<double>();
        trial.timing = SelfTimed{.seconds = [this, loading, until, last] { return *last = next_time(loading, until); },
                                 .singles = [last] { return std::vector{*last}; }};
        if (mps_runs()) trial.flags.push_back("through MPS");
        if (gpus_are_simulated()) trial.flags.push_back("virtual time of the new process");
        return trial;
    }

private:
    struct Started {
        std::map<Milestone, std::deque<double>> unused{};
        bool any = false;
        std::string wrong{};  // the error of the last process that had one
    };

    void start_one(const std::string& loading) {
        const auto times = first_byte(loading);
        auto& started = by_loading[loading];
        started.any = true;
        if (!times.wrong.empty()) started.wrong = times.wrong;
        for (std::size_t i = 0; i < milestone_words.size(); ++i)
            started.unused[static_cast<Milestone>(i)].push_back(times.seconds[i]);
    }

    // Each process checks its own work, so no process is started only for the check.
    std::string what_was_wrong(const std::string& loading) {
        if (!by_loading[loading].any) start_one(loading);
        return by_loading[loading].wrong;
    }

    double next_time(const std::string& loading, Milestone until) {
        auto& left = by_loading[loading].unused[until];
        if (left.empty()) start_one(loading);
        const auto seconds = left.front();
        left.pop_front();
        return seconds;
    }

    std::map<std::string, Started> by_loading{};
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "start/first_byte",
                  .summary = "from the start of a process until it can use the GPU",
                  .how = "the host's clock from the start of a fresh process until its main function begins "
                         "(until=program), cudaGetDeviceCount has returned (runtime), the context exists (context), "
                         "4096 bytes are on the GPU (first_copy) and the first kernel has ended (first_kernel); the "
                         "process that starts it does not use the GPU",
                  .clock = Clock::host,
                  .parameters = {{"loading", {"LAZY"}}, {"until", {}}},
                  .quick = {{"until", {}}},
                  .full = {{"loading", {"LAZY", "EAGER"}},
                           {"until", {"program", "runtime", "context", "first_copy", "first_kernel"}}},
                  .needs = {.gpus = 1},
                  .cost = {.programs = 1},
                  .role = {.sheet = {{.order = 410,
                                      .section = "program",
                                      .words = "start until the first kernel has run",
                                      .having = "until=first_kernel loading=LAZY",
                                      .time = true}},
                           .characterise = {"loading=LAZY until=first_kernel"}}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Start>(); },
    .gpu_of_new_process = gpu_of_new_process,
}};

}  // namespace
}  // namespace tocuda::benchmarks::start
