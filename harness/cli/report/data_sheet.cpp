// tocuda, Apache-2.0.
// The data sheet of a machine: what one run measured of it, beside what is published of its GPU.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "model/parameter_text.hpp"
#include "printing/bench_table.hpp"
#include "report/parts.hpp"
#include "report/rows.hpp"
#include "terminal/quantities.hpp"

namespace tocuda::page {
namespace {

// A run that measured fewer lines than this is about something else than the machine.
constexpr std::size_t fewest_lines = 12;

// What is shown of a row: bytes a second, each counted once or as read and written, or the time of an operation.
enum class As { rate, rate_touched, time };

struct Line {
    const char* group;
    const char* what;
    const char* benchmark;
    const char* having;  // parameters that a row must have, as text: "what=submit memory=pinned"
    As as;
    const char* figure = "";  // of a profile, by which it is judged; empty: none is published
};

constexpr const char* memory_rate = "memory_bytes_per_second";

constexpr Line sheet_lines[] = {
    {"GPU memory", "copy, read and written", "copy/device_to_device/best", "cache=resident", As::rate_touched,
     memory_rate},
    {"GPU memory", "read", "memory/read", "cache=resident", As::rate_touched, memory_rate},
    {"GPU memory", "write", "memory/write", "hint=plain cache=resident", As::rate_touched, memory_rate},
    {"GPU memory", "triad", "memory/triad", "cache=resident", As::rate_touched, memory_rate},
    {"GPU memory", "copy for a minute, read and written", "sustained/device_to_device", "by=kernel", As::rate_touched,
     memory_rate},
    {"all multiprocessors read", "64 KiB in use", "curve/read", "bytes=65536 on=gpu state=resident", As::rate_touched},
    {"all multiprocessors read", "16 MiB in use", "curve/read", "bytes=16777216 on=gpu state=resident",
     As::rate_touched},
    {"all multiprocessors read", "4 GiB in use", "curve/read", "bytes=4294967296 on=gpu state=resident",
     As::rate_touched, memory_rate},
    {"one multiprocessor reads", "16 KiB in use", "curve/read", "bytes=16384 on=one state=resident", As::rate_touched},
    {"one multiprocessor reads", "1 MiB in use", "curve/read", "bytes=1048576 on=one state=resident", As::rate_touched},
    {"one multiprocessor reads", "1 GiB in use", "curve/read", "bytes=1073741824 on=one state=resident",
     As::rate_touched},
    {"link", "to the GPU, pinned", "copy/host_to_device/pinned", "", As::rate, "host_to_device_bytes_per_second"},
    {"link", "to the host, pinned", "copy/device_to_host/pinned", "", As::rate, "device_to_host_bytes_per_second"},
    {"link", "both ways at once, pinned", "copy/both_ways/pinned", "timed=host_to_device", As::rate},
    {"link", "to the GPU, pageable", "copy/host_to_device/pageable", "pages=touched", As::rate},
    {"link", "to the host, pageable", "copy/device_to_host/pageable", "pages=touched", As::rate},
    {"link", "to the GPU, staged by tocuda", "copy/host_to_device/staged", "chunk=0 pages=touched threads=0", As::rate},
    {"link", "to another GPU", "pairs/copy", "access=on by=engine ways=one", As::rate, "peer_bytes_per_second"},
    {"link", "4 KiB to the GPU, pinned", "copy/host_to_device/pinned", "bytes=4096", As::time},
    {"one load", "4 KiB in use", "latency/device", "bytes=4096", As::time, "l1_latency_ns"},
    {"one load", "4 MiB in use", "latency/device", "bytes=4194304", As::time},
    {"one load", "from L2, nearest multiprocessor", "latency/l2_distance", "percentile=0", As::time, "l2_latency_ns"},
    {"one load", "from L2, farthest multiprocessor", "latency/l2_distance", "percentile=100", As::time},
    {"one load", "4 GiB in use", "latency/device", "bytes=4294967296", As::time, "memory_latency_ns"},
    {"one load", "from the host's memory", "latency/host", "", As::time, "host_latency_ns"},
    {"one load", "from another GPU's memory", "pairs/latency", "", As::time, "peer_latency_ns"},
    {"call", "launch an empty kernel", "calls/launch", "arguments=16 what=submit", As::time},
    {"call", "launch it and see its end", "calls/launch", "arguments=16 what=completion", As::time},
    {"call", "each of many launches", "calls/launch_rate", "blocks=1", As::time},
    {"call", "launch and synchronise, spinning", "calls/synchronise", "wait=spin stream=one_kernel", As::time},
    {"call", "launch and synchronise, blocking", "calls/synchronise", "wait=blocking stream=one_kernel", As::time},
    {"call", "launch a graph of 100 kernels", "calls/graph_launch", "node=kernel nodes=100 what=submit", As::time},
    {"call", "copy one byte to the GPU, pinned", "calls/copy_one_byte", "memory=pinned to=gpu what=completion",
     As::time},
    {"call", "cudaMalloc", "allocate/device", "step=take", As::time},
    {"call", "cudaMallocAsync and free, warm pool", "allocate/pool", "pool=warm step=both", As::time},
    {"call", "page-lock touched memory", "allocate/register", "step=take pages=touched", As::time},
    {"file", "read through a ring, page cache warm", "load/file", "by=read_ring cache=warm threads=8 place=TMPDIR",
     As::rate},
    {"file", "read through a ring, page cache cold", "load/file", "by=read_ring cache=cold threads=8 place=TMPDIR",
     As::rate},
    {"file", "mapped, page cache warm", "load/file", "by=mapped cache=warm place=TMPDIR", As::rate},
    {"file", "mapped, page cache cold", "load/file", "by=mapped cache=cold place=TMPDIR", As::rate},
    {"program", "start until the first kernel has run", "start/first_byte", "until=first_kernel loading=LAZY",
     As::time},
};

bool has(const Parameters& parameters, std::string_view wanted) {
    for (std::size_t at = 0; at < wanted.size();) {
        const auto end = std::min(wanted.find(' ', at), wanted.size());
        const auto word = wanted.substr(at, end - at);
        const auto equals = word.find('=');
        const auto found = parameters.find(std::string(word.substr(0, equals)));
        if (found == parameters.end() || plain(found->second) != word.substr(equals + 1)) return false;
        at = end + 1;
    }
    return true;
}

// A row and how many there are of other GPUs, which are not slower.
struct Slowest {
    const RowSummary* row = nullptr;
    int of = 0;
};

// Of several rows those with the most bytes. If these differ only in their GPUs, the slowest; otherwise the one whose
// parameters are the first in order.
Slowest row_for(const Line& line, const std::vector<RowSummary>& rows) {
    const auto rank = [](const RowSummary& row) {
        auto others = row.parameters;
        others.erase("from");
        others.erase("to");
        return std::pair(-size_of(row).value_or(0), plain(others));
    };
    const auto slowness = [](const RowSummary& row) { return std::tuple(-*row.median_seconds, row.gpu, row.id); };
    Slowest found;
    for (const auto& row : rows) {
        if (row.benchmark != line.benchmark || !has_value(row) || !has(row.parameters, line.having)) continue;
        const bool is_same = found.row && rank(row) == rank(*found.row);
        if (!found.row || rank(row) < rank(*found.row)) found = {&row, 1};
        else if (is_same) found = {slowness(row) < slowness(*found.row) ? &row : found.row, found.of + 1};
    }
    return found;
}

std::string gpus_of(const RowSummary& row, const RunLine& run) {
    const auto from = whole_if_any(row.parameters, "from");
    const auto to = whole_if_any(row.parameters, "to");
    return from && to ? fmt::format("{} to {}", *from, *to) : gpu_place(run, row.gpu);
}

// What a profile says, and where that is published; empty if it says nothing.
struct Figure {
    double value = 0;
    std::string source{};
};

std::optional<Figure> figure_of(const GpuProfile* profile, const std::string& name) {
    if (!profile || name.empty()) return std::nullopt;
    const auto& known = profile->figures;
    if (std::ranges::find(known, name) == known.end()) return std::nullopt;
    Figure figure;
    for (const auto& field : gpu_figures)
        if (field.name == name) figure.value = static_cast<double>(profile->gpu.*field.member);
    for (const auto& source : profile->sources)
        if (std::ranges::find(source.figures, name) != source.figures.end()) figure.source = source.document;
    return figure;
}

// The profile of the GPU with this UUID; nullptr if there is none.
const GpuProfile* profile_of(const Report& report, const RecordedRun& run, const std::string& uuid) {
    for (const auto& gpu : run.about.gpus) {
        if (gpu.uuid != uuid || !gpu.name) continue;
        const auto found = report.published.find(*gpu.name);
        return found == report.published.end() ? nullptr : &found->second;
    }
    return nullptr;
}

class Sheet {
public:
    Sheet(const Report& all, const RecordedRun& one) : report(all), run(one) {
        for (const auto& line : sheet_lines)
            if (const auto slowest = row_for(line, run.measured.rows); slowest.row) add(line, slowest);
        add_taxes(run.measured.taxes);
    }

