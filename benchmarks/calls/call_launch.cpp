// tocuda, Apache-2.0.
// What it costs to launch a kernel that does nothing, to mark its end with an event, and to wait for it.
#include <map>

#include "benchmarks/calls/calls.hpp"

namespace tocuda::benchmarks::call_launch {
namespace {

TimedCall launch_of(const std::shared_ptr<Counting>& on, const Parameters& set) {
    const bool completed = text(set, "what") == "completion";
    const auto launch = launcher_with(whole(set, "arguments"));
    TimedCall timed{
        .differs = [on, launch] { return on->wrong_after([&] { launch(on->stream, on->counter.device()); }); },
        .compared = Counting::compared() + ", given its first and its last argument",
        .waiting = cudaDeviceScheduleSpin};
    timed.before = [on] { on->stream.synchronize(); };
    timed.call = [on, launch, completed] {
        launch(on->stream, nullptr);
        if (completed) on->stream.synchronize();
    };
    return timed;
}

const RegisteredCall launched{
    {.name = "launch",
     .summary = "launch an empty kernel on an idle stream: the call alone, or until a spinning "
                "thread sees its end",
     .parameters = {{"what", {"submit", "completion"}}, {"arguments", {argument_bytes.front()}}},
     .quick = {{"what", {}}},
     .full = {{"arguments", Values(argument_bytes.begin(), argument_bytes.end())}},
     .role = {.sheet = {{.order = 270,
                         .section = "call",
                         .words = "launch an empty kernel",
                         .having = "arguments=16 what=submit",
                         .time = true},
                        {.order = 280,
                         .section = "call",
                         .words = "launch it and see its end",
                         .having = "arguments=16 what=completion",
                         .time = true}},
              .characterise = {""}}},
    []() -> CallOf {
        return [on = std::make_shared<Counting>()](const Parameters& set) { return launch_of(on, set); };
    }};

// By the device's clock: what is left if the host queues ahead of the GPU.
class Rate final : public Bench {
public:
    std::string why_skipped(const Parameters&) const override { return ""; }
    Trial trial(const Parameters& set) override {
        constexpr int launches = 500;
        const auto blocks = static_cast<unsigned>(whole(set, "blocks"));
        const auto all = [this, blocks] {
            for (int i = 0; i < launches; ++i) launch_empty(on.stream, on.counter.device(), blocks);
        };
        return {
            .compared = Counting::compared(),
            .differs = [this, all, blocks] { return on.wrong_after(all, std::uint64_t{launches} * blocks); },
            .timing = Queued{.operation = [blocks](const Stream& stream) { launch_empty(stream, nullptr, blocks); }}};
    }

private:
    Counting on{};
};

const RegisteredBenchmark queued{{.benchmark = {.name = "calls/launch_rate",
                                                .summary = "time of each empty kernel where up to 512 are queued ahead",
                                                .clock = Clock::device,
                                                .parameters = {{"blocks", {}}},
                                                .quick = {{"blocks", {}}},
                                                .full = {{"blocks", {1, 1024}}},
                                                .allowed = {{"blocks", {.least = 1, .most = 1'000'000}}},
                                                .needs = {.gpus = 1},
                                                .role = {.sheet = {{.order = 290,
                                                                    .section = "call",
                                                                    .words = "each of many launches",
                                                                    .having = "blocks=1",
                                                                    .time = true}},
                                                         .characterise = {"blocks=1"}}},
                                  .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Rate>(); }}};

struct Marking : Counting {
    Event event{};
};

TimedCall event_of(const std::shared_ptr<Marking>& on, const Parameters& set) {
    const auto& what = text(set, "what");
    TimedCall timed{.compared = "that the event is reached once the kernel before it has run"};
    timed.differs = [on]() -> std::string {
        *on->counter.host() = 0;
        launch_empty(on->stream, on->counter.device());
        on->event.record(on->stream);
        on->event.synchronize();
        if (*on->counter.host() != 1) return "the event was reached before the kernel had run";
        return on->event.reached() ? "" : "the event is not reached after it was waited for";
    };
    if (what == "record") {
        timed.before = [on] { on->stream.synchronize(); };
        timed.call = [on] { on->event.record(on->stream); };
    } else {
        timed.before = [on] { on->event.synchronize(); };
        timed.call = what == "query" ? std::function<void()>([on] { on->event.reached(); })
                                     : std::function<void()>([on] { on->event.synchronize(); });
    }
    return timed;
}

const RegisteredCall events{
    {.name = "event",
     .summary = "record an event on an idle stream; ask for, or wait for, one that was reached",
     .parameters = {{"what", {}}},
     .quick = {{"what", {}}},
     .full = {{"what", {"record", "query", "synchronise"}}},
     .role = {.characterise = {""}}},
    []() -> CallOf { return [on = std::make_shared<Marking>()](const Parameters& set) { return event_of(on, set); }; }};

const std::map<std::string, unsigned> ways_to_wait{
    {"spin", cudaDeviceScheduleSpin}, {"yield", cudaDeviceScheduleYield}, {"blocking", cudaDeviceScheduleBlockingSync}};

TimedCall wait_of(const std::shared_ptr<Counting>& on, const Parameters& set) {
    const bool pending = text(set, "stream") == "one_kernel";
    TimedCall timed{.differs = [on]() -> std::string {
                        *on->counter.host() = 0;
                        launch_empty(on->stream, on->counter.device());
                        on->stream.synchronize();
                        return *on->counter.host() == 1 ? "" : "the stream was synchronised before its kernel ran";
                    },
                    .compared = "that the kernel has run when the call returns",
                    .waiting = ways_to_wait.at(text(set, "wait"))};
    timed.before = [on] { on->stream.synchronize(); };
    timed.call = [on, pending] {
        if (pending) launch_empty(on->stream);
        on->stream.synchronize();
    };
    return timed;
}

const RegisteredCall waits{
    {.name = "synchronise",
     .summary = "synchronise a stream that is idle, or launch an empty kernel and wait for it, in each way of waiting",
     .parameters = {{"wait", {"spin", "blocking"}}, {"stream", {"one_kernel"}}},
     .quick = {{"wait", {}}},
     .full = {{"wait", {"spin", "yield", "blocking"}}, {"stream", {"idle", "one_kernel"}}},
     .role = {.sheet = {{.order = 300,
                         .section = "call",
                         .words = "launch and synchronise, spinning",
                         .having = "wait=spin stream=one_kernel",
                         .time = true},
                        {.order = 310,
                         .section = "call",
                         .words = "launch and synchronise, blocking",
                         .having = "wait=blocking stream=one_kernel",
                         .time = true}},
              .characterise = {"wait=spin,yield,blocking stream=one_kernel"}}},
    []() -> CallOf { return [on = std::make_shared<Counting>()](const Parameters& set) { return wait_of(on, set); }; }};

TimedCall attribute_of() {
    constexpr auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
    const auto set_to = [](int bytes) {
        require("cudaFuncSetAttribute", cudaFuncSetAttribute(empty_kernel(), attribute, bytes));
    };
    return {.call = [set_to, bytes = 1024]() mutable { set_to(bytes ^= 3072); },
            .differs = [set_to]() -> std::string {
                for (const int bytes : {1024, 2048}) {
                    set_to(bytes);
                    cudaFuncAttributes found{};
                    require("cudaFuncGetAttributes", cudaFuncGetAttributes(&found, empty_kernel()));
                    if (found.maxDynamicSharedSizeBytes != bytes) return "the attribute does not have its new value";
                }
                return "";
            },
            .compared = "the value read back"};
}

const RegisteredCall attributes{{.name = "function_attribute",
                                 .summary = "set how much shared memory a kernel may use, to another value each time",
                                 .parameters = {{"attribute", {}}},
                                 .quick = {{"attribute", {}}},
                                 .full = {{"attribute", {"shared_memory"}}}},
                                []() -> CallOf { return [](const Parameters&) { return attribute_of(); }; }};

}  // namespace
}  // namespace tocuda::benchmarks::call_launch
