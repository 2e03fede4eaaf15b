// tocuda, Apache-2.0.
// nccl-tests -J, versions 1 to 3 of its JSON (2.19.6 writes 3). Checked against its util.cu and *.cu, and the table of
// a published run of all_reduce_perf on 16 H100.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "imported/tool_file.hpp"

namespace tocuda::imported {
namespace {

// A row is the mean of all iterations by the host's clock, over the ranks as -a says (by default their mean). `size` is
// the payload: what the algorithm bandwidth counts. With -I also each iteration, by the device's clock.
constexpr std::array collectives{"all_reduce", "all_gather",     "alltoall", "broadcast", "gather",
                                 "reduce",     "reduce_scatter", "scatter",  "sendrecv"};
// These count other bytes than `size`, so they have a time only.
constexpr std::array without_rate{"alltoallv", "hypercube"};

// ".../all_reduce_perf" or "all_reduce_perf_mpi"
std::string collective_of(const std::string& program) {
    auto name = program.substr(program.rfind('/') + 1);
    return name.substr(0, std::min(name.find("_perf"), name.size()));
}

struct Place {
    const char* field;
    const char* per_iteration;
    const char* name;
};
constexpr std::array places{Place{"out_of_place", "out_of_place_per_iter", "out"},
                            Place{"in_place", "in_place_per_iter", "in"}};

class NcclResults {
public:
    NcclResults(ToolFile& imported, const Document& json, std::string collective_name, std::int64_t rank_count)
        : file(imported), document(json), collective(std::move(collective_name)), ranks(rank_count) {}

    void read(const Object& of) {
        Parameters parameters{{"bytes", whole(of, "size")}, {"type", text(of, "type")}, {"ranks", ranks}};
        if (const auto redop = text(of, "redop"); redop != "none") parameters["redop"] = redop;
        auto root = text(of, "root");
        root.erase(0, std::min(root.find_first_not_of(' '), root.size()));
        if (root != "-1") parameters["root"] = root;
        for (const auto& place : places) {
            parameters["place"] = place.name;
            read_place(of, place, parameters);
        }
    }

private:
    void read_place(const Object& of, const Place& place, const Parameters& parameters) {
        const auto benchmark = "nccl-tests/" + collective;
        if (!find(of, place.field)) {
            file.rows.push_back(untimed(benchmark, parameters, document.cut_at() ? Status::failed : Status::skipped,
                                        document.cut_at() ? "the file was cut off before it" : "it was not measured"));
            return;
        }
        inside(of, place.field, [&](const Object& cell) { add(benchmark, parameters, cell); });
        if (find(of, place.per_iteration))
            inside(of, place.per_iteration, [&](const Object& times) { add_each(benchmark, parameters, times); });
    }

    void add(const std::string& benchmark, Parameters parameters, const Object& cell) {
        const bool of_cpu = find(cell, "cpu_time").has_value();
        if (of_cpu) parameters["timed"] = "cpu";
        const auto time = number(cell, of_cpu ? "cpu_time" : "time");
        if (!(time > 0)) {
            file.rows.push_back(untimed(benchmark, parameters, Status::invalid, "its time is not above 0"));
            return;
        }
        if (const auto wrong = number_if_any(cell, "nwrong").value_or(0); wrong > 0) {
            file.rows.push_back(untimed(benchmark, parameters, Status::wrong,
                                        std::to_string(static_cast<long long>(wrong)) + " elements are wrong"));
            return;
        }
        const auto bus = number_if_any(cell, "bus_bw");
        auto row = timed(benchmark, parameters, Clock::host, time * 1e-6,
                         {bus.value_or(time), bus ? "GB/s (bus)" : "us", "mean of its iterations"});
        if (!of_cpu && !set_bytes(row, number_if_any(cell, "alg_bw")))
            row = untimed(benchmark, parameters, Status::invalid, "its bandwidth is not its size in its time");
        else if (bus && !of_cpu) set_bytes_of_bus(row, *bus);
        file.rows.push_back(std::move(row));
    }

    // Returns false if the size is not what the bandwidth counts. Six digits after the point are few for small sizes.
    bool set_bytes(MeasurementRow& row, const std::optional<double>& rate) const {
        if (std::ranges::find(without_rate, collective) != without_rate.end()) return true;
        const auto bytes = std::get<std::int64_t>(row.samples.parameters.at("bytes").held);
        constexpr double rounded_away = 1e-4;
        if (rate && *rate > rounded_away &&
            !is_rate_of(*rate * 1e9, static_cast<double>(bytes), row.samples.seconds.front()))
            return false;
        row.samples.bytes_one_way = bytes;
        return true;
    }

