// tocuda, Apache-2.0.
#include "computing/report.hpp"

#include <cstdio>

namespace tocuda::computing {

void report(const c10::OperatorHandle& op, const char* why_not) {
    if (why_not != nullptr)
        std::fprintf(stderr, "tocuda: simulated GPUs: %s was not computed: %s\n", op.operator_name().name.c_str(), why_not);
}

}  // namespace tocuda::computing
