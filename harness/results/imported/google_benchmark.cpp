// tocuda, Apache-2.0.
// Google Benchmark --benchmark_format=json. Checked against what version 1.7.1 writes, and a published run of
// cras_bench.
#include <array>
#include <cmath>
#include <map>

#include "imported/tool_file.hpp"

namespace tocuda::imported {
namespace {

// A sample is the mean real time of the iterations of one repetition, by the host's clock. Repetitions are of one
// process. Where only aggregates were written, their median stands for it, or else their mean.
struct TimeUnit {
    std::string_view name;
    double seconds;
};

constexpr std::array time_units{TimeUnit{"ns", 1e-9}, TimeUnit{"us", 1e-6}, TimeUnit{"ms", 1e-3}, TimeUnit{"s", 1}};

double seconds_of(const std::string& name) {
    for (const auto& unit : time_units)
        if (unit.name == name) return unit.seconds;
    expect("time_unit", "ns, us, ms or s");
}

bool flag(const Object& of, std::string_view name) {
    const auto found = find(of, name);
    bool is = false;
    return found && found->get(is) == simdjson::SUCCESS && is;
}

// Bytes are counted against the CPU's time unless the name says that another counts.
std::int64_t bytes_of(const Object& of, const std::string& name, double unit) {
    const auto rate = number_if_any(of, "bytes_per_second");
    if (!rate || whole_if_any(of, "threads").value_or(1) > 1) return 0;
    const bool real = name.find("/real_time") != std::string::npos || name.find("/manual_time") != std::string::npos;
    const auto bytes = std::round(*rate * number(of, real ? "real_time" : "cpu_time") * unit);
    return bytes >= 0 && bytes < 0x1p62 ? static_cast<std::int64_t>(bytes) : 0;
}

MeasurementRow row_of(const Object& of, const std::string& name, const std::string& is) {
    const auto benchmark = "google-benchmark/" + name;
    Parameters parameters;
    if (const auto threads = whole_if_any(of, "threads").value_or(1); threads > 1) parameters["threads"] = threads;
    if (flag(of, "error_occurred"))
        return untimed(benchmark, parameters, Status::failed, text_if_any(of, "error_message").value_or("no reason"));
    if (flag(of, "skipped"))
        return untimed(benchmark, parameters, Status::skipped, text_if_any(of, "skip_message").value_or("no reason"));
    const auto unit_name = text(of, "time_unit");
    const auto unit = seconds_of(unit_name);
    const auto value = number(of, "real_time");
    if (!(value > 0)) return untimed(benchmark, parameters, Status::invalid, "its real_time is not above 0");
    auto row = timed(benchmark, parameters, Clock::host, value * unit, {value, unit_name, is});
    row.samples.batch = whole_if_any(of, "iterations").value_or(1);
    if (row.samples.batch < 1) row.samples.batch = 1;
    row.samples.bytes_one_way = bytes_of(of, name, unit);
    return row;
}

// Takes `_mean` off "BM_Copy_mean", and gives "mean": before version 1.5 only the name tells an aggregate.
std::optional<std::string> take_aggregate_off(std::string& name) {
    for (const std::string is : {"mean", "median", "stddev", "cv"})
        if (name.ends_with("_" + is)) {
            name.resize(name.size() - is.size() - 1);
            return is;
        }
    return std::nullopt;
}

class Repetitions {
public:
    explicit Repetitions(ToolFile& imported) : file(imported) {}

    void read(const Object& of) {
        auto name = text_if_any(of, "run_name").value_or(text(of, "name"));
        auto aggregate = text_if_any(of, "aggregate_name");
        if (!aggregate) aggregate = aggregate_named(name, text_if_any(of, "run_type"));
        if (!aggregate) {
            has_repetitions[name] = true;
            file.rows.push_back(row_of(of, name, "mean of its iterations"));
        } else if (*aggregate == "median" || (*aggregate == "mean" && !aggregates.contains(name))) {
            aggregates.insert_or_assign(name, row_of(of, name, *aggregate + " of its repetitions"));
        }
    }

    void finish() {
        for (auto& [name, row] : aggregates)
            if (!has_repetitions.contains(name)) file.rows.push_back(std::move(row));
    }

private:
    // Without a type, a name is one of an aggregate only if it is another's with a suffix.
    std::optional<std::string> aggregate_named(std::string& name, const std::optional<std::string>& type) const {
        if (type && type != "aggregate") return std::nullopt;
        auto plain = name;
        auto is = take_aggregate_off(plain);
        if (!type && !has_repetitions.contains(plain)) return std::nullopt;
        if (is) name = plain;
        return is ? is : type ? std::optional<std::string>("mean") : std::nullopt;
    }

    ToolFile& file;
    std::map<std::string, bool> has_repetitions{};
    std::map<std::string, MeasurementRow> aggregates{};
};

}  // namespace

ToolFile read_google_benchmark(const Document& document) {
    ToolFile file{.tool = "google-benchmark"};
    inside(document.root(), "context", [&](const Object& of) {
        file.version = text_if_any(of, "library_version");
        file.host = text_if_any(of, "host_name");
        file.time = text_if_any(of, "date");
        if (const auto schema = whole_if_any(of, "json_schema_version"); schema && *schema != 1)
            expect("json_schema_version", "1");
    });
    Repetitions reader(file);
    each(document, document.root(), "benchmarks",
         [&](const Element& one, std::size_t) { reader.read(object_in(one)); });
    reader.finish();
    if (!file.version)
        file.unavailable.push_back({"imported.version", "this Google Benchmark did not write its version"});
    return file;
}

}  // namespace tocuda::imported