    // Those that its bus bandwidth counts: what crosses a link, if the algorithm is a ring.
    void set_bytes_of_bus(MeasurementRow& row, double rate) const {
        if (ranks < 1) return;
        const double of_others = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
        const bool once = collective == "broadcast" || collective == "reduce" || collective == "sendrecv";
        const double factor = once ? 1 : collective == "all_reduce" ? 2 * of_others : of_others;
        const double bytes = factor * static_cast<double>(row.samples.bytes_one_way);
        if (is_rate_of(rate * 1e9, bytes, row.samples.seconds.front()))
            row.samples.bytes_touched = static_cast<std::int64_t>(std::llround(bytes));
    }

    void add_each(const std::string& benchmark, Parameters parameters, const Object& times) {
        const auto skipped = static_cast<std::size_t>(whole_if_any(times, "skipped_iterations").value_or(0));
        std::vector<double> seconds;
        each(document, times, "times_us", [&](const Element& one, std::size_t place) {
            double time = 0;
            if (one.get(time) != simdjson::SUCCESS || !(time > 0)) throw Unreadable("", ": a time is expected");
            if (place >= skipped) seconds.push_back(time * 1e-6);
        });
        if (seconds.empty()) return;
        parameters["timed"] = "each";
        const auto p50 = number_if_any(times, "p50_us").value_or(seconds.front() * 1e6);
        auto row = timed(benchmark, std::move(parameters), Clock::device, seconds.front(),
                         {p50, "us", "median of its iterations"});
        row.samples.seconds = std::move(seconds);
        set_bytes(row, std::nullopt);
        file.rows.push_back(std::move(row));
    }

    ToolFile& file;
    const Document& document;
    std::string collective;
    std::int64_t ranks;
};

// Returns how many ranks there were: each process writes the first of its GPUs only.
std::int64_t read_config(ToolFile& file, const Document& document, const Object& of) {
    std::set<std::string> hosts;
    std::int64_t processes = 0;
    each(document, of, "devices", [&](const Element& one, std::size_t) {
        const auto device = object_in(one);
        hosts.insert(text(device, "hostname"));
        const auto rank = static_cast<int>(whole(device, "rank"));
        auto& gpu = file.gpus[rank];
        gpu.index = rank;
        gpu.name = text(device, "device_info");
        gpu.uuid = text(device, "device_hex");
        if (hosts.size() > 1) *gpu.uuid += " of rank " + std::to_string(rank);
        ++processes;
    });
    if (hosts.size() == 1) file.host = *hosts.begin();
    else file.unavailable.push_back({"machine.host", std::to_string(hosts.size()) + " hosts took part"});
    return whole(of, "nthreads") * whole(of, "ngpus") * std::max<std::int64_t>(processes, 1);
}

}  // namespace

ToolFile read_nccl_tests(const Document& document) {
    ToolFile file{.tool = "nccl-tests", .on_gpu = true};
    const auto& root = document.root();
    if (const auto version = whole(root, "version"); version < 1 || version > 3)
        expect("version", "1, 2 or 3 of nccl-tests' JSON");
    file.time = text_if_any(root, "start_time");
    if (const auto nccl = whole_if_any(root, "nccl_version"))
        file.version = "NCCL " + std::to_string(*nccl / 10000) + "." + std::to_string(*nccl % 10000 / 100) + "." +
                       std::to_string(*nccl % 100);
    std::string program;
    each(document, root, "args", [&](const Element& one, std::size_t place) {
        std::string_view word;
        if (place == 0 && one.get(word) == simdjson::SUCCESS) program = collective_of(std::string(word));
    });
    const auto is = [&](const char* name) { return program == name; };
    if (std::ranges::none_of(collectives, is) && std::ranges::none_of(without_rate, is))
        expect("args[0]", "a program of nccl-tests, such as all_reduce_perf,");
    std::int64_t ranks = 0;
    inside(root, "config", [&](const Object& of) { ranks = read_config(file, document, of); });
    NcclResults reader(file, document, program, ranks);
    const auto before = file.rows.size();
    each(document, root, "results", [&](const Element& one, std::size_t) { reader.read(object_in(one)); });
    if (!file.gpus.empty())  // the first of those that took part
        for (auto row = before; row < file.rows.size(); ++row)
            file.rows[row].samples.gpu = *file.gpus.begin()->second.uuid;
    if (!find(root, "end_time") && !document.cut_at())
        file.rows.push_back(untimed("nccl-tests/rest", {}, Status::failed, "it did not end as it should"));
    file.unavailable.push_back({"imported.version", "nccl-tests writes the version of NCCL, not its own"});
    return file;
}

}  // namespace tocuda::imported
