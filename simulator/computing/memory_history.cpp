// tocuda, Apache-2.0.
#include "computing/memory_history.hpp"

#include <c10/cuda/CUDACachingAllocator.h>
#include <fcntl.h>
#include <torch/csrc/profiler/combined_traceback.h>
#include <torch/version.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "computing/in_python.hpp"
#include "simulator/schema/counts.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::computing {
namespace {

using Entry = c10::CachingDeviceAllocator::TraceEntry;

int recording = -1;   // the file
pid_t recorded = -1;  // the process; a child that it forks has no events of its own

// A traceback, without frames, because LibTorch takes it for one where a program asks for a snapshot.
struct Caller : torch::CapturedTraceback {
    explicit Caller(UserPlace its) : place(std::move(its)) {}
    const UserPlace place;
};

// LibTorch calls it before it locks its allocator, so that Python's lock can be waited for.
std::shared_ptr<c10::GatheredContext> caller() {
    if (tocuda_simulation_computes_later() != 0) return nullptr;  // another thread may hold that lock and wait for us
    return std::make_shared<Caller>(user_place());
}

const char* word(Entry::Action action) {
    switch (action) {
        case Entry::ALLOC:
            return "alloc";
        case Entry::FREE_REQUESTED:
            return "free_requested";
        case Entry::FREE_COMPLETED:
            return "free_completed";
        case Entry::SEGMENT_ALLOC:
            return "segment_alloc";
        case Entry::SEGMENT_FREE:
            return "segment_free";
        case Entry::SEGMENT_MAP:
            return "segment_map";
        case Entry::SEGMENT_UNMAP:
            return "segment_unmap";
        case Entry::OOM:
            return "oom";
        default:
            return nullptr;
    }
}

std::string quoted(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    return quoted + '"';
}

void write_line(const std::string& line) {
    if (recording < 0 || ::getpid() != recorded) return;
    if (::write(recording, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return;
    std::fprintf(stderr, "tocuda: the recording of memory ends here: %s\n", std::strerror(errno));
    ::close(std::exchange(recording, -1));
    ++static_cast<SharedCounts*>(tocuda_simulation_counts())->recordings_cut;
}

// The first process has the name itself, each other one a name with its number.
int opened(const std::string& name) {
    constexpr int as_new = O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC;
    const int file = ::open(name.c_str(), as_new, 0666);
    if (file >= 0 || errno != EEXIST) return file;
    return ::open((name + "." + std::to_string(::getpid())).c_str(), as_new, 0666);
}

// Where the first allocation comes from: LibTorch had begun it, and gathered nothing, before it was asked to. Nothing
// once that is recorded.
UserPlace& began_at() {
    static UserPlace place;
    return place;
}

bool computes() {
    static const char* const text = std::getenv("TOCUDA_COMPUTE");
    return text && *text == '1';
}

const char* settings() {
    for (const char* name : {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"})
        if (const char* text = std::getenv(name)) return text;
    return "";
}

// What the process holds in memory that is neither a file's, nor pinned, nor of a simulated GPU. Memory of a GPU that
// was not touched is not held, so it can be more.
void see_pageable_memory() {
    static std::atomic<unsigned> calls = 0;
    if (calls++ % 16 != 0) return;  // a call takes some microseconds
    unsigned long long resident = 0, shared = 0;
    auto* const file = std::fopen("/proc/self/statm", "re");
    if (!file) return;
    const bool known = std::fscanf(file, "%*u %llu %llu", &resident, &shared) == 2;
    std::fclose(file);
    auto& counts = *static_cast<SharedCounts*>(tocuda_simulation_counts());
    std::uint64_t others = counts.pinned_bytes;
    if (computes())
        for (const auto& gpu : counts.gpus) others += gpu.allocated_bytes;
    const std::uint64_t held = (resident - shared) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    if (known && held > others) raise_to(counts.peak_pageable_bytes, held - others);
}

}  // namespace

bool is_recorded() {
    const char* const name = std::getenv("TOCUDA_MEMORY_HISTORY");
    return name && *name != '\0';
}

void begin_recording() {
    if (!is_recorded()) return;
    const char* const name = std::getenv("TOCUDA_MEMORY_HISTORY");
    recording = opened(name);
    recorded = ::getpid();
    began_at() = user_place();
    if (recording < 0) {
        std::fprintf(stderr, "tocuda: memory is not recorded: %s: %s\n", name, std::strerror(errno));
        ++static_cast<SharedCounts*>(tocuda_simulation_counts())->recordings_cut;
        return;
    }
    write_line("{\"kind\":\"memory_history\",\"torch\":" + quoted(TORCH_VERSION) +
               ",\"settings\":" + quoted(settings()) + ",\"ends\":true}\n");
    std::atexit([] { write_line("{\"action\":\"end\"}\n"); });  // without it the process was killed, or left at once
    // Turning it on again would drop what a program records for a snapshot of its own. Its events come here, too, but
    // without the program's lines.
    if (!c10::cuda::CUDACachingAllocator::isHistoryEnabled())
        c10::cuda::CUDACachingAllocator::recordHistory(true, caller, 1, c10::CachingDeviceAllocator::RecordContext::ALL,
                                                       false, {});
    watch_program();
}

void record(const Entry& entry) {
    const char* const action = word(entry.action_);
    if (recording < 0 || !action) return;
    if (entry.action_ == Entry::ALLOC) see_pageable_memory();
    std::string line = "{\"action\":\"" + std::string(action) + "\",\"device\":" + std::to_string(int{entry.device_});
    const auto add = [&](const char* field, std::uint64_t number) {
        line += ",\"" + std::string(field) + "\":" + std::to_string(number);
    };
    add(entry.action_ == Entry::OOM ? "device_free" : "addr", entry.addr_);
    add("size", entry.size_);
    add("stream", reinterpret_cast<std::uintptr_t>(entry.stream_));
    const auto& [first, second] = entry.mempool_;
    line += ",\"pool_id\":[" + std::to_string(first) + "," + std::to_string(second) + "]";
    const auto* by = dynamic_cast<const Caller*>(entry.context_.get());
    const UserPlace place = by ? by->place : began_at();
    if (!place.line.empty()) line += ",\"line\":" + quoted(place.line);
    if (!place.function.empty()) line += ",\"function\":" + quoted(place.function);
    if (entry.action_ == Entry::ALLOC) began_at() = {};
    write_line(line + "}\n");
}

void record_step() { write_line("{\"action\":\"step\"}\n"); }

void record_note(const char* what, std::string_view name) {
    std::string line = R"({"action":"note","what":)" + quoted(what) + R"(,"operator":)" + quoted(std::string(name));
    if (const auto place = user_line(); !place.empty()) line += ",\"line\":" + quoted(place);
    write_line(line + "}\n");
}

}  // namespace tocuda::computing
