// tocuda, Apache-2.0.
// Copies one element of 1, 4 or 8 bytes per thread, as naive code does.
#include "kernels/launching.hpp"

namespace tocuda::kernels::scalar_copy {
namespace {

template <class Element>
struct ScalarCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;

    static constexpr Grid grid(std::size_t bytes) {
        return grid_over(bytes, threads * sizeof(Element), threads, 2 * bytes);
    }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        copy_cut<Element, 1, Hint::plain>(block, threads, to, from, bytes);
    }
};

Operation operation(const Setting& setting) {
    switch (setting.number("element_bytes")) {
        case 1:
            return copying(ScalarCopy<std::uint8_t>{}, setting.bytes());
        case 4:
            return copying(ScalarCopy<std::uint32_t>{}, setting.bytes());
        default:
            return copying(ScalarCopy<std::uint64_t>{}, setting.bytes());
    }
}

const RegisteredKernel registered{{.name = "copy/device_to_device/scalar",
                                   .summary = "copy within the memory of one GPU by a kernel, one element per thread",
                                   .parameters = {{"bytes", {}}, {"element_bytes", {4}}},
                                   .full = {{"element_bytes", {1, 4, 8}}},
                                   .allowed = {{"element_bytes", {.only = {1, 4, 8}}}},
                                   .operation = operation}};

}  // namespace
}  // namespace tocuda::kernels::scalar_copy
