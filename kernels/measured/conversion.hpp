// tocuda, Apache-2.0.
// The bench of what is moved to the GPU and becomes numbers of another type on the way: page-locked numbers here,
// converted ones there. Every way of doing it has the same source, target and clock; `bytes` are those of the source.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/casts.hpp"
#include "measurement/device_memory.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/guarded.hpp"
#include "measurement/registered_benchmark.hpp"
#include "transfers/crew.hpp"
#include "transfers/host_memory.hpp"

namespace tocuda {

Number number_of(const std::string& word);
std::string why_no_cast(const Parameters& set);  // empty where there is one
Numbers types_of(const Parameters& set);

// What one parameter set moves.
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
    // Fills in `call`, and `peak` where the link limits the bytes of the source.
    virtual void operate(Trial& trial, const Parameters& set, const Conversion& conversion) = 0;

    std::byte* target() const { return device.get() + guard_bytes; }
    std::byte* source() const { return host.get(); }

    static constexpr std::size_t guard_bytes = Guarded::guard_bytes;

    const Fit fit;
    const std::size_t most;  // bytes of the largest source, 1 where there is none
    Stream stream{};
    Crew crew;

private:
    void fill(Number type);
    std::string what_differs(const Conversion& conversion, const std::function<void()>& call);

    HostMemory host;
    DeviceMemory device;
    int written = -1;  // the type of the numbers in the source
};

// Room for the source, the target, and what each way needs beside them: so often the bytes of the source.
Needed needed_beside(std::size_t host_times, std::size_t device_times);

using MakeConverting = std::function<std::unique_ptr<Bench>(const std::vector<Parameters>&)>;
Measurable conversion(std::string name, std::string summary, std::map<std::string, Values> more,
                      std::map<std::string, Values> more_full, MakeConverting make);

}  // namespace tocuda
