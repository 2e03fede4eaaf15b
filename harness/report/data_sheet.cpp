// tocuda, Apache-2.0.
// The data sheet of a machine: what one run measured of it, beside what is published of its GPU.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "model/parameter_text.hpp"
#include "report/parts.hpp"
#include "report/rows.hpp"
#include "terminal/quantities.hpp"

namespace tocuda::page {
namespace {

// A run that measured fewer lines than this is about something else than the machine.
constexpr std::size_t fewest_lines = 12;

enum class Size { any, smallest, middle, largest };

struct Line {
    const char* group;
    const char* what;
    const char* benchmark;
    const char* having;       // parameters that a row must have, as text: "what=submit memory=pinned"
    Size size;                // of several such rows
    const char* figure;       // of a profile, by which it is judged; empty: none is published
    bool as_touched = false;  // bytes read and written count; otherwise each byte once
};

constexpr const char* memory_rate = "memory_bytes_per_second";

constexpr Line sheet_lines[] = {
    {"GPU memory", "copy, read and written", "copy/device_to_device/best", "cache=resident", Size::largest, memory_rate,
     true},
    {"GPU memory", "read", "memory/read", "cache=resident", Size::largest, memory_rate, true},
    {"GPU memory", "write", "memory/write", "hint=plain cache=resident", Size::largest, memory_rate, true},
    {"GPU memory", "triad", "memory/triad", "cache=resident", Size::largest, memory_rate, true},
    {"GPU memory", "copy, for a minute", "sustained/device_to_device", "by=kernel", Size::any, memory_rate, true},
    {"all multiprocessors read", "64 KiB in use", "curve/read", "bytes=65536 on=gpu state=resident", Size::any, "",
     true},
    {"all multiprocessors read", "16 MiB in use", "curve/read", "bytes=16777216 on=gpu state=resident", Size::any, "",
     true},
    {"all multiprocessors read", "4 GiB in use", "curve/read", "bytes=4294967296 on=gpu state=resident", Size::any,
     memory_rate, true},
    {"one multiprocessor reads", "16 KiB in use", "curve/read", "bytes=16384 on=one state=resident", Size::any, "",
     true},
    {"one multiprocessor reads", "1 MiB in use", "curve/read", "bytes=1048576 on=one state=resident", Size::any, "",
     true},
    {"one multiprocessor reads", "1 GiB in use", "curve/read", "bytes=1073741824 on=one state=resident", Size::any, "",
     true},
    {"link", "to the GPU, pinned", "copy/host_to_device/pinned", "", Size::largest, "host_to_device_bytes_per_second"},
    {"link", "to the host, pinned", "copy/device_to_host/pinned", "", Size::largest, "device_to_host_bytes_per_second"},
    {"link", "both ways at once, pinned", "copy/both_ways/pinned", "timed=host_to_device", Size::largest, ""},
    {"link", "to the GPU, pageable", "copy/host_to_device/pageable", "pages=touched", Size::largest, ""},
    {"link", "to the host, pageable", "copy/device_to_host/pageable", "pages=touched", Size::largest, ""},
    {"link", "to the GPU, staged by tocuda", "copy/host_to_device/staged", "chunk=0 pages=touched threads=0",
     Size::largest, ""},
    {"link", "to another GPU", "pairs/copy", "by=engine ways=one", Size::largest, "peer_bytes_per_second"},
    {"link", "a small copy to the GPU, pinned", "copy/host_to_device/pinned", "", Size::smallest, ""},
    {"one load", "few lines in use", "latency/device", "", Size::smallest, "l1_latency_ns"},
    {"one load", "more lines in use", "latency/device", "", Size::middle, ""},
    {"one load", "from L2, nearest multiprocessor", "latency/l2_distance", "percentile=0", Size::any, "l2_latency_ns"},
    {"one load", "from L2, farthest multiprocessor", "latency/l2_distance", "percentile=100", Size::any, ""},
    {"one load", "from memory", "latency/device", "", Size::largest, "memory_latency_ns"},
    {"one load", "from the host's memory", "latency/host", "", Size::largest, "host_latency_ns"},
    {"one load", "from another GPU's memory", "pairs/latency", "", Size::largest, "peer_latency_ns"},
    {"call", "launch an empty kernel", "calls/launch", "what=submit", Size::any, ""},
    {"call", "launch it and see its end", "calls/launch", "what=completion", Size::any, ""},
    {"call", "each of many launches", "calls/launch_rate", "blocks=1", Size::any, ""},
    {"call", "launch and synchronise, spinning", "calls/synchronise", "wait=spin stream=one_kernel", Size::any, ""},
    {"call", "launch and synchronise, blocking", "calls/synchronise", "wait=blocking stream=one_kernel", Size::any, ""},
    {"call", "launch a graph of 100 kernels", "calls/graph_launch", "nodes=100 what=submit", Size::any, ""},
    {"call", "copy one byte to the GPU, pinned", "calls/copy_one_byte", "memory=pinned to=gpu what=completion",
     Size::any, ""},
    {"call", "cudaMalloc", "allocate/device", "step=take", Size::largest, ""},
    {"call", "cudaMallocAsync and free, warm pool", "allocate/pool", "pool=warm step=both", Size::largest, ""},
    {"call", "page-lock touched memory", "allocate/register", "step=take pages=touched", Size::largest, ""},
    {"file", "read through a ring, page cache warm", "load/file", "by=read_ring cache=warm threads=8 place=TMPDIR",
     Size::largest, ""},
    {"file", "read through a ring, page cache cold", "load/file", "by=read_ring cache=cold threads=8 place=TMPDIR",
     Size::largest, ""},
    {"file", "mapped, page cache warm", "load/file", "by=mapped cache=warm place=TMPDIR", Size::largest, ""},
    {"file", "mapped, page cache cold", "load/file", "by=mapped cache=cold place=TMPDIR", Size::largest, ""},
    {"program", "start until the first kernel has run", "start/first_byte", "until=first_kernel loading=LAZY",
     Size::any, ""},
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

// `gpu`: rows of another GPU are left out.
const RowSummary* row_for(const Line& line, const std::vector<RowSummary>& rows, const std::string& gpu) {
    RowList found;
    for (const auto& row : rows)
        if (row.benchmark == line.benchmark && has_value(row) && (row.gpu.empty() || row.gpu == gpu) &&
            has(row.parameters, line.having))
            found.push_back(&row);
    if (found.empty()) return nullptr;
    if (line.size == Size::any) return found.front();
    std::ranges::stable_sort(found, {}, [](const RowSummary* row) { return size_of(*row).value_or(0); });
    if (line.size == Size::smallest) return found.front();
    if (line.size == Size::middle) return found.size() < 3 ? nullptr : found[found.size() / 2];
    const auto largest = size_of(*found.back());
    return *std::ranges::find_if(found, [&](const RowSummary* row) { return size_of(*row) == largest; });
}

std::string gpu_described(const RecordedRun& run) {
    for (const auto& row : run.measured.rows)
        if (has_value(row) && !row.gpu.empty()) return row.gpu;
    return "";
}

// What a profile says, and where that is published; empty if it says nothing.
struct Figure {
    double value = 0;
    std::string source{};
};

std::optional<Figure> figure_of(const std::optional<GpuProfile>& profile, const std::string& name) {
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

class Sheet {
public:
    Sheet(const Report& report, const RecordedRun& run) : about(&run), profile(&report.published) {
        const auto gpu = gpu_described(run);
        for (const auto& line : sheet_lines)
            if (const auto* row = row_for(line, run.measured.rows, gpu)) add(line, *row);
        add_taxes(run.measured.taxes, gpu);
    }

    std::size_t count() const { return table.rows.size(); }

    Html written(Figures& figures) const {
        std::vector<std::string> words{
            "Medians over processes, with their 95 % intervals. A rate counts each byte once, or reading and writing "
            "where it says so. A share is of what is published, and left out where the cache holds part of the data."};
        for (const auto& [source, values] : sources)
            words.push_back(fmt::format("Published {}: {}.", fmt::join(values, ", "), source));
        return figures.open_table("Measured and published", words, table, about->about.run);
    }

private:
    void add(const Line& line, const RowSummary& row) {
        const bool rate = row.bytes_one_way > 0 && !is_time(line);
        const Quantity quantity{rate, line.as_touched ? Counted::touched : Counted::one_way};
        const auto text = [&](double value) { return value_text(quantity.unit(), value); };
        const auto interval = quantity.interval_of(row);
        std::string published, share;
        if (const auto figure = figure_of(*profile, line.figure)) {
            const double value = rate ? figure->value : figure->value * 1e-9;
            published = text(value);
            if (rate && !is_partly_cached(row.peak)) share = fmt::format("{:.1f} %", 100 * quantity.of(row) / value);
            sources[figure->source].insert(published);
        }
        table.rows.push_back({line.group, line.what, text(quantity.of(row)), interval_text(interval, rate), published,
                              share, row.benchmark + " " + named_values(row.parameters)});
    }

    // Of the smallest and the largest size.
    void add_taxes(const std::vector<FrameworkTax>& taxes, const std::string& gpu) {
        std::vector<const FrameworkTax*> found;
        for (const auto& tax : taxes)
            if (tax.benchmark == "framework/to" && tax.gpu == gpu) found.push_back(&tax);
        if (found.empty()) return;
        const auto [least, most] = std::ranges::minmax_element(found, {}, &FrameworkTax::bytes_one_way);
        add(**least);
        if (most != least) add(**most);
    }

    void add(const FrameworkTax& tax) {
        const auto range = tax.ratio_interval
                               ? fmt::format("{:.3f} to {:.3f}", tax.ratio_interval->low, tax.ratio_interval->high)
                               : "";
        table.rows.push_back({"LibTorch", "to(cuda), times the runtime's own time", fmt::format("{:.3f}", tax.ratio),
                              range, "", "", tax.benchmark + " " + named_values(tax.parameters)});
    }

    static std::string interval_text(const std::optional<Range>& interval, bool rate) {
        if (!interval) return "";
        if (interval->low == interval->high) return "exact";
        const auto text = rate ? gigabytes_text : seconds_text;
        return text(interval->low) + " to " + text(interval->high);
    }

    static bool is_time(const Line& line) {
        const std::string_view group = line.group;
        return group == "call" || group == "one load" || group == "program" || line.size == Size::smallest;
    }

    const RecordedRun* about;
    const std::optional<GpuProfile>* profile;
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
