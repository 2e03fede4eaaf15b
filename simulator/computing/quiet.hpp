// tocuda, Apache-2.0.
// What the program does not hear of while the CPU computes in place of a GPU.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/util/Exception.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <memory>
#include <optional>

namespace tocuda::computing {

// LibTorch's warnings: each kernel that is replaced gives one, and what the CPU's kernel says, the CUDA path has
// already said.

class Quiet {
    class Handler : public c10::WarningHandler {
    public:
        void process(const c10::Warning&) override {}
    };

    Handler handler;
    c10::WarningUtils::WarningHandlerGuard guard{&handler};
};

// The memory that the CPU's kernel takes, if a profiler counts memory: a GPU takes none of the host.
class Uncounted {
    struct Nobody : c10::MemoryReportingInfoBase {
        void reportMemoryUsage(void*, std::int64_t, std::size_t, std::size_t, c10::Device) override {}
        bool memoryProfilingEnabled() const override { return false; }
    };

    std::optional<c10::DebugInfoGuard> guard;

public:
    Uncounted() {
        const auto kind = c10::DebugInfoKind::PROFILER_STATE;
        if (c10::ThreadLocalDebugInfo::get(kind)) guard.emplace(kind, std::make_shared<Nobody>());
    }
};

}  // namespace tocuda::computing
