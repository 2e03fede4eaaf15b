// tocuda, Apache-2.0.
// The real runtime's names and texts of its errors. The table is written at build time, by asking the runtime that was
// found.
#pragma once

#include <cstddef>

namespace tocuda::stand_in {

struct ErrorText {
    int code;
    const char* name;
    const char* text;
};

extern const ErrorText error_texts[];
extern const std::size_t error_text_count;

}  // namespace tocuda::stand_in
