// tocuda, Apache-2.0.
// nvbandwidth --json, 0.8 to 0.10. Checked against its json_output.cpp and testcases_*.cpp of 0.8, the JSON of a whole
// run in NVIDIA/DCGM (verboseFullOutput), the matrix of NVIDIA/nvbandwidth#50 (0.8) and a published run of 0.10.0.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "imported/tool_file.hpp"
#include "model/words.hpp"

namespace tocuda::imported {
namespace {

// A cell is the median (--useMean: the mean) of the trials of one copy: GB/s of 10^9 bytes, each byte counted once. The
// size of the copy (--bufferSize, by default 512 MiB) is not in the file: a row is the time of 10^9 bytes.
constexpr std::int64_t gigabyte = 1'000'000'000;

enum class Matrix { of_gpus, of_pairs };  // 1 x GPUs, or the GPU of the row with that of the column
enum class Cell { rate, latency };

struct Case {
    std::string_view name;
    Matrix matrix = Matrix::of_gpus;
    Cell cell = Cell::rate;
};

using enum Matrix;

// Bidirectional copies by copy engines count the measured direction alone; those between GPUs are three matrices, of
// which the last has the sum of both directions.
constexpr std::array cases{
    Case{"host_to_device_memcpy"},
    Case{"device_to_host_memcpy"},
    Case{"host_to_device_bidirectional_memcpy"},
    Case{"device_to_host_bidirectional_memcpy"},
    Case{"device_to_device_memcpy_read", of_pairs},
    Case{"device_to_device_memcpy_write", of_pairs},
    Case{"device_to_device_bidirectional_memcpy_read", of_pairs},
    Case{"device_to_device_bidirectional_memcpy_write", of_pairs},
    Case{"device_local_copy"},
    Case{"device_local_read"},   // since 0.10
    Case{"device_local_write"},  // since 0.10
    Case{"all_to_host_memcpy"},
    Case{"all_to_host_bidirectional_memcpy"},
    Case{"host_to_all_memcpy"},
    Case{"host_to_all_bidirectional_memcpy"},
    Case{"all_to_one_write"},
    Case{"all_to_one_read"},
    Case{"one_to_all_write"},
    Case{"one_to_all_read"},
    Case{"host_device_latency", of_gpus, Cell::latency},
    Case{"device_to_device_latency", of_pairs, Cell::latency},
};

// How a copy is done stands at the end of the name; tma since 0.10.
std::string_view without_way(std::string_view name) {
    for (const std::string_view way : {"_ce", "_sm", "_tma"})
        if (name.ends_with(way)) return name.substr(0, name.size() - way.size());
    return name;
}

const Case* case_of(std::string_view name) {
    const auto* found = std::ranges::find(cases, without_way(name), &Case::name);
    return found == cases.end() ? nullptr : found;
}

// "0: NVIDIA H100 80GB HBM3 (00000000:07:00): (node17)"
void read_gpu(ToolFile& file, std::string_view line) {
    const auto colon = line.find(": ");
    const auto host = line.rfind(": (");
    const auto place = line.rfind(" (", host == std::string_view::npos ? host : host - 1);
    const auto index = whole_number(line.substr(0, std::min(colon, line.size())));
    if (!index || host == std::string_view::npos || place == std::string_view::npos || place < colon ||
        !line.ends_with(')'))
        throw Unreadable("", ": INDEX: NAME (BUS ADDRESS): (HOST) is expected, not '" + std::string(line) + "'");
    auto& gpu = file.gpus[static_cast<int>(*index)];
    gpu.index = static_cast<int>(*index);
    gpu.name = std::string(line.substr(colon + 2, place - colon - 2));
    gpu.uuid = std::string(line.substr(place + 2, host - place - 3));
    const auto on = std::string(line.substr(host + 3, line.size() - host - 4));
    if (on.empty()) return;
    if (file.host && *file.host != on) {  // none is the host; GPUs of two may have one address
        file.host = "";
        *gpu.uuid += " of " + on;
    } else {
        file.host = on;
    }
}

class NvbandwidthCells {
public:
    NvbandwidthCells(ToolFile& imported, const Document& json) : file(imported), document(json) {}

    void read(const Object& of) {
        const auto name = text(of, "name");
        const auto status = text(of, "status");
        const auto error = text_if_any(of, "error").value_or("");
        const auto* known = case_of(name);
        const auto without = [&](Status as, const std::string& why) {
            file.rows.push_back(untimed("nvbandwidth/" + name, {}, as, why));
        };
        if (status != "Passed")
            return without(status == "Waived" ? Status::skipped : Status::failed,
                           "nvbandwidth says " + status + (error.empty() ? "" : ": " + error));
        if (!known) return without(Status::invalid, "what this test case counts is not known");
        const auto before = file.rows.size();
        total = 0;
        read_matrix(of, name, *known);
        const auto sum = number_if_any(of, "sum");
        if (!sum || document.cut_at() || !(std::abs(*sum - total) > rounding * total)) return;
        for (auto row = before; row < file.rows.size(); ++row)
            if (auto& cell = file.rows[row]; cell.samples.status == Status::ok)
                cell = without_value(cell, fmt::format("the cells add up to {:.6g}, but `sum` is {:.6g}", total, *sum));
    }

private:
    static constexpr double rounding = 0.01;

