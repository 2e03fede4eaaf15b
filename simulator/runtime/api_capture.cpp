// tocuda, Apache-2.0.
// The runtime's functions for capturing streams.
#include <utility>

#include "runtime/capture.hpp"
#include "runtime/graph.hpp"

namespace tocuda::simulator {
namespace {

struct CaptureInfo {
    unsigned long long* id;
    cudaGraph_t* graph;
    const cudaGraphNode_t** nodes;
    const cudaGraphEdgeData** edges;
    size_t* count;
};

void write(const CaptureInfo& info, Stream* stream) {
    const bool active = stream;
    if (info.id) *info.id = active ? stream->capture->id : 0;
    if (info.graph) *info.graph = active ? handle_of(*stream->capture->graph) : nullptr;
    if (info.nodes) *info.nodes = active ? reinterpret_cast<const cudaGraphNode_t*>(stream->behind.data()) : nullptr;
    if (info.edges) *info.edges = nullptr;  // every dependency is an ordinary one
    if (info.count) *info.count = active ? stream->behind.size() : 0;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
    return with_stream(__func__, handle, [&](const Call& call, Stream& stream) {
        return begin_capture(call, stream, std::make_shared<Graph>(), {}, mode);
    });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t handle, cudaGraph_t graph, const cudaGraphNode_t* after,
                                          const cudaGraphEdgeData*, size_t count, cudaStreamCaptureMode mode) {
    return with_stream(__func__, handle, [&](const Call& call, Stream& stream) {
        const auto existing = graph_of(graph);
        const auto nodes = nodes_of(existing, after, count);
        return nodes ? begin_capture(call, stream, existing, *nodes, mode) : cudaErrorInvalidValue;
    });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* result) {
    return with_stream(__func__, handle, [&](const Call& call, Stream& stream) {
        if (!result) return cudaErrorInvalidValue;
        std::shared_ptr<Graph> graph;
        const cudaError_t ended = end_capture(call, stream, graph);
        *result = graph ? give_handle(graph) : nullptr;
        return ended;
    });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
    return with_stream(__func__, handle, [&](const Call& call, Stream& stream) {
        return status ? capture_status(call, stream, *status) : cudaErrorInvalidValue;
    });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges,
                                     size_t* count) {
    return with_stream(__func__, handle, [&](const Call& call, Stream& stream) {
        if (!status) return cudaErrorInvalidValue;
        if (const cudaError_t wrong = capture_status(call, stream, *status); wrong != cudaSuccess) return wrong;
        write({id, graph, nodes, edges, count}, *status == cudaStreamCaptureStatusActive ? &stream : nullptr);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* after, const cudaGraphEdgeData*,
                                                size_t count, unsigned flags) {
    return with_stream(__func__, handle, [&](const Call&, Stream& stream) {
        if (!stream.capture) return cudaErrorIllegalState;
        if (stream.capture->invalidated) return cudaErrorStreamCaptureInvalidated;
        const auto nodes = nodes_of(stream.capture->graph, after, count);
        if (!nodes || flags > cudaStreamSetCaptureDependencies) return cudaErrorInvalidValue;
        if (flags == cudaStreamSetCaptureDependencies) stream.behind.clear();
        add_once(stream.behind, *nodes);
        return cudaSuccess;
    });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    return answer(__func__, [&](const Call& call) {
        if (!mode || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
            return cudaErrorInvalidValue;
        std::swap(*mode, call.thread.capture_mode);
        return cudaSuccess;
    });
}

}  // extern "C"
}  // namespace tocuda::simulator