    std::size_t count() const { return table.rows.size(); }

    Html written(Figures& figures) const {
        std::vector<std::string> words{
            "Medians over processes, with their 95 % intervals. A rate counts each byte once, or reading and writing "
            "where it says so. Of several GPUs, or pairs of them, the slowest is shown. A share is of what is "
            "published, and left out where the cache holds part of the data."};
        for (const auto& [source, values] : sources)
            words.push_back(fmt::format("Published {}: {}.", fmt::join(values, ", "), source));
        return figures.open_table("Measured and published", words, table, run.about.run);
    }

private:
    void add(const Line& line, const Slowest& slowest) {
        const auto& row = *slowest.row;
        const bool rate = line.as != As::time;
        const Quantity quantity{rate, line.as == As::rate_touched ? Counted::touched : Counted::one_way};
        const auto text = [&](double value) { return value_text(quantity.unit(), value); };
        const auto interval = quantity.interval_of(row);
        std::string published, share;
        if (const auto figure = figure_of(profile_of(report, run, row.gpu), line.figure)) {
            const double value = rate ? figure->value : figure->value * 1e-9;
            published = text(value);
            if (rate && !is_partly_cached(row.peak)) share = fmt::format("{:.1f} %", 100 * quantity.of(row) / value);
            sources[figure->source].insert(published);
        }
        const auto of = slowest.of == 1 ? "" : fmt::format(", slowest of {}: {}", slowest.of, gpus_of(row, run.about));
        table.rows.push_back({line.group, line.what + of, text(quantity.of(row)), interval_text(row, interval, rate),
                              published, share, row.benchmark + " " + named_values(row.parameters)});
    }