    static MeasurementRow without_value(const MeasurementRow& row, const std::string& why) {
        auto made = untimed(row.benchmark, row.samples.parameters, Status::invalid, why);
        made.samples.gpu = row.samples.gpu;
        made.samples.peer = row.samples.peer;
        return made;
    }

    void read_matrix(const Object& of, const std::string& name, const Case& known) {
        std::size_t rows = 0;
        if (const auto matrix = find(of, "bandwidth_matrix"); matrix && matrix->is_array())
            rows = simdjson::dom::array(*matrix).size();
        each(document, of, "bandwidth_matrix", [&](const Element& line, std::size_t row) {
            simdjson::dom::array cells;
            if (line.get(cells) != simdjson::SUCCESS) throw Unreadable("", ": a list is expected");
            Parameters parameters;
            if (known.matrix == of_pairs && rows == 3 * cells.size()) {
                constexpr std::array directions{"first", "second", "both"};
                parameters["direction"] = directions.at(row / cells.size());
            }
            // The sum is that of the last of three matrices.
            if (cells.size() > 0 && row % cells.size() == 0 && known.matrix == of_pairs) total = 0;
            std::size_t column = 0;
            for (const Element cell : cells) {
                std::string_view held;
                if (cell.get(held) != simdjson::SUCCESS)
                    throw Unreadable(fmt::format("[{}]", column), ": a text is expected");
                total += number_in(held).value_or(0);
                const auto of_row = static_cast<int>(cells.size() == 0 ? 0 : row % cells.size());
                add(name, known, parameters, of_row, static_cast<int>(column++), held);
            }
        });
    }

    void add(const std::string& name, const Case& known, const Parameters& parameters, int row, int column,
             std::string_view cell) {
        if (known.matrix == of_pairs && row == column) return;  // a GPU is not its own peer
        auto made = row_of("nvbandwidth/" + name, known, parameters, column, cell);
        made.samples.gpu = gpu_at(file, known.matrix == of_pairs ? row : column);
        if (known.matrix == of_pairs) made.samples.peer = gpu_at(file, column);
        file.rows.push_back(std::move(made));
    }

    static MeasurementRow row_of(const std::string& benchmark, const Case& known, const Parameters& parameters,
                                 int column, std::string_view cell) {
        if (cell == "N/A") return untimed(benchmark, parameters, Status::skipped, "nvbandwidth says N/A");
        const auto value = number_in(cell);
        if (!value)
            throw Unreadable(fmt::format("[{}]", column),
                             ": a number or N/A is expected, not '" + std::string(cell) + "'");
        const std::string is = "median of its trials (with --useMean their mean)";
        if (*value <= 0)
            return untimed(benchmark, parameters, Status::invalid, "nvbandwidth says " + std::string(cell));
        if (known.cell == Cell::latency)
            return timed(benchmark, parameters, Clock::device, *value * 1e-9, {*value, "ns", is});
        auto row = timed(benchmark, parameters, Clock::device, 1 / *value, {*value, "GB/s", is});
        row.samples.bytes_one_way = gigabyte;
        return row;
    }

    ToolFile& file;
    const Document& document;
    double total = 0;  // of the cells of a matrix
};

void check_version(const std::string& version) {
    constexpr std::array read{"0.8", "0.9", "0.10"};
    const auto number = std::string_view(version).substr(version.starts_with('v') ? 1 : 0);
    const auto is = [&](std::string_view one) {
        return number.starts_with(one) && (number.size() == one.size() || number[one.size()] == '.');
    };
    if (std::ranges::none_of(read, is)) throw Unreadable("version", ": 0.8 to 0.10 is expected, not " + version);
}

}  // namespace

ToolFile read_nvbandwidth(const Document& document) {
    ToolFile file{.tool = "nvbandwidth", .on_gpu = true, .clock = Clock::device};
    inside(document.root(), "nvbandwidth", [&](const Object& of) {
        file.version = text_if_any(of, "version");  // the last of its keys, so that a file that was cut off has none
        if (file.version) check_version(*file.version);
        else if (!document.cut_at()) text(of, "version");
        file.driver = text_if_any(of, "Driver Version");
        if (const auto runtime = whole_if_any(of, "CUDA Runtime Version")) file.cuda_runtime = cuda_version(*runtime);
        if (find(of, "GPU Device list"))
            each(document, of, "GPU Device list", [&](const Element& one, std::size_t) {
                std::string_view line;
                if (one.get(line) != simdjson::SUCCESS) throw Unreadable("", ": a text is expected");
                read_gpu(file, line);
            });
        if (const auto error = text_if_any(of, "error"))
            file.rows.push_back(untimed("nvbandwidth/run", {}, Status::failed, *error));
        NvbandwidthCells reader(file, document);
        each(document, of, "testcases", [&](const Element& one, std::size_t) { reader.read(object_in(one)); });
    });
    file.unavailable = {
        {"time", "nvbandwidth's JSON has none"},
        {"rows[].bytes", "nvbandwidth's JSON does not say how much was copied: times are of 10^9 bytes"}};
    return file;
}

}  // namespace tocuda::imported
