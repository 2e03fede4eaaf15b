/* tocuda, Apache-2.0. */
/* The recorder's counters, in plain C, so that any program it is loaded into can ask by dlsym. Self-contained. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tocuda_recorder_traffic {
    uint64_t calls;
    uint64_t bytes;
};

/* Successful calls since the last mark, of the whole process and all its threads. The caller sets `version` to 1. */
struct tocuda_recorder_totals {
    uint64_t version;
    struct tocuda_recorder_traffic host_to_device_pinned;
    struct tocuda_recorder_traffic host_to_device_pageable;
    struct tocuda_recorder_traffic device_to_host_pinned;
    struct tocuda_recorder_traffic device_to_host_pageable;
    struct tocuda_recorder_traffic device_to_device; /* peer copies included */
    struct tocuda_recorder_traffic host_to_host;
    struct tocuda_recorder_traffic memsets;
    struct tocuda_recorder_traffic device_allocations; /* managed and stream-ordered ones included */
    struct tocuda_recorder_traffic host_allocations;   /* pinned */
    struct tocuda_recorder_traffic host_registrations;
    uint64_t asynchronous_copies; /* of all copies, those by a function that may return before they have finished */
    uint64_t device_frees;
    uint64_t host_frees;
    uint64_t launches;
    uint64_t launches_not_executed; /* simulated GPUs only; 0 on real ones */
    uint64_t device_synchronizations;
    uint64_t stream_synchronizations;
    uint64_t event_synchronizations;
    uint64_t event_records;
    uint64_t event_queries;
    uint64_t stream_waits; /* a stream waits for an event */
    uint64_t streams_created;
    uint64_t failed_calls; /* of all the functions above; "not ready" is not a failure */
};

/* tocuda_recorder_read returns 0, or 1 if it does not know the version. */
void tocuda_recorder_mark(void);
int tocuda_recorder_read(struct tocuda_recorder_totals* totals);

struct tocuda_recorder_launch {
    const char* name; /* mangled; "" if it was never registered */
    uint64_t stream;  /* its handle */
    uint32_t grid[3];
    uint32_t block[3];
};

/* Fills in the first `room` launches since the last mark, in order; returns how many were kept (at most 65,536). */
size_t tocuda_recorder_launches(struct tocuda_recorder_launch* launches, size_t room);

#ifdef __cplusplus
}
#endif
