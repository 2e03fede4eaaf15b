// tocuda, Apache-2.0.
// Casts within the memory of one GPU. `bytes` is the size of the source.
#include "kernels/measured/array_bench.hpp"
#include "kernels/measured/conversion.hpp"
#include "kernels/measured/number_source.hpp"
#include "measurement/check.hpp"
#include "measurement/guarded.hpp"
#include "measurement/parameter.hpp"

namespace tocuda::measured::cast {
namespace {

Conversion conversion_of(const Parameters& set) {
    const auto types = types_of(set);
    return {.types = types, .count = bytes_of(set) / bytes_each(types.from)};
}

ArraySizes sizes(const Parameters& set, const GpuFacts&) {
    const auto conversion = conversion_of(set);
    return {.bytes = {conversion.target_bytes(), conversion.source_bytes()},
            .one_way = conversion.source_bytes(),
            .touched = conversion.source_bytes() + conversion.target_bytes()};
}

void fill(Crew& crew, const Stream& stream, std::byte* to, const Conversion& conversion) {
    constexpr std::size_t most = std::size_t{1} << 22;
    const auto wide = bytes_each(conversion.types.from);
    std::vector<std::byte> here(std::min(conversion.count, most) * wide);
    for (std::size_t place = 0; place < conversion.count; place += most) {
        const auto count = std::min(most, conversion.count - place);
        in_parts(crew, count, [&](std::size_t first, std::size_t some) {
            write_numbers(conversion.types.from, here.data() + first * wide, place + first, some);
        });
        upload(to + place * wide, std::span(here).first(count * wide), stream);
    }
}

std::string wrong(Crew& crew, const Stream& stream, const std::byte* target, const Conversion& conversion) {
    if (auto found = wrong_numbers(crew, stream, conversion.types, target, conversion.count); !found.empty())
        return found;
    return first_unlike(stream, {target + conversion.target_bytes(), Guarded::guard_bytes}, Guarded::guard)
               ? "bytes after the target were overwritten"
               : "";
}

std::unique_ptr<Bench> set_up(const std::vector<Parameters>& sets) {
    const auto crew = std::make_shared<Crew>(usable_threads());
    return array_bench(
        sets, {.sizes = sizes,
               .fill = [crew](const Stream& stream, const Arrays& arrays,
                              const Parameters& set) { fill(*crew, stream, arrays[1], conversion_of(set)); },
               .operation =
                   [](const Parameters& set, const GpuFacts&) {
                       return [conversion = conversion_of(set)](const Stream& stream, const Arrays& arrays) {
                           launch_cast(stream, conversion.types, arrays[0], arrays[1], conversion.count);
                       };
                   },
               .found_wrong =
                   [crew](const Parameters& set, const GpuFacts&) {
                       return [crew, conversion = conversion_of(set)](const Stream& stream, const Arrays& arrays) {
                           return wrong(*crew, stream, arrays[0], conversion);
                       };
                   },
               .compared = "every number, and 256 bytes after",
               .why_skipped = [](const Parameters& set, const GpuFacts&) { return why_no_cast(set); }});
}

Values every_type() { return {"double", "float", "half", "bfloat16", "float8_e4m3", "float8_e5m2"}; }
Values mebibytes(std::initializer_list<std::int64_t> each) {
    Values values;
    for (const auto one : each) values.emplace_back(one << 20);
    return values;
}

const RegisteredBenchmark registered{
    {.benchmark = {.name = "convert/device/cast",
                   .summary = "cast numbers within the memory of one GPU",
                   .clock = Clock::device,
                   .parameters = {{"bytes", mebibytes({64, 1024})}, {"from", {"float"}}, {"to", {"bfloat16"}}},
                   .quick = {{"bytes", mebibytes({64})}},
                   .full = {{"bytes", mebibytes({64, 1024})}, {"from", every_type()}, {"to", every_type()}},
                   .needs = {.gpus = 1}},
     .set_up = set_up}};

}  // namespace
}  // namespace tocuda::measured::cast
