// tocuda, Apache-2.0.
// How a kernel is measured: its benchmark, the arrays it works on, its launch and its check. The file of each kernel
// defines a RegisteredKernel; workers and tests find it there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/memory_access.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/parameter.hpp"

namespace tocuda {

// A parameter set on a GPU.
struct Setting {
    Parameters set;
    GpuFacts gpu;

    std::size_t bytes() const { return bytes_of(set); }
    template <class Element>
    std::size_t count() const {
        return bytes() / sizeof(Element);  // of whole elements
    }
    unsigned number(const std::string& name) const { return static_cast<unsigned>(whole(set, name)); }
    const std::string& word(const std::string& name) const { return text(set, name); }
};

// The memory that an operation uses and touches.
struct ArraySizes {
    std::vector<std::size_t> bytes{};  // of each array; the first is the target
    std::size_t one_way = 0;
    std::size_t touched = 0;
};
ArraySizes arrays_of_copy(const Setting& setting);  // a target and a source of `bytes`

using Arrays = std::vector<std::byte*>;
using Operation = std::function<void(const Stream&, const Arrays&)>;
using WhatIsWrong = std::function<std::string(const Stream&, const Arrays&)>;

// Unless its members say otherwise, the kernel copies the second array, which holds the payload, to the first.
struct Kernel {
    std::string name{};  // of the benchmark: FAMILY/NAME
    std::string summary{};
    std::string how{};  // for `show`, if there is more to say than the clock
    Group group{};      // of the benchmark; an empty name: that of its family
    Role role{};        // of the benchmark
    // The values of a default, a quick and a full measurement. `bytes` may be left out of all three, and whatever a
    // quick measurement does not change belongs to the default one. Words must be among these values.
    std::map<std::string, Values> parameters{};
    std::map<std::string, Values> quick{{"bytes", {}}};
    std::map<std::string, Values> full{};
    std::map<std::string, Allowed> allowed{};
    std::string tuning{};        // below `tune/`: the name under which every variant is measured, to choose the best
    int compute_capability = 0;  // 90 is 9.0
    std::function<std::string(const Setting&)> why_skipped{};

    std::function<ArraySizes(const Setting&)> arrays = arrays_of_copy;
    std::function<std::size_t(const Setting&)> offset{};  // of the second array from a multiple of 256
    std::function<Operation(const Setting&)> operation{};

    std::function<void(const Stream&, const Arrays&, const Setting&)>
        fill{};  // the input arrays, of which the target may be one
    // Computes the expected target, or else checks the result itself. Without both the payload is expected.
    std::function<void(const Stream&, std::byte* to, const Setting&)> expected{};
    std::function<WhatIsWrong(const Setting&)> wrong{};
    std::string compared = "every byte, and 256 bytes before and after";
    std::function<std::int64_t(const Setting&)> operations{};  // of arithmetic, if these are what is counted
    std::function<Flags(const Setting&)> flags{};
    std::string simulated{};  // what simulated GPUs leave out: "the time does not depend on the stride"
};

class RegisteredKernel {
public:
    explicit RegisteredKernel(Kernel kernel);
};
const std::vector<Kernel>& registered_kernels();
const Kernel& kernel_named(const std::string& name);

// Returns why the set is skipped, without regard to memory. Empty if it is not.
std::string why_skipped(const Kernel& kernel, const Setting& setting);

constexpr std::size_t kernel_guard_bytes = 256;  // before and after the target

// Fills the arrays, runs the operation and returns what is wrong. `expected` has the target's size, and is null for a
// kernel that does not compute it.
std::string what_differs(const Kernel& kernel, const Setting& setting, const Arrays& arrays, std::byte* expected,
                         const Stream& stream, const std::function<void()>& operation);

// Sizes of the kernels with performance targets, of all others, and of a full measurement.
inline Values headline_bytes() {
    return {std::int64_t{1} << 20, std::int64_t{64} << 20, std::int64_t{1} << 30, std::int64_t{4} << 30};
}
inline Values default_bytes() { return {std::int64_t{64} << 20, std::int64_t{1} << 30}; }
inline Values full_bytes() { return {std::int64_t{64} << 20, std::int64_t{1} << 30, std::int64_t{4} << 30}; }

inline Hint hint_of(const std::string& word) {
    if (word == "plain") return Hint::plain;
    if (word == "streaming_store") return Hint::streaming_store;
    if (word == "streaming") return Hint::streaming;
    throw std::invalid_argument("'" + word + "' is not a hint: plain, streaming_store or streaming");
}

template <class Number, std::size_t count>
Values values_of(const std::array<Number, count>& each) {
    return Values(each.begin(), each.end());
}

}  // namespace tocuda
