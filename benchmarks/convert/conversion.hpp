// tocuda, Apache-2.0.
// The bench for moving page-locked numbers to the GPU and converting them to another type on the way. Every variant has
// the same source, target and clock. `bytes` is the size of the source.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/number_source.hpp"
#include "measurement/check.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/gpu/host_memory.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/threads.hpp"

namespace tocuda {

// The numbers that one parameter set moves.
struct Conversion {
    Numbers types;
    std::size_t count;
    std::size_t source_bytes() const { return count * bytes_each(types.from); }
    std::size_t target_bytes() const { return count * bytes_each(types.to); }
};

class Converting : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override;
    Trial trial(const Parameters& set) final;

protected:
    Converting(const std::vector<Parameters>& sets, Needed needed);

    virtual Conversion conversion_of(const Parameters& set) const;
    // Sets `call`, and `peak` if the link limits the bytes of the source.
    virtual void operate(Trial& trial, const Parameters& set, const Conversion& conversion) = 0;

    std::byte* target() const { return device.get() + guard_bytes; }
    std::byte* source() const { return host.get(); }

    static constexpr std::size_t guard_bytes = Guarded::guard_bytes;

    const Fit fit;
    const std::size_t most;  // bytes of the largest source, 1 if there is none
    Stream stream{};
    Crew crew;

private:
    void fill(Number type);
    std::string what_differs(const Conversion& conversion, const std::function<void()>& call);

    HostMemory host;
    DeviceMemory device;
    int written = -1;  // the type of the numbers in the source
};

// Memory for source, target and the additional buffers of a variant, as multiples of the bytes of the source.
Needed needed_beside(std::size_t host_times, std::size_t device_times);

using MakeConverting = std::function<std::unique_ptr<Bench>(const std::vector<Parameters>&)>;
Measurable conversion(std::string name, std::string summary, std::map<std::string, Values> more,
                      std::map<std::string, Values> more_full, std::map<std::string, Allowed> allowed,
                      MakeConverting make);

// One of several ways, which is measured after everything else.
inline Measurable as_another_way(Measurable measurable) {
    measurable.benchmark.group = {"other ways", Group::other_ways};
    return measurable;
}

}  // namespace tocuda
