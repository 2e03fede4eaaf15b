// tocuda, Apache-2.0.
// The copy by the best kernel for its size on this GPU, from the table of chosen variants.
#include <map>

#include "kernels/copy_choice.hpp"
#include "kernels/measured/copy_variants.hpp"
#include "measurement/chosen_variant.hpp"
#include "measurement/parameter.hpp"
#include "measurement/sizes.hpp"

namespace tocuda::measured::best_copy {
namespace {

const ChosenVariant& chosen_for(const Parameters& set, const GpuFacts& gpu) {
    return chosen_variant(copy_operation({gpu.multiprocessors, gpu.l2_bytes}, bytes_of(set)), gpu.compute_capability);
}

const CopyWithin& variant_called(std::string_view name) {
    static const std::map<std::string_view, CopyWithin> all{{"engine", engine_copy::by_engine()},
                                                            {"persistent", persistent_copy::by_persistent()},
                                                            {"tma_bulk", staged_copies::by_bulk()},
                                                            {"unrolled", unrolled_copy::by_unrolled()}};
    return all.at(name);
}

Parameters set_of(const ChosenVariant& chosen, const Parameters& set) {
    auto all = parameters_of(chosen);
    all["bytes"] = set.at("bytes");
    return all;
}

Copy copy(const Parameters& set, const GpuFacts& gpu) {
    const auto& chosen = chosen_for(set, gpu);
    return variant_called(chosen.variant).copy(set_of(chosen, set), gpu);
}

std::string why_skipped(const Parameters& set, const GpuFacts& gpu) {
    const auto& chosen = chosen_for(set, gpu);
    const auto& variant = variant_called(chosen.variant);
    if (auto why = why_not_capable(gpu, variant.compute_capability); !why.empty()) return why;
    return variant.why_skipped ? variant.why_skipped(set_of(chosen, set), gpu) : "";
}

std::vector<std::string> flags(const Parameters& set, const GpuFacts& gpu) { return {in_words(chosen_for(set, gpu))}; }

Measurable best() {
    auto measurable =
        copy_within_one_gpu("best", "copy within the memory of one GPU by the best kernel for that size and GPU",
                            {{"bytes", headline_bytes()}, {"cache", {"resident"}}},
                            {{"bytes", powers_of_four(std::int64_t{4} << 30)}, {"cache", {"resident", "cold"}}},
                            {.copy = copy, .why_skipped = why_skipped, .flags = flags});
    measurable.benchmark.quick = {{"bytes", {std::int64_t{4} << 10, std::int64_t{1} << 20, std::int64_t{64} << 20}}};
    return measurable;
}

const RegisteredBenchmark registered{best()};

}  // namespace
}  // namespace tocuda::measured::best_copy
