// tocuda, Apache-2.0.
// Stream capture: which streams are being captured into which graph, and what may not be done meanwhile.
#pragma once

#include "runtime/call_frame.hpp"
#include "runtime/graph.hpp"

namespace tocuda::simulator {

struct Capture {
    std::shared_ptr<Graph> graph{};
    Stream* origin = nullptr;
    const Thread* thread = nullptr;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    unsigned long long id = 0;
    bool invalidated = false;
    std::vector<Stream*> streams{};  // the origin and those that were forked from it

    void join(Stream& stream, const std::shared_ptr<Capture>& self);
};

// Adds those that are not there yet.
void add_once(std::vector<GraphNode*>& nodes, const std::vector<GraphNode*>& more);

// Adds a node behind what was last captured in the stream.
cudaError_t capture(Stream& stream, Work work);

// Each of these returns the error of a call that is not permitted because of a capture, and invalidates that capture.

// A call that queues something in the stream.
cudaError_t refuses_work(const Call& call, Stream& stream);
// A call that might wait for a stream that is being captured, cudaMalloc for example. The thread's capture mode and
// those of the captures decide.
cudaError_t refuses_unsafe(const Call& call);
// A call that waits for the stream or queries it.
cudaError_t refuses_waiting(const Call& call, const Stream& stream);
// A call that queues something in the stream for which graphs have no node.
cudaError_t refuses_uncapturable(const Call& call, Stream& stream);
// A call that waits for the whole device.
cudaError_t refuses_waiting(const Call& call, int device);
// A call that waits for the event or queries it.
cudaError_t refuses_waiting(const Call& call, const Event& event);

cudaError_t begin_capture(const Call& call, Stream& stream, std::shared_ptr<Graph> graph,
                          std::vector<GraphNode*> behind, cudaStreamCaptureMode mode);
// `graph` is null afterwards unless the capture succeeded.
cudaError_t end_capture(const Call& call, Stream& stream, std::shared_ptr<Graph>& graph);
// The graph that a stream is being captured into; null if there is none with this address.
std::shared_ptr<Graph> captured_graph(const Graph* graph);
// When a stream is destroyed.
void leave_capture(Stream& stream);

// cudaEventRecord and cudaStreamWaitEvent in a stream that is being captured, or with an event that was recorded in
// one.
cudaError_t record_in_capture(Stream& stream, Event& event, bool external);
cudaError_t wait_in_capture(const Call& call, Stream& stream, Event& event, bool external);

// The status as a program sees it. 906 for the default stream while a stream that joins it is being captured.
cudaError_t capture_status(const Call& call, const Stream& stream, cudaStreamCaptureStatus& status);

}  // namespace tocuda::simulator
