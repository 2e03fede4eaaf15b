// tocuda, Apache-2.0.
// Injected faults: an error, a hang or a wrong byte on the k-th call of a function. A sticky error stays for the rest
// of the process.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/process_counts.hpp"
#include "simulator/schema/simulated_machine.hpp"

namespace tocuda::simulator {

class Faults {
public:
    explicit Faults(const std::vector<SimulatedFault>& faults) {
        for (const SimulatedFault& fault : faults) watched.push_back({fault, 0});
    }

    struct Verdict {
        int error = 0;
        bool hang = false;
        bool wrong = false;
    };

    Verdict on_call(std::string_view function) {
        // Even with a dead context a thread keeps its current device: guards query it while an exception unwinds
        // through them.
        if (sticky_error != 0) return {.error = function == "cudaGetDevice" ? 0 : sticky_error};
        Verdict verdict;
        for (std::size_t i = 0; i < watched.size(); ++i) {
            Counted& counted = watched[i];
            if (counted.fault.function != function || ++counted.calls != counted.fault.call) continue;
            verdict = {.error = counted.fault.error, .hang = counted.fault.hang, .wrong = counted.fault.wrong};
            if (i < counts().faults.size()) ++counts().faults[i];
            if (counted.fault.sticky) sticky_error = counted.fault.error;
        }
        return verdict;
    }

    // From now on every call of this process answers `error`.
    void end_context(int error) { sticky_error = error; }
    int sticky() const { return sticky_error; }

private:
    struct Counted {
        SimulatedFault fault;
        std::uint64_t calls = 0;
    };
    std::vector<Counted> watched;
    int sticky_error = 0;
};

}  // namespace tocuda::simulator
