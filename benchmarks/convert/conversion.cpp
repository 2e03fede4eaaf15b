// tocuda, Apache-2.0.
// The source is written once per type; the target is filled with guard bytes before each check.
#include "benchmarks/convert/conversion.hpp"

#include <algorithm>
#include <utility>

#include "measurement/check.hpp"
#include "measurement/parameter.hpp"
#include "measurement/room.hpp"

namespace tocuda {

Needed needed_beside(std::size_t host_times, std::size_t device_times) {
    return [=](const Parameters& set) -> Room {
        const auto times = [bytes = bytes_of(set)](std::size_t some) {
            return some > ~std::size_t{0} / 16 / std::max<std::size_t>(bytes, 1) ? ~std::size_t{0} / 16 : some * bytes;
        };
        return {.host_bytes = times(1 + host_times), .device_bytes = times(2 + device_times)};
    };
}

// A target is at most twice as large as its source.
Converting::Converting(const std::vector<Parameters>& sets, Needed needed)
    : fit(std::move(needed)), most(std::max<std::size_t>(1, fit.most_bytes(sets))), crew(usable_threads()),
      host(pinned_memory(most, cudaHostAllocMapped)), device(2 * most + 2 * guard_bytes) {}

std::string Converting::why_skipped(const Parameters& set) const {
    if (set.contains("from"))
        if (auto why = why_no_cast(set); !why.empty()) return why;
    return fit.why_skipped(set);
}

Conversion Converting::conversion_of(const Parameters& set) const {
    const auto types = types_of(set);
    return {.types = types, .count = bytes_of(set) / bytes_each(types.from)};
}

Trial Converting::trial(const Parameters& set) {
    const auto conversion = conversion_of(set);
    Trial trial{.bytes_one_way = static_cast<std::int64_t>(conversion.source_bytes()),
                .bytes_touched = static_cast<std::int64_t>(conversion.source_bytes() + conversion.target_bytes()),
                .compared = "every number, and " + std::to_string(guard_bytes) + " bytes before and after"};
    operate(trial, set, conversion);
    trial.differs = [this, conversion, call = std::get<Called>(trial.timing)] {
        return what_differs(conversion, call.operation);
    };
    return trial;
}

void Converting::fill(Number type) {
    if (written == static_cast<int>(type)) return;
    const auto wide = bytes_each(type);
    in_parts(crew, most / wide,
             [&](std::size_t place, std::size_t count) { write_numbers(type, source() + place * wide, place, count); });
    written = static_cast<int>(type);
}

std::string Converting::what_differs(const Conversion& conversion, const std::function<void()>& call) {
    fill(conversion.types.from);
    const auto bytes = conversion.target_bytes();
    require("cudaMemsetAsync",
            cudaMemsetAsync(device.get(), std::to_integer<int>(Guarded::guard), bytes + 2 * guard_bytes, stream.get()));
    stream.synchronize();
    call();
    if (auto wrong = wrong_numbers(crew, stream, conversion.types, target(), conversion.count); !wrong.empty())
        return wrong;
    if (first_unlike(stream, {device.get(), guard_bytes}, Guarded::guard))
        return "bytes before the target were overwritten";
    if (first_unlike(stream, {target() + bytes, guard_bytes}, Guarded::guard))
        return "bytes after the target were overwritten";
    return "";
}

Measurable conversion(std::string name, std::string summary, std::map<std::string, Values> more,
                      std::map<std::string, Values> more_full, std::map<std::string, Allowed> allowed,
                      MakeConverting make) {
    allowed["bytes"] = {.least = 8};  // a double
    more.try_emplace("bytes", Values{64 * mib, 256 * mib});
    more_full.try_emplace("bytes", Values{4 * kib, mib, 64 * mib, gib});
    if (more.contains("from")) {
        more_full["from"] = {"double", "float"};
        more_full["to"] = {"float", "half", "bfloat16", "float8_e4m3"};
    }
    return {.benchmark = {.name = "convert/host_to_device/" + std::move(name),
                          .summary = std::move(summary),
                          .clock = Clock::host,
                          .parameters = std::move(more),
                          .quick = {{"bytes", {}}},
                          .full = std::move(more_full),
                          .allowed = std::move(allowed),
                          .needs = {.gpus = 1},
                          .cost = {.bytes = Handling::to_gpu}},
            .set_up = std::move(make)};
}

}  // namespace tocuda
