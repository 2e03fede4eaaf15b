// tocuda, Apache-2.0.
#include "computing/computed_counts.hpp"

#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "computing/in_python.hpp"
#include "computing/memory_history.hpp"
#include "simulator/schema/counts.hpp"

namespace tocuda::computing {
namespace {

SharedCounts& counts() {
    static auto* const shared = static_cast<SharedCounts*>(tocuda_simulation_counts());
    return *shared;
}

bool first_of(const std::string& name) {
    static std::mutex mutex;
    static auto* const said = new std::set<std::string>;
    const std::lock_guard lock(mutex);
    return said->insert(name).second;
}

// Another thread may hold Python's lock and wait for the simulation.
std::string line_unless_locked() { return tocuda_simulation_computes_later() != 0 ? "" : user_line(); }

std::string first_line(std::string_view text) {
    return std::string(text.substr(0, std::min<std::size_t>(text.find('\n'), 200)));
}

void say(const std::string& name, const std::string& line, const char* what, const std::string& why) {
    std::fprintf(stderr, "tocuda: simulated GPUs: %s%s%s %s: %s\n", name.c_str(), line.empty() ? "" : " at ",
                 line.c_str(), what, why.c_str());
}

// What the CPU refuses of an operator's values, in words of its error, and a GPU's kernel asserts.
struct CheckOfKernels {
    std::string_view name;  // how it begins
    std::string_view words;
};
constexpr std::array checks_of_kernels{
    CheckOfKernels{"aten::", "out of bounds"}, CheckOfKernels{"aten::", "should be between 0 and 1"},
    CheckOfKernels{"aten::multi_margin_loss", "target out of range"},
    CheckOfKernels{"aten::max_unpool", "invalid max index"}, CheckOfKernels{"aten::poisson", "invalid Poisson rate"}};

using Entry = c10::CachingDeviceAllocator::TraceEntry;

void count_allocation(const Entry& entry) {
    const auto device = static_cast<std::size_t>(int{entry.device_});
    if (device >= counts().gpus.size()) return;
    SharedGpuCounts& gpu = counts().gpus[device];
    if (entry.action_ == Entry::ALLOC)
        raise_to(gpu.peak_allocated_bytes, gpu.allocated_bytes.fetch_add(entry.size_) + entry.size_);
    else if (entry.action_ == Entry::FREE_COMPLETED) gpu.allocated_bytes.fetch_sub(entry.size_);
}

// LibTorch counts blocks, which are larger than what was asked for; while it tells of an allocation it cannot be asked.
void count_blocks() {
    const auto devices = std::min<std::size_t>(counts().gpus.size(), c10::cuda::device_count());
    for (std::size_t i = 0; i < devices; ++i) {
        const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(static_cast<c10::DeviceIndex>(i));
        raise_to(counts().gpus[i].peak_allocated_bytes, static_cast<std::uint64_t>(stats.allocated_bytes[0].peak));
    }
}

void watch(const Entry& entry) {
    count_allocation(entry);
    record(entry);
}

}  // namespace

void report_computed() { counts().computed.fetch_add(1, std::memory_order_relaxed); }

void report_not_computed(const c10::OperatorHandle& op, const char* why, const std::vector<tocuda_touch>& touches) {
    const std::string& name = op.operator_name().name;
    const std::string line = line_unless_locked();
    tocuda_simulation_not_computed(name.c_str(), line.c_str(), touches.data(), touches.size());
    if (first_of(name)) say(name, line, "is not computed", first_line(why));
}

void say_what_is_lacking(const c10::OperatorHandle& op) {
    const std::string& name = op.operator_name().name;
    if (first_of(name)) say(name, line_unless_locked(), "is not simulated", "it needs a library of NVIDIA's");
}

bool report_failed_assertion(const c10::OperatorHandle& op, const std::exception& error) {
    const std::string& name = op.operator_name().name;
    const std::string reason = first_line(error.what());
    const bool asserts = dynamic_cast<const c10::IndexError*>(&error) != nullptr || name == "aten::_assert_async" ||
                         std::ranges::any_of(checks_of_kernels, [&](const CheckOfKernels& check) {
                             return name.starts_with(check.name) && reason.find(check.words) != reason.npos;
                         });
    if (!asserts) return false;
    say(name, line_unless_locked(), "fails a device-side assertion", reason);
    tocuda_simulation_assertion_failed();
    return true;
}

void watch_allocator() {
    // A tracker joins the allocators that exist by then.
    static std::atomic<bool> done = false;
    if (!c10::cuda::CUDACachingAllocator::get()->initialized() || done.exchange(true)) return;
    try {
        c10::cuda::CUDACachingAllocator::attachAllocatorTraceTracker(watch);
        std::atexit(count_blocks);
        begin_recording();
    } catch (const c10::Error&) {
        return;  // an allocator that keeps no trace: cudaMallocAsync
    }
}

}  // namespace tocuda::computing
