// tocuda, Apache-2.0.
// The triad with doubles, like BabelStream, by the best variant for this GPU and by each variant. `bytes` is the size
// of one array.
#include "kernels/launches.hpp"
#include "kernels/measured/allowed.hpp"
#include "kernels/measured/array_bench.hpp"
#include "kernels/measured/copy_bench.hpp"
#include "kernels/measured/hints.hpp"
#include "kernels/number_payload.hpp"
#include "measurement/chosen_variant.hpp"
#include "measurement/tuning.hpp"

namespace tocuda::measured::memory_triad {
namespace {

// The arrays contain different parts of the payload numbers.
constexpr std::size_t place_of_b = 0;
constexpr std::size_t place_of_c = std::size_t{1} << 40;

using Operation = std::function<void(const Stream&, const Arrays&)>;

std::size_t count_of(const Parameters& set) { return bytes_of(set) / sizeof(double); }
double* doubles(std::byte* memory) { return reinterpret_cast<double*>(memory); }
unsigned number(const Parameters& set, const std::string& name) { return static_cast<unsigned>(whole(set, name)); }

OverArrays triad_by(std::function<Operation(const Parameters&, const GpuFacts&)> operation,
                    std::function<std::string(const Parameters&, const GpuFacts&)> why_skipped) {
    return {.sizes = [](const Parameters& set, const GpuFacts&) -> ArraySizes {
                const auto bytes = count_of(set) * sizeof(double);
                return {.bytes = {bytes, bytes, bytes}, .one_way = bytes, .touched = 3 * bytes};
            },
            .fill =
                [](const Stream& stream, const Arrays& arrays, const Parameters& set) {
                    launch_numbers(stream, doubles(arrays[1]), count_of(set), place_of_b, bits_for_one_sum);
                    launch_numbers(stream, doubles(arrays[2]), count_of(set), place_of_c, bits_for_one_sum);
                },
            .operation = std::move(operation),
            .expected =
                [](const Stream& stream, std::byte* to, const Parameters& set) {
                    launch_expected_triad(stream, doubles(to), count_of(set), place_of_b, place_of_c, bits_for_one_sum);
                },
            .why_skipped = std::move(why_skipped)};
}

Operation by_vectors(const Parameters& set, const GpuFacts&) {
    const TriadShape shape{
        .in_flight = number(set, "in_flight"), .tiles = number(set, "tiles"), .hint = hint_of(text(set, "hint"))};
    return [count = count_of(set), shape](const Stream& stream, const Arrays& arrays) {
        launch_triad(stream, doubles(arrays[0]), doubles(arrays[1]), doubles(arrays[2]), count, shape);
    };
}

std::string why_not_by_vectors(const Parameters& set, const GpuFacts&) {
    if (auto why = why_not_among(set, "in_flight", values_of(triad_loads)); !why.empty()) return why;
    if (auto why = why_not_among(set, "tiles", values_of(triad_tiles)); !why.empty()) return why;
    return why_not_among(set, "hint", {"plain", "streaming_store"});
}

BulkTriad bulk_of(const Parameters& set) {
    return {.tile_bytes = number(set, "tile_bytes"), .stages = number(set, "stages")};
}

Operation in_bulk(const Parameters& set, const GpuFacts& gpu) {
    const Spread spread{gpu.multiprocessors, number(set, "blocks_each")};
    return [count = count_of(set), shape = bulk_of(set), spread](const Stream& stream, const Arrays& arrays) {
        launch_bulk_triad(stream, doubles(arrays[0]), doubles(arrays[1]), doubles(arrays[2]), count, shape, spread);
    };
}

std::string why_not_in_bulk(const Parameters& set, const GpuFacts& gpu) {
    if (auto why = why_not_capable(gpu, BulkTriad::compute_capability); !why.empty()) return why;
    if (auto why = why_not_between(set, "blocks_each", 1, 32); !why.empty()) return why;
    if (auto why = why_not_between(set, "stages", 2, 32); !why.empty()) return why;
    if (auto why = why_not_between(set, "tile_bytes", 128, 65536); !why.empty()) return why;
    const auto shape = bulk_of(set);
    if (shape.tile_bytes % 128 != 0)
        return "tile_bytes must be a multiple of 128, not " + std::to_string(shape.tile_bytes);
    if (shape.shared_bytes() > gpu.shared_bytes)
        return std::to_string(shape.shared_bytes()) + " bytes of shared memory are needed; a block has at most " +
               std::to_string(gpu.shared_bytes);
    return why_not_at_once(set, bulk_triads_at_once(shape));
}

const OverArrays vectors = triad_by(by_vectors, why_not_by_vectors);
const OverArrays bulk = triad_by(in_bulk, why_not_in_bulk);

const ChosenVariant& chosen_for(const GpuFacts& gpu) { return chosen_variant("triad", gpu.compute_capability); }
const OverArrays& variant_for(const GpuFacts& gpu) { return chosen_for(gpu).variant == "triad_tma" ? bulk : vectors; }

Parameters set_of(const Parameters& set, const GpuFacts& gpu) {
    auto all = parameters_of(chosen_for(gpu));
    all["bytes"] = set.at("bytes");
    return all;
}

const OverArrays best = [] {
    auto over = triad_by(
        [](const Parameters& set, const GpuFacts& gpu) { return variant_for(gpu).operation(set_of(set, gpu), gpu); },
        [](const Parameters& set, const GpuFacts& gpu) { return variant_for(gpu).why_skipped(set_of(set, gpu), gpu); });
    over.flags = [](const Parameters&, const GpuFacts& gpu) -> std::vector<std::string> {
        return {in_words(chosen_for(gpu))};
    };
    return over;
}();

Measurable measurable(std::string name, std::string summary, std::map<std::string, Values> parameters,
                      std::map<std::string, Values> full, const OverArrays& over) {
    parameters.try_emplace("bytes", default_bytes());
    full.try_emplace("bytes", full_bytes());
    return {.benchmark = {.name = "memory/" + std::move(name),
                          .summary = "a = b + s c with doubles, BabelStream's Triad, " + std::move(summary),
                          .clock = Clock::device,
                          .parameters = std::move(parameters),
                          .quick = {{"bytes", {}}},
                          .full = std::move(full),
                          .needs = {.gpus = 1}},
            .set_up = [&over](const std::vector<Parameters>& sets) { return array_bench(sets, over); }};
}

Measurable by_best() {
    auto triad =
        measurable("triad", "by the best kernel for this GPU", {{"bytes", headline_bytes()}, {"cache", {"resident"}}},
                   {{"cache", {"resident", "cold"}}}, best);
    triad.benchmark.quick = {{"bytes", {std::int64_t{64} << 20}}};
    return triad;
}

Measurable by_vectors_of() {
    return measurable("triad_vectors", "by a kernel with many loads in flight",
                      {{"bytes", {}}, {"in_flight", {4}}, {"tiles", {1}}, {"hint", {"plain"}}},
                      {{"in_flight", values_of(triad_loads)},
                       {"tiles", values_of(triad_tiles)},
                       {"hint", {"plain", "streaming_store"}}},
                      vectors);
}

Measurable by_tma() {
    auto triad =
        measurable("triad_tma", "from shared memory that is filled in bulk (TMA)",
                   {{"bytes", {}}, {"tile_bytes", {8192}}, {"stages", {3}}, {"blocks_each", {2}}},
                   {{"tile_bytes", {4096, 8192, 16384}}, {"stages", {3, 4}}, {"blocks_each", {1, 2, 4}}}, bulk);
    triad.benchmark.needs.compute_capability = "9.0";
    return triad;
}

const RegisteredBenchmark registered_best{by_best()};
const RegisteredBenchmark registered_vectors{by_vectors_of()};
const RegisteredBenchmark registered_bulk{by_tma()};
const RegisteredBenchmark to_choose_vectors{tuning(by_vectors_of(), "triad_by_vectors", {{"bytes", tuning_bytes()}})};
const RegisteredBenchmark to_choose_bulk{tuning(by_tma(), "triad_by_tma", {{"bytes", tuning_bytes()}})};

}  // namespace
}  // namespace tocuda::measured::memory_triad
