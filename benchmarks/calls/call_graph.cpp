// tocuda, Apache-2.0.
// What it costs to capture a graph, to make it executable, to launch it with nodes that run one after the other, and to
// replace what they do.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "benchmarks/calls/calls.hpp"
#include "measurement/check.hpp"
#include "measurement/payload.hpp"

namespace tocuda::benchmarks::call_graph {
namespace {

template <class Handle, cudaError_t (*destroy)(Handle)>
struct Destroy {
    using pointer = Handle;
    void operator()(Handle handle) const { destroy(handle); }
};
using Graph = std::unique_ptr<cudaGraph_t, Destroy<cudaGraph_t, cudaGraphDestroy>>;
using Instance = std::unique_ptr<cudaGraphExec_t, Destroy<cudaGraphExec_t, cudaGraphExecDestroy>>;

Graph captured(const Stream& stream, std::int64_t nodes, unsigned long long* counter) {
    require("cudaStreamBeginCapture", cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    for (std::int64_t i = 0; i < nodes; ++i) launch_empty(stream, counter);
    cudaGraph_t graph = nullptr;
    require("cudaStreamEndCapture", cudaStreamEndCapture(stream.get(), &graph));
    return Graph(graph);
}

// On a stream of its own, which a capture that fails leaves unusable.
Graph of_kernels(std::int64_t nodes, unsigned long long* counter) { return captured(Stream(), nodes, counter); }

// What a node copies: rows of bytes, in slices that follow each other.
struct Box {
    std::size_t width;
    std::size_t pitch;
    std::size_t height;
    std::size_t depth;
};
constexpr std::size_t slot_bytes = 256;
constexpr Box one_row{slot_bytes / 4, slot_bytes / 4, 1, 1};
constexpr Box in_three_dimensions{8, 16, 4, 4};  // a slot, half of it gaps

// Copies within the GPU, one a node, each to a slot of its own.
class Copies {
public:
    Copies(std::int64_t nodes, const Box& copied_box)
        : box(copied_box), bytes(static_cast<std::size_t>(nodes) * slot_bytes) {}

    Graph graph() const {
        cudaGraph_t fresh = nullptr;
        require("cudaGraphCreate", cudaGraphCreate(&fresh, 0));
        Graph graph(fresh);
        cudaGraphNode_t last = nullptr;
        for (std::size_t place = 0; place < bytes; place += slot_bytes) {
            const auto copy = copied(place);
            const cudaGraphNode_t before = last;
            require("cudaGraphAddMemcpyNode", cudaGraphAddMemcpyNode(&last, fresh, &before, place == 0 ? 0 : 1, &copy));
        }
        return graph;
    }

    std::string wrong_after(const std::function<void()>& launch, const Stream& stream) const {
        std::vector<std::byte> source(bytes);
        std::vector<std::byte> expected(bytes, Guarded::guard);
        upload(to.get(), expected, stream);
        write_payload(std::span(source), 0);
        upload(from.get(), source, stream);
        for (std::size_t slot = 0; slot < bytes; slot += slot_bytes)
            for (std::size_t row = 0; row < box.height * box.depth; ++row)
                std::copy_n(source.data() + slot + row * box.pitch, box.width,
                            expected.data() + slot + row * box.pitch);
        launch();
        stream.synchronize();
        download(source, to.get(), stream);
        const auto [found, missed] = std::mismatch(source.begin(), source.end(), expected.begin());
        return found == source.end()
                   ? ""
                   : "byte " + std::to_string(found - source.begin()) + " of the copies' targets differs";
    }

private:
    cudaMemcpy3DParms copied(std::size_t place) const {
        cudaMemcpy3DParms copy{};
        copy.srcPtr = {from.get() + place, box.pitch, box.width, box.height};
        copy.dstPtr = {to.get() + place, box.pitch, box.width, box.height};
        copy.extent = {box.width, box.height, box.depth};
        copy.kind = cudaMemcpyDeviceToDevice;
        return copy;
    }

    Box box;
    std::size_t bytes;
    DeviceMemory from{bytes};
    DeviceMemory to{bytes};
};

Instance instance_of(const Graph& graph) {
    cudaGraphExec_t instance = nullptr;
    require("cudaGraphInstantiate", cudaGraphInstantiate(&instance, graph.get(), 0));
    return Instance(instance);
}

// Two graphs of the same shape, and an instance of the first. Launches of the second are checked.
struct Graphs {
    Graphs(const Counting& counting, std::int64_t nodes)
        : timed(of_kernels(nodes, nullptr)), checked(of_kernels(nodes, counting.counter.device())),
          instance(instance_of(timed)), compared("how many of its kernels each launch runs"),
          wrong_after([&counting, nodes](const auto& operation) {
              return counting.wrong_after(operation, static_cast<unsigned long long>(nodes));
          }) {}

    Graphs(const Counting& counting, std::shared_ptr<Copies> copies)
        : timed(copies->graph()), checked(copies->graph()), instance(instance_of(timed)),
          compared("every byte that a launch copies, and those between"),
          wrong_after(
              [&counting, copies](const auto& operation) { return copies->wrong_after(operation, counting.stream); }) {}

    Graph timed;
    Graph checked;
    Instance instance;
    std::string compared;
    std::function<std::string(const std::function<void()>&)> wrong_after;
};

void launch(const Instance& instance, const Stream& stream) {
    require("cudaGraphLaunch", cudaGraphLaunch(instance.get(), stream.get()));
}

void update(const Instance& instance, const Graph& like) {
    cudaGraphExecUpdateResultInfo info{};
    require("cudaGraphExecUpdate", cudaGraphExecUpdate(instance.get(), like.get(), &info));
}

const Values known_nodes{"kernel", "copy", "copy_3d"};

std::unique_ptr<Graphs> graphs_for(const Counting& on, std::int64_t nodes, const std::string& node) {
    if (node == "kernel") return std::make_unique<Graphs>(on, nodes);
    return std::make_unique<Graphs>(on,
                                    std::make_shared<Copies>(nodes, node == "copy" ? one_row : in_three_dimensions));
}

// The graphs of one number and kind of nodes at a time.
class Calls {
public:
    Graphs& graphs_of(const Parameters& set) {
        const std::pair wanted(whole(set, "nodes"), set.contains("node") ? text(set, "node") : "kernel");
        if (made != wanted) {
            graphs = graphs_for(on, wanted.first, wanted.second);
            made = wanted;
        }
        return *graphs;
    }

    // The instance executes what it was last updated with, so its own launches are checked.
    TimedCall common(const Parameters& set) {
        auto& of = graphs_of(set);
        TimedCall timed{.compared = of.compared};
        timed.differs = [this, &of] {
            update(of.instance, of.checked);
            auto why = of.wrong_after([&] { launch(of.instance, on.stream); });
            update(of.instance, of.timed);
            return why;
        };
        timed.count = whole(set, "nodes") < 100 ? 200 : 20;
        return timed;
    }

    const Counting on{};

private:
    std::pair<std::int64_t, std::string> made{};
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

TimedCall instantiate_of(const std::shared_ptr<Calls>& calls, const Parameters& set) {
    auto timed = calls->common(set);
    auto& of = calls->graphs_of(set);
    timed.before = [&of] { of.instance.reset(); };
    timed.call = [&of] { of.instance = instance_of(of.timed); };
    timed.differs = [calls, &of] {
        of.instance = instance_of(of.checked);
        return of.wrong_after([&] { launch(of.instance, calls->on.stream); });
    };
    return timed;
}

TimedCall capture_of(const std::shared_ptr<Calls>& calls, const Parameters& set) {
    struct Captured {
        Stream stream{};
        Graph graph{};
    };
    const auto held = std::make_shared<Captured>();
    const auto nodes = whole(set, "nodes");
    TimedCall timed{.compared = "how many kernels a launch of the captured graph runs"};
    timed.before = [held] { held->graph.reset(); };
    timed.call = [held, nodes] { held->graph = captured(held->stream, nodes, nullptr); };
    timed.differs = [calls, held, nodes] {
        const auto instance = instance_of(captured(held->stream, nodes, calls->on.counter.device()));
        return calls->on.wrong_after([&] { launch(instance, calls->on.stream); },
                                     static_cast<unsigned long long>(nodes));
    };
    timed.count = nodes < 100 ? 200 : 20;
    return timed;
}

TimedCall update_of(const std::shared_ptr<Calls>& calls, const Parameters& set) {
    auto timed = calls->common(set);
    timed.before = [calls] { calls->on.stream.synchronize(); };
    timed.call = [calls, &of = calls->graphs_of(set), turn = false]() mutable {
        turn = !turn;
        update(of.instance, turn ? of.checked : of.timed);
    };
    return timed;
}

template <TimedCall (*call)(const std::shared_ptr<Calls>&, const Parameters&)>
CallOf with_graphs() {
    return [calls = std::make_shared<Calls>()](const Parameters& set) { return call(calls, set); };
}

const RegisteredCall launched{
    {.name = "graph_launch",
     .summary = "launch a graph of empty kernels or of small copies on an idle stream: the call alone, or until a "
                "spinning thread sees its end",
     .parameters = {{"nodes", {1, 100}}, {"node", {"kernel"}}, {"what", {"submit"}}},
     .quick = {{"nodes", {}}},
     .full = {{"nodes", {1, 10, 100, 1000}}, {"node", known_nodes}, {"what", {"submit", "completion"}}},
     .role = {.sheet = {{.order = 320,
                         .section = "call",
                         .words = "launch a graph of 100 kernels",
                         .having = "node=kernel nodes=100 what=submit",
                         .time = true}},
              .characterise = {"nodes=1,10,100,1000 what=submit"},
              .pictures = {"graphs-by-nodes"}}},
    with_graphs<launch_of>};

const RegisteredCall instantiated{{.name = "graph_instantiate",
                                   .summary = "make a graph of empty kernels or of small copies executable",
                                   .parameters = {{"nodes", {}}, {"node", {"kernel"}}},
                                   .quick = {{"nodes", {}}},
                                   .full = {{"nodes", {1, 10, 100, 1000}}, {"node", known_nodes}},
                                   .role = {.pictures = {"graphs-by-nodes"}}},
                                  with_graphs<instantiate_of>};

const RegisteredCall capturing{
    {.name = "graph_capture",
     .summary = "capture empty kernels as a graph, from the beginning of the capture to its end",
     .parameters = {{"nodes", {}}},
     .quick = {{"nodes", {}}},
     .full = {{"nodes", {1, 10, 100, 1000}}},
     .role = {.pictures = {"graphs-by-nodes"}}},
    with_graphs<capture_of>};

const RegisteredCall updated{{.name = "graph_update",
                              .summary = "update an instantiated graph of empty kernels with other arguments",
                              .parameters = {{"nodes", {}}},
                              .quick = {{"nodes", {}}},
                              .full = {{"nodes", {1, 10, 100, 1000}}},
                              .role = {.characterise = {"nodes=100"}, .pictures = {"graphs-by-nodes"}}},
                             with_graphs<update_of>};

}  // namespace
}  // namespace tocuda::benchmarks::call_graph
