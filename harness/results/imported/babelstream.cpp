// tocuda, Apache-2.0.
// BabelStream --csv, 3.4 to 5.0 and later. Checked against its main.cpp of 3.4, 4.0 and 5.0, the table of a published
// run of 5.0 with an H100 NVL, and one of October 2026 with an H200.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "imported/tool_file.hpp"
#include "model/words.hpp"
#include "record/other_tools.hpp"

namespace tocuda::imported {
namespace {

// A row is the fastest of all runs but the first, by the host's clock: the number that BabelStream prints as its
// bandwidth, in which each array counts as often as it is read or written.
struct Kernel {
    std::string_view label;
    std::string_view name;
    int arrays;
};
constexpr std::array kernels{Kernel{"Copy", "copy", 2},   Kernel{"Mul", "mul", 2}, Kernel{"Add", "add", 3},
                             Kernel{"Triad", "triad", 3}, Kernel{"Dot", "dot", 2}, Kernel{"Nstream", "nstream", 4}};

struct Unit {
    std::string_view column;
    std::string_view words;
    double bytes;
};
constexpr std::array units{
    Unit{"max_mbytes_per_sec", "MB/s", 1e6},      Unit{"max_MB_per_sec", "MB/s", 1e6},
    Unit{"max_GB_per_sec", "GB/s", 1e9},          Unit{"max_TB_per_sec", "TB/s", 1e12},
    Unit{"max_mibytes_per_sec", "MiB/s", 0x1p20}, Unit{"max_MiB_per_sec", "MiB/s", 0x1p20},
    Unit{"max_GiB_per_sec", "GiB/s", 0x1p30},     Unit{"max_TiB_per_sec", "TiB/s", 0x1p40},
};

[[noreturn]] void refuse_line(std::size_t line, const std::string& what) {
    throw Unreadable(fmt::format(":{}", line), ": " + what);
}

[[noreturn]] void refuse_field(std::string_view column, const std::string& held, std::size_t line) {
    refuse_line(line, fmt::format("{}: a number above zero is expected, not '{}'", column, held));
}

class BabelstreamTable {
public:
    explicit BabelstreamTable(ToolFile& imported) : file(imported) {}

    void read(std::string_view line, std::size_t number, bool whole) {
        if (line.starts_with("Validation failed")) failure = line;
        if (line.starts_with(babelstream_column)) return read_header(line, number);
        if (!unit) return read_before(line);
        if (line.empty() || line.starts_with("Validation failed")) return;
        const auto fields = parts_of(line, ',');
        if (fields.size() == 8) return read_row(fields, number);
        if (whole) refuse_line(number, fmt::format("8 fields are expected, not {}", fields.size()));
        file.cut_off = true;
        file.rows.push_back(
            untimed("babelstream/rest", {}, Status::failed, fmt::format("the file was cut off in line {}", number)));
    }

    // It checks the arrays once, after all kernels.
    void finish() {
        if (failure.empty()) return;
        for (auto& row : file.rows) {
            if (row.samples.status != Status::ok) continue;
            row.samples.status = Status::wrong;
            row.samples.check = failure;
        }
    }

private:
    // "Using CUDA device NVIDIA H100 NVL", "Driver: 12050"; newer ones: "CUDA Device 0: \"NVIDIA H200\" 132 SMs(9,0)",
    // "CUDA Driver: 13000".
    void read_before(std::string_view line) {
        constexpr std::string_view device = "Using CUDA device ", newer_device = "CUDA Device ";
        constexpr std::string_view driver = "Driver: ", newer_driver = "CUDA Driver: ";
        if (line.starts_with(device)) name_gpu(line.substr(device.size()));
        if (line.starts_with(newer_device))
            if (const auto quoted = parts_of(line, '"'); quoted.size() == 3) name_gpu(quoted[1]);
        for (const auto label : {driver, newer_driver})
            if (line.starts_with(label))
                if (const auto version = whole_number(line.substr(label.size())))
                    file.driver_cuda = cuda_version(*version);
    }

    void name_gpu(std::string_view name) {
        gpu_at(file, 0);
        file.gpus[0].name = std::string(name);
        file.on_gpu = true;
    }

    void read_header(std::string_view line, std::size_t number) {
        const auto fields = parts_of(line, ',');
        const auto* found = fields.size() == 8 ? std::ranges::find(units, fields[4], &Unit::column) : units.end();
        if (found == units.end()) refuse_line(number, "the eight columns of --csv are expected");
        unit = found;
    }

    void read_row(const std::vector<std::string>& fields, std::size_t number) {
        const auto* kernel = std::ranges::find(kernels, fields[0], &Kernel::label);
        if (kernel == kernels.end()) refuse_line(number, "a kernel is expected, not '" + fields[0] + "'");
        if (whole_number(fields[1]).value_or(0) < 1) refuse_field("num_times", fields[1], number);
        const auto elements = whole_number(fields[2]);
        const auto size = whole_number(fields[3]);
        const auto rate = number_in(fields[4]);
        const auto fastest = number_in(fields[5]);
        if (size.value_or(0) < 1) refuse_field("sizeof", fields[3], number);
        if (elements.value_or(0) < 1 || *elements > (std::int64_t{1} << 50) / *size)
            refuse_field("n_elements", fields[2], number);
        if (!(rate.value_or(0) > 0)) refuse_field(unit->column, fields[4], number);
        if (!(fastest.value_or(0) > 0)) refuse_field("min_runtime", fields[5], number);
        const auto bytes = *elements * *size;
        const auto benchmark = "babelstream/" + std::string(kernel->name);
        Parameters parameters{{"bytes", bytes}, {"element_bytes", *size}};
        if (!is_rate_of(*rate * unit->bytes, static_cast<double>(kernel->arrays * bytes), *fastest)) {
            file.rows.push_back(untimed(benchmark, std::move(parameters), Status::invalid,
                                        fmt::format("{} does not match {} arrays x {:.6g} MB / min_runtime: is the "
                                                    "column's unit right?",
                                                    unit->column, kernel->arrays, static_cast<double>(bytes) / 1e6)));
            return;
        }
        auto row = timed(benchmark, std::move(parameters), Clock::host, *fastest,
                         {*rate, std::string(unit->words), "the fastest of all runs but the first"});
        row.samples.bytes_one_way = bytes;
        row.samples.bytes_touched = kernel->arrays * bytes;
        file.rows.push_back(std::move(row));
    }

    ToolFile& file;
    const Unit* unit = nullptr;
    std::string failure{};
};

template <class Each>
void for_each_line(std::string_view text, Each each) {
    std::size_t number = 0;
    while (!text.empty()) {
        const auto end = text.find('\n');
        auto line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        each(line, ++number, end != std::string_view::npos);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

}  // namespace

ToolFile read_babelstream(std::string_view text) {
    ToolFile file{.tool = "babelstream"};
    BabelstreamTable reader(file);
    for_each_line(text,
                  [&](std::string_view line, std::size_t number, bool whole) { reader.read(line, number, whole); });
    reader.finish();
    file.unavailable = {{"imported.version", "BabelStream's CSV does not say its version"},
                        {"time", "BabelStream's CSV has none"}};
    return file;
}

}  // namespace tocuda::imported
