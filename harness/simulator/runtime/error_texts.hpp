// tocuda, Apache-2.0.
// Names and texts of the real runtime's errors. The table is generated at build time by asking the runtime that was
// found.
#pragma once

#include <cstddef>

namespace tocuda::simulator {

struct ErrorText {
    int code;
    const char* name;
    const char* text;
};

extern const ErrorText error_texts[];
extern const std::size_t error_text_count;

}  // namespace tocuda::simulator