    // Of the smallest and the largest size; of several GPUs, where LibTorch costs most.
    void add_taxes(std::vector<FrameworkTax> taxes) {
        std::erase_if(taxes, [](const FrameworkTax& tax) { return tax.benchmark != "framework/to"; });
        if (taxes.empty()) return;
        std::ranges::sort(taxes, {}, [](const auto& tax) { return std::pair(tax.bytes_one_way, -tax.ratio); });
        const auto largest = std::ranges::find(taxes, taxes.back().bytes_one_way, &FrameworkTax::bytes_one_way);
        add(taxes.front());
        if (largest != taxes.begin()) add(*largest);
    }

    void add(const FrameworkTax& tax) {
        const auto range = tax.ratio_interval
                               ? fmt::format("{:.3f} to {:.3f}", tax.ratio_interval->low, tax.ratio_interval->high)
                               : "";
        table.rows.push_back({"LibTorch", "to(cuda), times the runtime's own time", fmt::format("{:.3f}", tax.ratio),
                              range, "", "", tax.benchmark + " " + named_values(tax.parameters)});
    }

    static std::string interval_text(const RowSummary& row, const std::optional<Range>& interval, bool rate) {
        if (is_exact(row)) return "exact";
        if (!interval) return "";
        const auto text = rate ? gigabytes_text : seconds_text;
        return text(interval->low) + " to " + text(interval->high);
    }

    const Report& report;
    const RecordedRun& run;
    std::map<std::string, std::set<std::string>> sources{};  // the figures of each
    Table table{
        "What was measured of this machine, and what is published of its GPU",
        {{"of", false}, {"what", false}, {"measured"}, {"95 %"}, {"published"}, {"share"}, {"measured by", false}},
        {}};
};

}  // namespace

Html data_sheet_part(const Report& report, Figures& figures, const Redaction& redaction) {
    Html html(redaction);
    if (report.fleet) return html;  // it describes many machines
    for (auto run = report.runs.rbegin(); run != report.runs.rend(); ++run) {
        const Sheet sheet(report, *run);
        if (sheet.count() < fewest_lines) continue;
        html.add("{}", sheet.written(figures));
        break;
    }
    return html;
}

}  // namespace tocuda::page
