// tocuda, Apache-2.0.
// The driver's functions for capture and graphs, which are the runtime's under other names.

#include "runtime/driver_forward.hpp"

namespace tocuda::simulator {
namespace {

cudaStreamCaptureMode mode_of(CUstreamCaptureMode mode) { return static_cast<cudaStreamCaptureMode>(mode); }

template <typename Status>
cudaStreamCaptureStatus* status_of(Status* status) {
    return reinterpret_cast<cudaStreamCaptureStatus*>(status);
}

}  // namespace

extern "C" {

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
    return forward(cudaStreamBeginCapture, stream, mode_of(mode));
}
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode* after, const CUgraphEdgeData*,
                                     size_t count, CUstreamCaptureMode mode) {
    return forward(cudaStreamBeginCaptureToGraph, stream, graph, after, nullptr, count, mode_of(mode));
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) { return forward(cudaStreamEndCapture, stream, graph); }
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
    return forward(cudaStreamIsCapturing, stream, status_of(status));
}
// Of the versions of this function, the second knows no data of edges.
CUresult capture_info_2(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                        const CUgraphNode** nodes, size_t* count) __asm__("cuStreamGetCaptureInfo_v2");
CUresult capture_info_2(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                        const CUgraphNode** nodes, size_t* count) {
    auto* wide = reinterpret_cast<unsigned long long*>(id);
    return forward(cudaStreamGetCaptureInfo, stream, status_of(status), wide, graph, nodes, nullptr, count);
}
CUresult capture_info_3(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                        const CUgraphNode** nodes, const CUgraphEdgeData** edges,
                        size_t* count) __asm__("cuStreamGetCaptureInfo_v3");
CUresult capture_info_3(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                        const CUgraphNode** nodes, const CUgraphEdgeData** edges, size_t* count) {
    if (edges) *edges = nullptr;
    return capture_info_2(stream, status, id, graph, nodes, count);
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
    return forward(cudaThreadExchangeStreamCaptureMode, reinterpret_cast<cudaStreamCaptureMode*>(mode));
}

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) { return forward(cudaGraphCreate, graph, flags); }
CUresult cuGraphDestroy(CUgraph graph) { return forward(cudaGraphDestroy, graph); }
CUresult cuGraphClone(CUgraph* clone, CUgraph graph) { return forward(cudaGraphClone, clone, graph); }
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long flags) {
    return forward(cudaGraphInstantiateWithFlags, executable, graph, flags);
}
CUresult cuGraphUpload(CUgraphExec executable, CUstream stream) { return forward(cudaGraphUpload, executable, stream); }
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) { return forward(cudaGraphLaunch, executable, stream); }
CUresult cuGraphExecDestroy(CUgraphExec executable) { return forward(cudaGraphExecDestroy, executable); }
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
    return forward(cudaGraphGetNodes, graph, nodes, count);
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
    return forward(cudaGraphNodeGetType, node, reinterpret_cast<cudaGraphNodeType*>(type));
}
CUresult cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned flags) {
    return forward(cudaGraphDebugDotPrint, graph, path, flags);
}

}  // extern "C"
}  // namespace tocuda::simulator
