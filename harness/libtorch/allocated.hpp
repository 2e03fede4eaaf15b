// tocuda, Apache-2.0.
// Counts the bytes that LibTorch allocates on the CPU and on GPUs in this thread while this object lives, as its
// allocators report them.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <cstdint>
#include <memory>

namespace tocuda {

class Allocated {
public:
    Allocated() : reports(std::make_shared<Reports>()), guard(c10::DebugInfoKind::PROFILER_STATE, reports) {}

    std::int64_t cpu_bytes() const { return reports->cpu; }
    std::int64_t gpu_bytes() const { return reports->gpu; }

private:
    struct Reports : c10::MemoryReportingInfoBase {
        void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t, c10::Device device) override {
            if (bytes > 0) (device.is_cpu() ? cpu : gpu) += bytes;
        }
        bool memoryProfilingEnabled() const override { return true; }
        std::int64_t cpu = 0;
        std::int64_t gpu = 0;
    };

    std::shared_ptr<Reports> reports;
    c10::DebugInfoGuard guard;
};

}  // namespace tocuda
