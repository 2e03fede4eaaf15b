// tocuda, Apache-2.0.
// A copy within one GPU's memory, `by` the runtime or the chosen kernel, for benchmarks about what happens meanwhile.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "benchmarks/copy/one_way.hpp"
#include "kernels/kernel.hpp"
#include "measurement/check.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda {

class CopyWithinGpu : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        if (auto why = tocuda::why_skipped(kernel(set), setting(set)); !why.empty()) return why;
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) final {
        const auto bytes = bytes_of(set);
        Trial trial{.bytes_one_way = static_cast<std::int64_t>(bytes),
                    .bytes_touched = 2 * static_cast<std::int64_t>(bytes),
                    .peak = memory_peak(gpu, 2 * bytes),
                    .compared = Guarded::compared()};
        if (kernel(set).flags) trial.flags = kernel(set).flags(setting(set));
        trial.timing = Queued{.operation = [this, copy = kernel(set).operation(setting(set))](const Stream& on) {
            copy(on, {target.at(), source.at()});
        }};
        refine(trial, set);
        const auto queued = std::get<Queued>(trial.timing);
        const auto once = [this, queued] {
            queued.operation(stream);
            stream.synchronize();
        };
        once();  // loads the kernel, which may wait for the whole GPU, and so for a load
        trial.differs = [this, bytes, once, under = queued.under] {
            return target.what_differs(stream, bytes, [&] { under ? run_under(under, once) : once(); });
        };
        return trial;
    }

protected:
    explicit CopyWithinGpu(const std::vector<Parameters>& sets)
        : fit([](const Parameters& set) -> Room {
              const auto each = Guarded::allocated(bytes_of(set));
              return {.host_bytes = 0, .device_bytes = allocated_bytes({each, each})};
          }),
          source(std::max<std::size_t>(1, fit.most_bytes(sets))), target(source.bytes()) {
        write_payload(stream, {source.at(), source.bytes()});
    }

    virtual void refine(Trial& trial, const Parameters& set) = 0;

    const Fit fit;

private:
    static const Kernel& kernel(const Parameters& set) {
        return kernel_named(std::string("copy/device_to_device/") + (text(set, "by") == "kernel" ? "best" : "engine"));
    }
    Setting setting(const Parameters& set) const { return {{{"bytes", set.at("bytes")}, {"cache", "resident"}}, gpu}; }

    const GpuFacts gpu = gpu_facts();
    Stream stream{};
    Guarded source;
    Guarded target;
};

}  // namespace tocuda
