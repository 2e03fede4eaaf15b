// tocuda, Apache-2.0.
// Records synchronisations, events and streams.
#include <cuda_runtime_api.h>

#include "recorder/next.hpp"

using tocuda::simulator::Counters;
using tocuda::simulator::next;
using tocuda::simulator::noted;

namespace {

using Totals = tocuda_recorder_totals;

// "Not ready" is a valid answer and counts too.
cudaError_t counted(cudaError_t result, std::uint64_t Totals::* field) {
    noted(result);
    if (result == cudaSuccess || result == cudaErrorNotReady) Counters::here().add(field);
    return result;
}

}  // namespace

extern "C" {

cudaError_t cudaDeviceSynchronize() {
    static auto* const real = next(&cudaDeviceSynchronize, "cudaDeviceSynchronize");
    return counted(real(), &Totals::device_synchronizations);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    static auto* const real = next(&cudaStreamSynchronize, "cudaStreamSynchronize");
    return counted(real(stream), &Totals::stream_synchronizations);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    static auto* const real = next(&cudaEventSynchronize, "cudaEventSynchronize");
    return counted(real(event), &Totals::event_synchronizations);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    static auto* const real = next(&cudaEventRecord, "cudaEventRecord");
    return counted(real(event, stream), &Totals::event_records);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    static auto* const real = next(&cudaEventRecordWithFlags, "cudaEventRecordWithFlags");
    return counted(real(event, stream, flags), &Totals::event_records);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    static auto* const real = next(&cudaEventQuery, "cudaEventQuery");
    return counted(real(event), &Totals::event_queries);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    static auto* const real = next(&cudaStreamWaitEvent, "cudaStreamWaitEvent");
    return counted(real(stream, event, flags), &Totals::stream_waits);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    static auto* const real = next(&cudaStreamCreate, "cudaStreamCreate");
    return counted(real(stream), &Totals::streams_created);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    static auto* const real = next(&cudaStreamCreateWithFlags, "cudaStreamCreateWithFlags");
    return counted(real(stream, flags), &Totals::streams_created);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    static auto* const real = next(&cudaStreamCreateWithPriority, "cudaStreamCreateWithPriority");
    return counted(real(stream, flags, priority), &Totals::streams_created);
}

}  // extern "C"
