// tocuda, Apache-2.0.
// What profilers, sanitizers and debuggers say: ncu, nsys, nvprof, CUPTI, compute-sanitizer, cuda-gdb.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

// "Invalid __global__ read of size 4 bytes ... at compress(...)+0xb0 ... by thread (1,0,0) in block (5,0,0) ... and is
// 1 bytes after the nearest allocation at 0x7f of size 324 bytes"
void read_access(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 0, 1500);
    const auto kernel = between(message, "at ", "\n");
    const auto thread = between(message, "by thread ", "\n");
    if (kernel && thread && kernel->size() < 200 && thread->size() < 80)
        told.arithmetic.push_back(fmt::format("the first is in {}, thread {}", *kernel, *thread));
    const auto past = between(message, "and is ", " the nearest allocation");
    const auto size = between(message, "nearest allocation at ", "\n");
    if (past && size && past->size() < 60 && size->size() < 80) {
        const auto bytes = between(*size, "of size ", " bytes");
        told.arithmetic.push_back(
            fmt::format("it is {} an allocation{}", *past, bytes ? fmt::format(" of {} bytes", *bytes) : ""));
    }
    if (contains(message.substr(0, 600), "misaligned"))
        told.arithmetic.emplace_back(
            "the address is not aligned to the type: a cast pointer, or a vector type such as "
            "float4 at an odd offset");
}

// "... in void init<float>(State&)<<<(80,64,1),(16,16,1)>>> ()", "triggered at PC 0x5ff3bb8 (main.cu:14)"
void read_stopped_kernel(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 0, 1200);
    if (const auto what = between(text_near(text, at, 0, 120), ": ", "\n"))
        told.arithmetic.push_back(fmt::format("it says: {}", *what));
    if (const auto place = between(message, "triggered at PC ", ")"); place && place->find(" (") != place->npos)
        told.arithmetic.push_back(fmt::format("it failed in {}", place->substr(place->find(" (") + 2)));
    if (const auto end = message.find("<<<("); end != std::string_view::npos)
        if (const auto begin = message.rfind(" in ", end); begin != std::string_view::npos)
            told.arithmetic.push_back(fmt::format("the kernel is {}", message.substr(begin + 4, end - begin - 4)));
}

}  // namespace

Functions tool_functions() {
    return {.readings = {{"read_access", read_access}, {"read_stopped_kernel", read_stopped_kernel}}};
}

}  // namespace tocuda::doctor
