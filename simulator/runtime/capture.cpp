// tocuda, Apache-2.0.
#include "runtime/capture.hpp"

#include <algorithm>

namespace tocuda::simulator {
namespace {

// All captures that have begun and not ended.
std::vector<std::shared_ptr<Capture>>& captures() {
    static auto* const under_way = new std::vector<std::shared_ptr<Capture>>;
    return *under_way;
}

cudaError_t invalidate(Capture& capture, cudaError_t error) {
    capture.invalidated = true;
    return error;
}

bool is_default(const Simulation& simulation, const Stream& stream) {
    return simulation.device(stream.kind.device).legacy == &stream;
}

// The capture of another stream that the default stream would have to wait for.
Capture* implicit_dependency(const Simulation& simulation, const Stream& stream) {
    if (captures().empty() || !is_default(simulation, stream)) return nullptr;
    for (const Stream* other : simulation.device(stream.kind.device).streams)
        if (other->capture && other->kind.joins_legacy) return other->capture.get();
    return nullptr;
}

void end(Capture& capture) {
    for (Stream* stream : capture.streams) {
        stream->behind.clear();
        if (stream != capture.origin) stream->capture.reset();
    }
    Stream* origin = capture.origin;
    std::erase_if(captures(), [&](const auto& one) { return one.get() == &capture; });
    if (origin) origin->capture.reset();
}

// Whether everything that was captured in forked streams comes before what the origin was behind at the end.
bool joined(const Capture& capture) {
    std::unordered_set<const GraphNode*> reached(capture.origin->behind.begin(), capture.origin->behind.end());
    std::vector<const GraphNode*> open(reached.begin(), reached.end());
    while (!open.empty()) {
        const GraphNode* node = open.back();
        open.pop_back();
        for (const GraphNode* other : node->after)
            if (reached.insert(other).second) open.push_back(other);
    }
    return std::ranges::all_of(capture.streams, [&](const Stream* stream) {
        return std::ranges::all_of(stream->behind, [&](const GraphNode* node) { return reached.contains(node); });
    });
}

}  // namespace

void add_once(std::vector<GraphNode*>& nodes, const std::vector<GraphNode*>& more) {
    for (GraphNode* node : more)
        if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
}

void Capture::join(Stream& stream, const std::shared_ptr<Capture>& self) {
    stream.capture = self;
    streams.push_back(&stream);
}

cudaError_t capture(Stream& stream, Work work) {
    if (stream.capture->invalidated) return cudaErrorStreamCaptureInvalidated;
    GraphNode& node = stream.capture->graph->add(std::move(work), stream.kind.device, stream.behind);
    stream.behind = {&node};
    return cudaSuccess;
}

cudaError_t refuses_work(const Call& call, Stream& stream) {
    if (captures().empty()) return cudaSuccess;
    if (stream.capture && stream.capture->invalidated) return cudaErrorStreamCaptureInvalidated;
    Capture* blocked = implicit_dependency(call.simulation, stream);
    return blocked ? invalidate(*blocked, cudaErrorStreamCaptureImplicit) : cudaSuccess;
}

cudaError_t refuses_unsafe(const Call& call) {
    if (captures().empty() || call.thread.capture_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
    cudaError_t result = cudaSuccess;
    for (const auto& one : captures()) {
        const bool of_this_thread = one->thread == &call.thread && one->mode != cudaStreamCaptureModeRelaxed;
        const bool of_another = one->thread != &call.thread && one->mode == cudaStreamCaptureModeGlobal &&
                                call.thread.capture_mode == cudaStreamCaptureModeGlobal;
        if (of_this_thread || of_another) result = invalidate(*one, cudaErrorStreamCaptureUnsupported);
    }
    return result;
}

cudaError_t refuses_waiting(const Call& call, const Stream& stream) {
    if (captures().empty()) return cudaSuccess;
    if (stream.capture) return invalidate(*stream.capture, cudaErrorStreamCaptureUnsupported);
    if (Capture* blocked = implicit_dependency(call.simulation, stream); blocked)
        return invalidate(*blocked, cudaErrorStreamCaptureImplicit);
    return refuses_unsafe(call);
}

cudaError_t refuses_uncapturable(const Call& call, Stream& stream) {
    return stream.capture ? refuses_waiting(call, stream) : refuses_work(call, stream);
}

cudaError_t refuses_waiting(const Call& call, int device) {
    if (captures().empty()) return cudaSuccess;
    cudaError_t result = cudaSuccess;
    for (const Stream* stream : call.simulation.device(device).streams)
        if (stream->capture) result = invalidate(*stream->capture, cudaErrorStreamCaptureUnsupported);
    return result == cudaSuccess ? refuses_unsafe(call) : result;
}

cudaError_t refuses_waiting(const Call& call, const Event& event) {
    if (!event.captured) return refuses_unsafe(call);
    if (const auto active = event.capture.lock()) invalidate(*active, cudaErrorCapturedEvent);
    return cudaErrorCapturedEvent;
}

cudaError_t begin_capture(const Call& call, Stream& stream, std::shared_ptr<Graph> graph,
                          std::vector<GraphNode*> behind, cudaStreamCaptureMode mode) {
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    if (is_default(call.simulation, stream)) return cudaErrorStreamCaptureUnsupported;
    if (stream.capture) return cudaErrorIllegalState;
    auto capture = std::make_shared<Capture>(Capture{.graph = std::move(graph),
                                                     .origin = &stream,
                                                     .thread = &call.thread,
                                                     .mode = mode,
                                                     .id = call.simulation.next_id()});
    capture->join(stream, capture);
    stream.behind = std::move(behind);
    captures().push_back(std::move(capture));
    return cudaSuccess;
}

cudaError_t end_capture(const Call& call, Stream& stream, std::shared_ptr<Graph>& graph) {
    graph = nullptr;
    if (!stream.capture) return cudaErrorIllegalState;
    const auto ending = stream.capture;
    if (ending->origin != &stream) return invalidate(*ending, cudaErrorStreamCaptureUnmatched);
    if (ending->mode != cudaStreamCaptureModeRelaxed && ending->thread != &call.thread)
        return cudaErrorStreamCaptureWrongThread;
    const bool complete = ending->invalidated || joined(*ending);
    end(*ending);
    if (ending->invalidated) return cudaErrorStreamCaptureInvalidated;
    if (!complete) return cudaErrorStreamCaptureUnjoined;
    graph = ending->graph;
    return cudaSuccess;
}

std::shared_ptr<Graph> captured_graph(const Graph* graph) {
    const auto found = std::ranges::find_if(captures(), [&](const auto& one) { return one->graph.get() == graph; });
    return found == captures().end() ? nullptr : (*found)->graph;
}

void leave_capture(Stream& stream) {
    if (!stream.capture) return;
    const auto left = stream.capture;
    left->invalidated = left->invalidated || left->origin == &stream || !joined(*left);
    std::erase(left->streams, &stream);
    stream.capture.reset();
    if (left->origin != &stream) return;
    left->origin = nullptr;
    end(*left);
}

cudaError_t record_in_capture(Stream& stream, Event& event, bool external) {
    if (external) return capture(stream, EventRecord{&event});
    event.captured = true;
    event.capture = stream.capture;
    event.behind = stream.behind;
    return cudaSuccess;
}

cudaError_t wait_in_capture(const Call& call, Stream& stream, Event& event, bool external) {
    if (external) return stream.capture ? capture(stream, EventWait{&event}) : cudaErrorInvalidValue;
    if (!event.captured) {
        return event.recorded ? invalidate(*stream.capture, cudaErrorStreamCaptureIsolation) : cudaSuccess;
    }
    const auto active = event.capture.lock();
    const bool ended = !active || std::ranges::find(captures(), active) == captures().end();
    if (ended) return cudaErrorCapturedEvent;
    if (active->invalidated) return cudaErrorStreamCaptureInvalidated;
    if (stream.capture && stream.capture != active) {
        invalidate(*stream.capture, cudaErrorStreamCaptureMerge);
        return invalidate(*active, cudaErrorStreamCaptureMerge);
    }
    if (is_default(call.simulation, stream)) return invalidate(*active, cudaErrorStreamCaptureUnsupported);
    if (!stream.capture) active->join(stream, active);
    add_once(stream.behind, event.behind);
    return cudaSuccess;
}

cudaError_t capture_status(const Call& call, const Stream& stream, cudaStreamCaptureStatus& status) {
    status = cudaStreamCaptureStatusNone;
    if (implicit_dependency(call.simulation, stream)) return cudaErrorStreamCaptureImplicit;
    if (!stream.capture) return cudaSuccess;
    status = stream.capture->invalidated ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

}  // namespace tocuda::simulator
