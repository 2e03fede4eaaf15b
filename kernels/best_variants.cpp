// tocuda, Apache-2.0.
// The copy and the triad by the kernel for the size and the GPU, from the table of chosen variants.
#include "kernels/copy_choice.hpp"
#include "kernels/kernel.hpp"
#include "measurement/chosen_variant.hpp"
#include "measurement/parameter.hpp"

namespace tocuda::kernels::best_variants {
namespace {

using Choose = std::string_view (*)(const Setting&);

const ChosenVariant& chosen_for(Choose operation, const Setting& setting) {
    return chosen_variant(operation(setting), setting.gpu.compute_capability);
}

Setting setting_of(const ChosenVariant& chosen, const Setting& setting) {
    auto set = parameters_of(chosen);
    set["bytes"] = setting.set.at("bytes");
    return {set, setting.gpu};
}

// `choose` names the operation in the table.
Kernel best(const std::string& family, const std::string& name, Choose choose) {
    const auto variant = [=](const Setting& setting) -> const Kernel& {
        return kernel_named(family + std::string(chosen_for(choose, setting).variant));
    };
    return {.name = family + name,
            .parameters = {{"bytes", headline_bytes()}, {"cache", {"resident"}}},
            .quick = {{"bytes", {std::int64_t{1} << 30}}},
            .full = {{"cache", {"resident", "cold"}}},
            .why_skipped =
                [=](const Setting& setting) {
                    return tocuda::why_skipped(variant(setting), setting_of(chosen_for(choose, setting), setting));
                },
            .arrays = [=](const Setting& setting) { return variant(setting).arrays(setting); },
            .operation =
                [=](const Setting& setting) {
                    return variant(setting).operation(setting_of(chosen_for(choose, setting), setting));
                },
            .flags = [=](const Setting& setting) { return Flags{flag_of(chosen_for(choose, setting))}; }};
}

Kernel best_copy() {
    auto copy = best("copy/device_to_device/", "best",
                     [](const Setting& setting) { return copy_operation(setting.gpu, setting.bytes()); });
    copy.role = {.sheet = {{.order = 10,
                            .section = "GPU memory",
                            .words = "copy by a kernel, read and written",
                            .having = "cache=resident",
                            .figure = "memory_bytes_per_second",
                            .touched = true}},
                 .characterise = {"bytes=64MiB,1GiB"},
                 .headline = headline::copy,
                 .campaign = "rounds",
                 .peers = {"babelstream Copy", "nvbandwidth device_local_copy_sm"},
                 .inspected = true};
    copy.summary = "copy within the memory of one GPU by the kernel chosen for that size and GPU";
    copy.full["bytes"] = powers_of_four(std::int64_t{4} << 30);
    copy.quick = {{"bytes", {std::int64_t{4} << 10, std::int64_t{1} << 20, std::int64_t{1} << 30}}};
    return copy;
}

// All its variants have the same input and result.
Kernel best_triad() {
    auto triad = best("memory/", "triad", [](const Setting& setting) -> std::string_view {
        return is_small(setting.gpu, 2 * setting.bytes()) ? "triad_small" : "triad";
    });
    triad.role = {.sheet = {{.order = 40,
                             .section = "GPU memory",
                             .words = "triad",
                             .having = "cache=resident",
                             .figure = "memory_bytes_per_second",
                             .touched = true}},
                  .characterise = {"bytes=1GiB"},
                  .campaign = "rounds",
                  .peers = {"babelstream Triad"},
                  .inspected = true};
    triad.summary =
        "a = b + s c with doubles in arrays of `bytes` each, BabelStream's Triad, by the kernel chosen for this GPU";
    triad.allowed = {{"bytes", {.least = sizeof(double)}}};
    triad.fill = [](const Stream& stream, const Arrays& arrays, const Setting& setting) {
        kernel_named("memory/triad_vectors").fill(stream, arrays, setting);
    };
    triad.expected = [](const Stream& stream, std::byte* to, const Setting& setting) {
        kernel_named("memory/triad_vectors").expected(stream, to, setting);
    };
    return triad;
}

const RegisteredKernel copy{best_copy()};
const RegisteredKernel triad{best_triad()};

}  // namespace
}  // namespace tocuda::kernels::best_variants
