// tocuda, Apache-2.0.
// For libFuzzer: whatever the bytes are, the reader neither fails nor tells what cannot be.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "record/fuzz/checked_reading.hpp"

// The name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto wrong = tocuda::wrong_with_reading({reinterpret_cast<const char*>(data), size});
    if (wrong.empty()) return 0;
    std::fprintf(stderr, "not so: %s\n", wrong.c_str());
    std::abort();
}
