// tocuda, Apache-2.0.
// Reports what was recorded: in the process through recorder.h, and at its end to the file that TOCUDA_RECORD names.
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>

#include "recorder/launch_log.hpp"
#include "recorder/next.hpp"

namespace tocuda::simulator {
namespace {

// In the order of recorder.h.
constexpr const char* traffic_keys[] = {"host_to_device_pinned",
                                        "host_to_device_pageable",
                                        "device_to_host_pinned",
                                        "device_to_host_pageable",
                                        "device_to_device",
                                        "host_to_host",
                                        "memsets",
                                        "device_allocations",
                                        "host_allocations",
                                        "host_registrations"};
constexpr const char* number_keys[] = {"asynchronous_copies",
                                       "device_frees",
                                       "host_frees",
                                       "launches",
                                       "launches_not_executed",
                                       "device_synchronizations",
                                       "stream_synchronizations",
                                       "event_synchronizations",
                                       "event_records",
                                       "event_queries",
                                       "stream_waits",
                                       "streams_created",
                                       "failed_calls"};
static_assert(2 * std::size(traffic_keys) + std::size(number_keys) == Counters::count);

// Each process that used a CUDA runtime writes a file of its own, because a program's children are recorded too and
// must not overwrite each other's.
std::string place_of_record() {
    const char* path = std::getenv("TOCUDA_RECORD");
    if (!path || *path == '\0') return {};
    return std::string(path) + "." + std::to_string(::getpid());
}

void write_record() {
    const std::string path = place_of_record();
    if (path.empty() || !runtime_was_met()) return;
    std::FILE* file = std::fopen(path.c_str(), "we");
    if (!file) {
        std::fprintf(stderr, "tocuda: recorder: cannot write '%s'\n", path.c_str());
        return;
    }
    std::fprintf(file, "version 1\n");
    const Counters::Numbers numbers = Counters::here().since_start();
    const std::uint64_t* next = numbers.data();
    for (const char* key : traffic_keys) {
        std::fprintf(file, "%s %" PRIu64 " %" PRIu64 "\n", key, next[0], next[1]);
        next += 2;
    }
    for (const char* key : number_keys) std::fprintf(file, "%s %" PRIu64 "\n", key, *next++);
    for (const auto& [name, count] : LaunchLog::here().counts()) {
        std::fprintf(file, "launch %" PRIu64 " %s\n", count, name.c_str());
    }
    std::fclose(file);
}

__attribute__((destructor)) void at_the_end() { write_record(); }

}  // namespace

extern "C" {

void tocuda_recorder_mark() {
    LaunchLog::here().mark();
    Counters::here().mark();
}

int tocuda_recorder_read(tocuda_recorder_totals* totals) {
    if (!totals || totals->version != 1) return 1;
    *totals = Counters::here().since_mark();
    return 0;
}

size_t tocuda_recorder_launches(tocuda_recorder_launch* launches, size_t room) {
    return LaunchLog::here().read(launches, room);
}

}  // extern "C"
}  // namespace tocuda::simulator
