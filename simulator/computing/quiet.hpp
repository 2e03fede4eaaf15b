// tocuda, Apache-2.0.
// Drops LibTorch's warnings in a scope: each kernel that is replaced gives one, and what the CPU's kernel says, the
// CUDA path has already said.
#pragma once

#include <c10/util/Exception.h>

namespace tocuda::computing {

class Quiet {
    class Handler : public c10::WarningHandler {
    public:
        void process(const c10::Warning&) override {}
    };

    Handler handler_;
    c10::WarningUtils::WarningHandlerGuard guard_{&handler_};
};

}  // namespace tocuda::computing
