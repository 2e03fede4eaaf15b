// tocuda, Apache-2.0.
// What it costs to launch a graph of empty kernels, one after the other, and to replace what its nodes do.
#include <memory>

#include "runtime_calls/calls.hpp"

namespace tocuda::runtime_calls::call_graph {
namespace {

template <class Handle, cudaError_t (*destroy)(Handle)>
struct Destroy {
    using pointer = Handle;
    void operator()(Handle handle) const { destroy(handle); }
};
using Graph = std::unique_ptr<cudaGraph_t, Destroy<cudaGraph_t, cudaGraphDestroy>>;
using Instance = std::unique_ptr<cudaGraphExec_t, Destroy<cudaGraphExec_t, cudaGraphExecDestroy>>;

// On a stream of its own, which a capture that fails leaves unusable.
Graph captured(std::int64_t nodes, unsigned long long* counter) {
    const Stream stream;
    require("cudaStreamBeginCapture", cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    for (std::int64_t i = 0; i < nodes; ++i) launch_empty(stream, counter);
    cudaGraph_t graph = nullptr;
    require("cudaStreamEndCapture", cudaStreamEndCapture(stream.get(), &graph));
    return Graph(graph);
}

Instance instance_of(const Graph& graph) {
    cudaGraphExec_t instance = nullptr;
    require("cudaGraphInstantiate", cudaGraphInstantiate(&instance, graph.get(), 0));
    return Instance(instance);
}

// Graphs of the same shape, and an instance of the first.
struct Graphs {
    Graphs(const Counting& on, std::int64_t nodes)
        : empty(captured(nodes, nullptr)), counting(captured(nodes, on.counter.device())),
          instance(instance_of(empty)) {}
    Graph empty;
    Graph counting;  // each of its nodes increments the counter
    Instance instance;
};

void launch(const Instance& instance, const Stream& stream) {
    require("cudaGraphLaunch", cudaGraphLaunch(instance.get(), stream.get()));
}

void update(const Instance& instance, const Graph& like) {
    cudaGraphExecUpdateResultInfo info{};
    require("cudaGraphExecUpdate", cudaGraphExecUpdate(instance.get(), like.get(), &info));
}

// The graphs of one number of nodes at a time.
class Calls {
public:
    const Graphs& graphs_of(const Parameters& set) {
        const auto wanted = whole(set, "nodes");
        if (nodes != wanted) {
            graphs = std::make_unique<Graphs>(on, wanted);
            nodes = wanted;
        }
        return *graphs;
    }

    // The instance executes what it was last updated with, so its own launches are checked.
    TimedCall common(const Parameters& set) {
        const auto& of = graphs_of(set);
        TimedCall timed{.compared = "how many of its kernels each launch runs"};
        timed.differs = [this, &of, count = whole(set, "nodes")] {
            update(of.instance, of.counting);
            auto why = on.wrong_after([&] { launch(of.instance, on.stream); }, static_cast<unsigned long long>(count));
            update(of.instance, of.empty);
            return why;
        };
        timed.count = whole(set, "nodes") < 100 ? 200 : 20;
        return timed;
    }

    const Counting on{};

private:
    std::int64_t nodes = 0;
    std::unique_ptr<Graphs> graphs{};
};

TimedCall launch_of(const std::shared_ptr<Calls>& calls, const Parameters& set) {
    auto timed = calls->common(set);
    timed.waiting = cudaDeviceScheduleSpin;
    timed.before = [calls] { calls->on.stream.synchronize(); };
    timed.call = [calls, &of = calls->graphs_of(set), completed = text(set, "what") == "completion"] {
        launch(of.instance, calls->on.stream);
        if (completed) calls->on.stream.synchronize();
    };
    return timed;
}

TimedCall update_of(const std::shared_ptr<Calls>& calls, const Parameters& set) {
    auto timed = calls->common(set);
    timed.before = [calls] { calls->on.stream.synchronize(); };
    timed.call = [calls, &of = calls->graphs_of(set), turn = false]() mutable {
        turn = !turn;
        update(of.instance, turn ? of.counting : of.empty);
    };
    return timed;
}

template <TimedCall (*call)(const std::shared_ptr<Calls>&, const Parameters&)>
CallOf with_graphs() {
    return [calls = std::make_shared<Calls>()](const Parameters& set) { return call(calls, set); };
}

const RegisteredCall launched{
    {.name = "graph_launch",
     .summary = "launch a graph of empty kernels on an idle stream: the call alone, or until a spinning thread sees "
                "its end",
     .parameters = {{"nodes", {1, 100}}, {"what", {"submit"}}},
     .quick = {{"nodes", {}}},
     .full = {{"nodes", {1, 10, 100, 1000}}, {"what", {"submit", "completion"}}}},
    with_graphs<launch_of>};

const RegisteredCall updated{{.name = "graph_update",
                              .summary = "update an instantiated graph of empty kernels with other arguments",
                              .parameters = {{"nodes", {}}},
                              .quick = {{"nodes", {}}},
                              .full = {{"nodes", {1, 10, 100, 1000}}}},
                             with_graphs<update_of>};

}  // namespace
}  // namespace tocuda::runtime_calls::call_graph
