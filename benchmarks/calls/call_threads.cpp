// tocuda, Apache-2.0.
// What a call costs each of several threads that make it at the same time: a lock in the runtime or the driver shows.
#include <algorithm>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "benchmarks/calls/calls.hpp"
#include "measurement/gpu/host_memory.hpp"
#include "measurement/host_time.hpp"
#include "measurement/numa.hpp"
#include "measurement/threads.hpp"

namespace tocuda::benchmarks::call_threads {
namespace {

constexpr std::int64_t calls_each = 200;
constexpr std::size_t bytes = 64;

struct Member {
    Counting on{};
    DeviceMemory device{bytes};
    HostMemory pinned = pinned_memory(bytes, cudaHostAllocDefault);
    std::exception_ptr thrown{};

    void launch(unsigned long long* counter) const { launch_empty(on.stream, counter); }
    void copy() const {
        require("cudaMemcpyAsync",
                cudaMemcpyAsync(device.get(), pinned.get(), bytes, cudaMemcpyHostToDevice, on.stream.get()));
    }
};

// Threads that keep to processors of their own, each with a stream.
class Members {
public:
    explicit Members(const std::vector<int>& processors) : team(processors), each(processors.size()) {
        int gpu = 0;
        require("cudaGetDevice", cudaGetDevice(&gpu));
        run([gpu](Member&) { require("cudaSetDevice", cudaSetDevice(gpu)); });
    }

    template <class Job>
    double run(const Job& job) {
        const auto began = virtual_seconds();
        const auto seconds = team.seconds_of([&](unsigned number) {
            try {
                job(each[number]);
            } catch (...) {
                each[number].thrown = std::current_exception();
            }
        });
        for (auto& member : each)
            if (member.thrown) std::rethrow_exception(std::exchange(member.thrown, nullptr));
        return began ? *virtual_seconds() - *began : seconds;
    }

    std::string wrong_launch() {
        for (auto& member : each) *member.on.counter.host() = 0;
        run([](Member& member) { member.launch(member.on.counter.device()); });
        return first_wrong([](Member& member) { return *member.on.counter.host() == 1; });
    }

    std::string wrong_copy() {
        std::byte value{1};
        for (auto& member : each) {
            std::fill_n(member.pinned.get(), bytes, value);
            value = std::byte(std::to_integer<unsigned>(value) + 1);
        }
        run([](Member& member) { member.copy(); });
        return first_wrong([](Member& member) {
            std::vector<std::byte> found(bytes);
            download(found, member.device.get(), member.on.stream);
            return std::equal(found.begin(), found.end(), member.pinned.get());
        });
    }

    void synchronise() const {
        for (const auto& member : each) member.on.stream.synchronize();
    }

    bool all_bound() const { return team.all_bound(); }

private:
    template <class Right>
    std::string first_wrong(const Right& right) {
        synchronise();
        for (std::size_t number = 0; number < each.size(); ++number)
            if (!right(each[number])) return "what thread " + std::to_string(number) + " called for was not done";
        return "";
    }

    Team team;
    std::vector<Member> each;
};

class Threads final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        const auto usable = std::min<std::size_t>(usable_threads(), processors.size());
        return static_cast<std::size_t>(whole(set, "threads")) <= usable
                   ? ""
                   : "a processor for each thread is needed; this process may use " + std::to_string(usable);
    }

    Trial trial(const Parameters& set) override {
        const auto count = static_cast<std::size_t>(whole(set, "threads"));
        const bool launches = text(set, "call") == "launch";
        const auto members =
            std::make_shared<Members>(std::vector(processors.begin(), processors.begin() + static_cast<long>(count)));
        Trial trial{.compared =
                        launches ? "whether each thread's kernel ran once" : "the bytes that each thread copies"};
        trial.differs = [=] { return launches ? members->wrong_launch() : members->wrong_copy(); };
        trial.prepare = [=] { members->synchronise(); };
        trial.timing = SelfTimed{.seconds =
                                     [=] {
                                         return members->run([launches](Member& member) {
                                             for (std::int64_t i = 0; i < calls_each; ++i)
                                                 if (launches) member.launch(nullptr);
                                                 else member.copy();
                                         });
                                     },
                                 .together = calls_each};
        if (!members->all_bound()) trial.flags.emplace_back("the threads are not kept to their processors");
        return trial;
    }

private:
    const std::vector<int> processors = nodes_of_host().processors_on(std::nullopt);
};

const RegisteredBenchmark at_once{
    {.benchmark = {.name = "calls/by_threads",
                   .summary = "launch an empty kernel, or copy 64 bytes to the GPU, from several threads at once",
                   .how =
                       "each thread has a processor and a stream of its own and makes 200 calls; a sample is the time "
                       "from when all threads are awake until the last has made its calls, for each of its calls. "
                       "With threads=1 it is the call itself; what several threads cost more is waiting for "
                       "each other in the runtime or the driver",
                   .clock = Clock::host,
                   .parameters = {{"call", {}}, {"threads", {}}},
                   .quick = {{"call", {}}, {"threads", {}}},
                   .full = {{"call", {"launch", "copy"}}, {"threads", {1, 4, 16}}},
                   .allowed = {{"threads", {.least = 1, .most = 64}}},
                   .needs = {.gpus = 1}},
     .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Threads>(); }}};

}  // namespace
}  // namespace tocuda::benchmarks::call_threads
