// tocuda, Apache-2.0.
// Records synchronisations, events and streams.
#include <cuda_runtime_api.h>

#include "recorder/next.hpp"

namespace tocuda::simulator {
namespace {

using Totals = tocuda_recorder_totals;

// "Not ready" is a valid answer and counts too.
cudaError_t counted(cudaError_t result, std::uint64_t Totals::* field) {
    if (succeeded(result) || result == cudaErrorNotReady) Counters::here().add(field);
    return result;
}

}  // namespace

extern "C" {

cudaError_t cudaDeviceSynchronize() {
    return counted(next<&cudaDeviceSynchronize>(__func__)(), &Totals::device_synchronizations);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return counted(next<&cudaStreamSynchronize>(__func__)(stream), &Totals::stream_synchronizations);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return counted(next<&cudaEventSynchronize>(__func__)(event), &Totals::event_synchronizations);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return counted(next<&cudaEventRecord>(__func__)(event, stream), &Totals::event_records);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    return counted(next<&cudaEventRecordWithFlags>(__func__)(event, stream, flags), &Totals::event_records);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return counted(next<&cudaEventQuery>(__func__)(event), &Totals::event_queries);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    return counted(next<&cudaStreamWaitEvent>(__func__)(stream, event, flags), &Totals::stream_waits);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return counted(next<&cudaStreamCreate>(__func__)(stream), &Totals::streams_created);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return counted(next<&cudaStreamCreateWithFlags>(__func__)(stream, flags), &Totals::streams_created);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    return counted(next<&cudaStreamCreateWithPriority>(__func__)(stream, flags, priority), &Totals::streams_created);
}

}  // extern "C"
}  // namespace tocuda::simulator
