// tocuda, Apache-2.0.
#include "benchmarks/calls/calls.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "benchmarks/copy/managed_memory.hpp"
#include "measurement/host_time.hpp"

namespace tocuda {
namespace {

// Sets how the host waits for the current GPU, for its own lifetime. Auto: as it is.
class Waiting {
public:
    explicit Waiting(unsigned flags) : changed(flags != cudaDeviceScheduleAuto) {
        if (!changed) return;
        require("cudaGetDeviceFlags", cudaGetDeviceFlags(&before));
        require("cudaSetDeviceFlags", cudaSetDeviceFlags(flags));
        unsigned found = 0;
        require("cudaGetDeviceFlags", cudaGetDeviceFlags(&found));
        if ((found & cudaDeviceScheduleMask) != flags) throw CudaError("cudaSetDeviceFlags", cudaErrorNotSupported);
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() {
        if (changed) static_cast<void>(cudaSetDeviceFlags(before & cudaDeviceScheduleMask));
    }

private:
    const bool changed;
    unsigned before = 0;
};

// Fills `seconds` with those of each call.
double median_seconds(const TimedCall& timed, std::vector<double>& seconds) {
    const Waiting waiting(timed.waiting);
    seconds.clear();
    for (int i = 0; i < timed.count; ++i) {
        if (timed.before) timed.before();
        const auto began = host_seconds();
        timed.call();
        seconds.push_back(host_seconds() - began);
    }
    const auto middle = seconds.begin() + timed.count / 2;
    std::nth_element(seconds.begin(), middle, seconds.end());
    return *middle;
}

class Calls final : public Bench {
public:
    explicit Calls(CallOf calls) : call_of(std::move(calls)) {}

    std::string why_skipped(const Parameters& set) const override {
        const auto memory = set.find("memory");
        return memory != set.end() && memory->second == Value("managed") ? why_no_managed_pages() : "";
    }
    Trial trial(const Parameters& set) override { return trial_of(call_of(set)); }

private:
    CallOf call_of;
};

}  // namespace

Trial trial_of(const TimedCall& timed) {
    const auto seconds = std::make_shared<std::vector<double>>();
    return {.compared = timed.compared,
            .differs =
                [timed] {
                    const Waiting waiting(timed.waiting);
                    return timed.differs();
                },
            .timing = SelfTimed{.seconds = [timed, seconds] { return timed.count * median_seconds(timed, *seconds); },
                                .together = timed.count,
                                .singles = [seconds] { return *seconds; }}};
}

RegisteredCall::RegisteredCall(Benchmark benchmark, std::function<CallOf()> make_calls) {
    benchmark.name = "calls/" + benchmark.name;
    benchmark.how =
        "each call is timed alone, once everything before it has ended; a sample is the median of 200 (of 20 for "
        "graphs of 100 nodes or more), the tail is of all those calls. Nodes run one after the other, and copies move "
        "64 bytes or a box of 8 x 4 x 4 bytes within the GPU. arguments= counts the bytes of a kernel's arguments: "
        "every kernel here has at least 16. submit is the call itself, completion ends when a spinning thread has seen "
        "the GPU's work end. What it costs to allocate and to page-lock is measured by allocate/, what a process needs "
        "until its context, its modules and its first byte are there by start/first_byte";
    benchmark.clock = Clock::host;
    benchmark.needs.gpus = 1;
    if (benchmark.parameters.contains("nodes")) benchmark.allowed["nodes"] = {.least = 1, .most = 100'000};
    if (benchmark.parameters.contains("arguments")) benchmark.allowed["arguments"].only = benchmark.full["arguments"];
    const RegisteredBenchmark registered{
        {.benchmark = benchmark,
         .set_up = [make = std::move(make_calls)](const std::vector<Parameters>&) -> std::unique_ptr<Bench> {
             return std::make_unique<Calls>(make());
         }}};
}

std::string Counting::wrong_after(const std::function<void()>& operation, unsigned long long times) const {
    *counter.host() = 0;
    operation();
    stream.synchronize();
    const auto found = *counter.host();
    return found == times ? "" : "the kernel ran " + std::to_string(found) + " times, not " + std::to_string(times);
}

}  // namespace tocuda
