// tocuda, Apache-2.0.
// The libFuzzer program: for any bytes, the reader neither crashes nor violates its invariants.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "record/tests/fuzz/checked_reading.hpp"

// libFuzzer prescribes the name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto wrong = tocuda::wrong_with_reading({reinterpret_cast<const char*>(data), size});
    if (wrong.empty()) return 0;
    std::fprintf(stderr, "violated: %s\n", wrong.c_str());
    std::abort();
}
