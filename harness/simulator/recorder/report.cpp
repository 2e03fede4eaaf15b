// tocuda, Apache-2.0.
// Reports what was recorded: in the process through recorder.h, and at its end to the file that TOCUDA_RECORD names.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "recorder/counters.hpp"
#include "recorder/launch_log.hpp"
#include "recorder/next.hpp"

using tocuda::simulator::Counters;
using tocuda::simulator::LaunchLog;

namespace {

using Totals = tocuda_recorder_totals;

struct Traffic {
    const char* key;
    tocuda_recorder_traffic Totals::* field;
};

struct Number {
    const char* key;
    std::uint64_t Totals::* field;
};

constexpr Traffic traffics[] = {
    {"host_to_device_pinned", &Totals::host_to_device_pinned},
    {"host_to_device_pageable", &Totals::host_to_device_pageable},
    {"device_to_host_pinned", &Totals::device_to_host_pinned},
    {"device_to_host_pageable", &Totals::device_to_host_pageable},
    {"device_to_device", &Totals::device_to_device},
    {"host_to_host", &Totals::host_to_host},
    {"memsets", &Totals::memsets},
    {"device_allocations", &Totals::device_allocations},
    {"host_allocations", &Totals::host_allocations},
    {"host_registrations", &Totals::host_registrations},
};

constexpr Number numbers[] = {
    {"asynchronous_copies", &Totals::asynchronous_copies},
    {"device_frees", &Totals::device_frees},
    {"host_frees", &Totals::host_frees},
    {"launches", &Totals::launches},
    {"launches_not_executed", &Totals::launches_not_executed},
    {"device_synchronizations", &Totals::device_synchronizations},
    {"stream_synchronizations", &Totals::stream_synchronizations},
    {"event_synchronizations", &Totals::event_synchronizations},
    {"event_records", &Totals::event_records},
    {"event_queries", &Totals::event_queries},
    {"stream_waits", &Totals::stream_waits},
    {"streams_created", &Totals::streams_created},
    {"failed_calls", &Totals::failed_calls},
};

// Each process that used a CUDA runtime writes a file of its own, because a program's children are recorded too and
// must not overwrite each other's.
std::string place_of_record() {
    const char* path = std::getenv("TOCUDA_RECORD");
    if (path == nullptr || *path == '\0') return {};
    return std::string(path) + "." + std::to_string(::getpid());
}

void write_record() {
    const std::string path = place_of_record();
    if (path.empty() || !tocuda::simulator::runtime_was_met()) return;
    const Totals totals = Counters::here().since_start();
    std::FILE* file = std::fopen(path.c_str(), "we");
    if (file == nullptr) {
        std::fprintf(stderr, "tocuda: recorder: cannot write '%s'\n", path.c_str());
        return;
    }
    std::fprintf(file, "version 1\n");
    for (const Traffic& traffic : traffics) {
        const auto& seen = totals.*traffic.field;
        std::fprintf(file, "%s %llu %llu\n", traffic.key, static_cast<unsigned long long>(seen.calls),
                     static_cast<unsigned long long>(seen.bytes));
    }
    for (const Number& number : numbers) {
        std::fprintf(file, "%s %llu\n", number.key, static_cast<unsigned long long>(totals.*number.field));
    }
    for (const auto& [name, count] : LaunchLog::here().counts()) {
        std::fprintf(file, "launch %llu %s\n", static_cast<unsigned long long>(count), name.c_str());
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
    if (totals == nullptr || totals->version != 1) return 1;
    *totals = Counters::here().since_mark();
    return 0;
}

size_t tocuda_recorder_launches(tocuda_recorder_launch* launches, size_t room) {
    return LaunchLog::here().read(launches, room);
}

}  // extern "C"
