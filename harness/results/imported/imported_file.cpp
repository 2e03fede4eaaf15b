// tocuda, Apache-2.0.
#include "imported/imported_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <unordered_map>

#include "imported/tool_file.hpp"
#include "json_lines/lines.hpp"
#include "model/utc.hpp"
#include "model/words.hpp"
#include "record/digest.hpp"
#include "record/other_tools.hpp"

namespace tocuda {
namespace {

using imported::Document;
using imported::ToolFile;
using imported::Unreadable;

constexpr auto imported_then = "the file does not say it: this is when it was imported";

// The same for the same text, so that a file imported twice is the same run.
std::string uuid_of(std::string_view text) {
    auto digits = sha256_of(text).substr(0, 32);
    for (const std::size_t place : {8U, 13U, 18U, 23U}) digits.insert(place, "-");
    return digits;
}

struct JsonReader {
    std::string_view tool;
    ToolFile (*read)(const Document& document);
};
constexpr std::array json_readers{JsonReader{"nvbandwidth", imported::read_nvbandwidth},
                                  JsonReader{"nvbench", imported::read_nvbench},
                                  JsonReader{"google-benchmark", imported::read_google_benchmark},
                                  JsonReader{"nccl-tests", imported::read_nccl_tests}};

ToolFile read_json(const Document& document) {
    const auto has = [&](std::string_view key) { return imported::find(document.root(), key).has_value(); };
    for (const auto& tool : other_tools)
        if (std::ranges::all_of(tool.keys, has))
            return std::ranges::find(json_readers, tool.name, &JsonReader::tool)->read(document);
    throw Unreadable("", ": JSON of nvbandwidth, nccl-tests (-J), nvbench or Google Benchmark is expected");
}

ToolFile read_tool_file(std::string_view text) {
    constexpr std::string_view utf8_mark = "\xEF\xBB\xBF", utf16_mark = "\xFF\xFE";
    if (text.starts_with(utf8_mark)) text.remove_prefix(utf8_mark.size());
    if (text.starts_with(utf16_mark)) throw Unreadable("", ": is in UTF-16; UTF-8 is expected");
    if (text.starts_with(R"({"kind":"run")")) throw Unreadable("", ": is a result file of tocuda already");
    if (is_babelstream(text)) return imported::read_babelstream(text);
    if (text.find('{') == std::string_view::npos)
        throw Unreadable("",
                         ": JSON of nvbandwidth, nccl-tests (-J), nvbench or Google Benchmark, or the CSV of "
                         "BabelStream is expected");
    const Document document(text);
    auto file = read_json(document);
    if (const auto& cut = document.cut_at()) {
        file.cut_off = true;
        file.rows.push_back(imported::untimed(file.tool + "/rest", {}, Status::failed,
                                              fmt::format("the file was cut off at byte {}", *cut)));
    }
    return file;
}

struct Moment {
    std::string utc{};
    bool zoned = false;
};

// "2026-11-21T10:00:00+01:00", "2026-11-21 10:00:00": a time without a zone is taken for UTC.
std::optional<Moment> moment_of(const std::string& text) {
    constexpr std::size_t date_and_time = 19;
    auto local = text.substr(0, date_and_time) + "Z";
    if (local.size() == date_and_time + 1 && local[10] == ' ') local[10] = 'T';
    const auto at = utc_of(local);
    if (!at) return std::nullopt;
    const auto zone = text.substr(date_and_time);
    if (zone.empty() || zone == "Z") return Moment{local, !zone.empty()};
    if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return std::nullopt;
    const auto hours = whole_number<int>(std::string_view(zone).substr(1, 2));
    const auto minutes = whole_number<int>(std::string_view(zone).substr(4));
    if (!hours || !minutes || *hours < 0 || *minutes < 0) return std::nullopt;
    const auto ahead = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
    return Moment{utc_text(zone[0] == '-' ? *at + ahead : *at - ahead), true};
}

// Whether a time without a zone may be this one: zones are whole quarters of an hour off, 14 hours at most.
bool may_be_local(const std::string& local, const std::string& utc) {
    const auto off = std::chrono::abs(std::chrono::duration_cast<std::chrono::seconds>(*utc_of(local) - *utc_of(utc)));
    return off <= std::chrono::hours(14) && off % std::chrono::minutes(15) == std::chrono::seconds(0);
}

// What the file says, or else what a person told.
std::optional<std::string> either(const std::optional<std::string>& said, const std::optional<std::string>& told,
                                  const char* option) {
    const bool is_said = said && !said->empty();
    if (is_said && told && *told != *said)
        throw Unreadable("", ": says " + *said + ", which " + option + " contradicts: " + *told);
    return is_said ? said : told;
}

void take_time(RunLine& run, const ToolFile& file, const Told& told) {
    const auto said = file.time ? moment_of(*file.time) : std::nullopt;
    if (file.time && !said) throw Unreadable("", ": a date and a time are expected, not '" + *file.time + "'");
    const auto given = told.time ? moment_of(*told.time) : std::nullopt;
    if (told.time && !given) throw Unreadable("", ": --time: 2026-11-21T10:00:00Z is expected, not " + *told.time);
    if (given && given->utc > run.time) throw Unreadable("", ": --time: " + *told.time + " is in the future");
    if (said && said->zoned && given && given->utc != said->utc)
        throw Unreadable("", ": says " + said->utc + ", which --time contradicts: " + given->utc);
    if (said && given && !may_be_local(said->utc, given->utc))
        throw Unreadable("", ": says " + *file.time + ", which --time contradicts in any zone: " + given->utc);
    // Only a person knows the zone of a time without one.
    if (said && (said->zoned || !given)) run.time = said->utc;
    else if (given) run.time = given->utc;
    else run.unavailable.push_back({"time", imported_then});
    if (said && !said->zoned && !given)
        run.unavailable.push_back({"time", "the file does not say its zone: taken for UTC"});
}

void take_gpus(RunLine& run, const ToolFile& file, const Told& told) {
    const auto on = run.machine.host ? *run.machine.host + " " : "";
    for (const auto& [index, gpu] : file.gpus) {
        run.gpus.push_back(gpu);
        auto& taken = run.gpus.back();
        taken.uuid = on + gpu.uuid.value_or(fmt::format("device {}", index));
        taken.name = either(gpu.name, told.gpu, "--gpu");
    }
    if (run.gpus.empty() && told.gpu) run.gpus.push_back({.uuid = on + "device 0", .name = told.gpu});
    if (run.gpus.empty()) return;
    run.unavailable.push_back({"gpus[].uuid", "the file has none: where the GPU is stands for it"});
    if (!run.gpus.front().name) run.unavailable.push_back({"gpus[].name", "the file does not say it; --gpu adds it"});
}

// All files of a host, a day and a driver are one start: nothing says that it was started between them.
std::string start_of(const RunLine& run) {
    return uuid_of("start\n" + run.machine.host.value_or("") + "\n" +
                   (is_dated_by_import(run) ? "" : run.time.substr(0, 10)) + "\n" +
                   run.driver.kernel_module.value_or(""));
}

RunLine run_of(const ToolFile& file, const std::string& name, const Told& told, const RunLine& about) {
    RunLine run{.time = about.time, .verb = "import", .suite = about.suite, .unavailable = about.unavailable};
    for (const auto& one : file.unavailable)
        if (one.field != "time") run.unavailable.push_back(one);
    run.device = file.on_gpu || told.gpu ? Device::real : Device::none;
    run.machine.host = either(file.host, told.host, "--host");
    if (!run.machine.host) run.unavailable.push_back({"machine.host", "the file does not say it; --host adds it"});
    run.driver.kernel_module = either(file.driver, told.driver, "--driver");
    run.driver.cuda = file.driver_cuda;
    run.cuda.runtime = file.cuda_runtime;
    if (!run.driver.kernel_module && run.device == Device::real)
        run.unavailable.push_back({"driver.kernel_module", "the file does not say it; --driver adds it"});
    take_time(run, file, told);
    take_gpus(run, file, told);
    run.session = start_of(run);
    run.imported = Import{file.tool, file.version, name, {}, file.convention};
    return run;
}

// A row that a file has twice has the samples of both. One that failed beside others is a flag.
void join(MeasurementRow& first, MeasurementRow& second) {
    const auto was = first.samples.status;
    const auto is = second.samples.status;
    if (is == Status::wrong || (is == Status::ok && was != Status::ok && was != Status::wrong))
        std::swap(first, second);
    if (first.samples.status != Status::ok) return;
    auto& flags = first.samples.flags;
    flags.insert(flags.end(), second.samples.flags.begin(), second.samples.flags.end());
    if (second.samples.status == Status::ok)
        first.samples.seconds.insert(first.samples.seconds.end(), second.samples.seconds.begin(),
                                     second.samples.seconds.end());
    else flags.push_back("a repetition failed: " + second.samples.check);
}

void join_repeated(std::deque<MeasurementRow>& rows) {
    std::unordered_map<std::string, std::size_t> known;
    std::size_t kept = 0;
    for (auto& row : rows) {
        const auto [found, is_new] = known.try_emplace(row.id + "\n" + row.samples.gpu + "\n" + row.samples.peer, kept);
        if (!is_new) join(rows[found->second], row);
        else if (auto& place = rows[kept++]; &place != &row) place = std::move(row);
    }
    rows.resize(kept);
}

ImportedFile finished(ToolFile file, RunLine run) {
    ImportedFile done{.run = std::move(run), .rows = std::move(file.rows), .cut_off = file.cut_off};
    const auto on = done.run.machine.host ? *done.run.machine.host + " " : "";
    for (auto& row : done.rows) {
        row.id = row_id(row.benchmark, row.samples.parameters, file.convention);
        row.device = done.run.device;
        if (row.samples.status != Status::ok) row.samples.clock = file.clock;
        auto& gpu = row.samples.gpu;
        auto& peer = row.samples.peer;
        if (gpu.empty() && done.run.device == Device::real && done.run.gpus.size() == 1) gpu = *done.run.gpus[0].uuid;
        else if (!gpu.empty()) gpu.insert(0, on);
        if (!peer.empty()) peer.insert(0, on);
    }
    join_repeated(done.rows);
    return done;
}

}  // namespace

Expected<ImportedFile> import_text(std::string_view text, const std::string& file, const Told& told,
                                   const RunLine& about) {
    try {
        auto read = read_tool_file(text);
        auto run = run_of(read, file.substr(file.rfind('/') + 1), told, about);
        run.imported->sha256 = sha256_of(text);
        run.run = uuid_of(to_line(run));
        return finished(std::move(read), std::move(run));
    } catch (const Unreadable& wrong) {
        const bool is_line = wrong.place.empty() || wrong.place.starts_with(':');
        return problem(file + (is_line ? "" : ": ") + wrong.place + wrong.rest);
    }
}

bool is_dated_by_import(const RunLine& run) {
    return std::ranges::find(run.unavailable, Unavailable{"time", imported_then}) != run.unavailable.end();
}

std::string section_of(const ImportedFile& file) {
    auto lines = to_line(file.run) + "\n";
    for (const auto& row : file.rows) lines += to_line(row) + "\n";
    return lines +
           to_line(EndLine{file.cut_off ? "interrupted" : "complete", static_cast<int>(file.rows.size()),
                           sha256_of(lines)}) +
           "\n";
}

}  // namespace tocuda
