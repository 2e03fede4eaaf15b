// tocuda, Apache-2.0.
// `tocuda import FILE... -o FILE`: results of nvbandwidth, nccl-tests, nvbench, Google Benchmark and BabelStream as a
// result file.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "command/verb.hpp"
#include "imported/imported_file.hpp"
#include "json_lines/documents.hpp"
#include "machine/suite.hpp"
#include "model/utc.hpp"
#include "record/merging.hpp"
#include "record/replacement.hpp"
#include "terminal/arguments.hpp"
#include "terminal/paper.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

struct ImportOptions {
    std::vector<std::string> files{};
    std::string output{};
    Told told{};
    bool json = false;
};

OrExit<ImportOptions> parse_import(const Words& words) {
    Arguments arguments("import", "Import what nvbandwidth, nccl-tests, nvbench, BabelStream and others measured.",
                        {"nvbandwidth.json -o old.jsonl --driver 570.86.15", "*.json --host node17 -o node17.jsonl"});
    ImportOptions options;
    std::string driver, gpu, host, time;
    arguments.option("FILE", options.files, "their JSON or CSV; docs/import.md has all of them",
                     Arguments::Presence::required);
    arguments.option("-o,--output", options.output, "the file to write; replaces a result file", "FILE",
                     Arguments::Presence::required);
    arguments.option("--driver", driver, "the driver's version, if a file does not say it", "VERSION");
    arguments.option("--gpu", gpu, "the GPU's model, if a file does not say it", "NAME");
    arguments.option("--host", host, "the host, if a file does not say it", "NAME");
    arguments.option("--time", time, "when it ran, if not in a file: 2026-11-21T10:00:00Z", "TIME");
    arguments.flag("--json", options.json, "one document on stdout");
    if (const auto code = arguments.parse(words)) return tl::unexpected(Refusal{*code});
    const auto unless_empty = [](std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
    options.told = {unless_empty(driver), unless_empty(gpu), unless_empty(host), unless_empty(time)};
    return options;
}

Expected<std::string> content_of(const std::string& file) {
    std::error_code failed;
    if (std::filesystem::is_directory(file, failed)) return problem(file + ": a folder, not a file");
    std::ifstream in(file, std::ios::binary);
    if (!in) return problem(file + ": " + std::strerror(errno));
    std::ostringstream text;
    text << in.rdbuf();
    if (in.bad()) return problem(file + ": cannot be read");
    return std::move(text).str();
}

Expected<std::vector<ImportedFile>> import_all(const ImportOptions& options) {
    RunLine about{.time = utc_text(utc_now())};
    about.suite = this_suite(about.unavailable);
    std::vector<ImportedFile> all;
    for (const auto& name : options.files) {
        const auto text = content_of(name);
        if (!text) return problem(text.error());
        auto file = import_text(*text, name, options.told, about);
        if (!file) return problem(file.error());
        all.push_back(*std::move(file));
    }
    const auto place = [](const ImportedFile& file) { return std::pair(file.run.time, file.run.run); };
    std::ranges::sort(all, {}, place);
    const auto same = [&](const ImportedFile& one, const ImportedFile& other) { return place(one) == place(other); };
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
    return all;
}

int count_rows(const std::vector<ImportedFile>& files, bool with_value) {
    int rows = 0;
    for (const auto& file : files)
        rows += static_cast<int>(std::ranges::count_if(
            file.rows, [&](const MeasurementRow& row) { return (row.samples.status == Status::ok) == with_value; }));
    return rows;
}

// "no host is named", of several files " in old.csv and 2 more".
std::string of_those(const std::vector<ImportedFile>& files, const std::function<bool(const RunLine&)>& lacks) {
    std::vector<std::string> names;
    for (const auto& file : files)
        if (lacks(file.run)) names.push_back(file.run.imported->file);
    if (names.empty() || files.size() == 1) return "";
    return " in " + names.front() + (names.size() == 1 ? "" : fmt::format(" and {} more", names.size() - 1));
}

struct Lack {
    const char* what;
    const char* so;
    bool (*lacks)(const RunLine& run);
};
constexpr std::array lacks{
    Lack{"no host is named", " (--host): a comparison is never sure",
         [](const RunLine& run) { return !run.machine.host; }},
    Lack{"no GPU is named", " (--gpu): what is recorded of its model cannot be found",
         [](const RunLine& run) { return run.gpus.empty(); }},
    Lack{"no driver is named", " (--driver): no change is attributed to one",
         [](const RunLine& run) { return run.device == Device::real && !run.driver.kernel_module; }},
    Lack{"no time is given", " (--time): results are dated by their import, and count as one start",
         [](const RunLine& run) { return is_dated_by_import(run); }},
};

// The first row that is no value although the tool printed one.
std::string invalid_words(const ImportedFile& file) {
    const auto is_invalid = [](const MeasurementRow& row) { return row.samples.status == Status::invalid; };
    const auto first = std::ranges::find_if(file.rows, is_invalid);
    if (first == file.rows.end()) return "";
    const auto more = std::ranges::count_if(file.rows, is_invalid) - 1;
    return fmt::format("{}: {}{} not taken: {}", file.run.imported->file, first->benchmark,
                       more == 0 ? " is" : fmt::format(" and {} are", counted(more, "more row")), first->samples.check);
}

// What a comparison will lack.
std::vector<std::string> warnings_of(const std::vector<ImportedFile>& files) {
    std::vector<std::string> warnings;
    for (const auto& [what, so, lack] : lacks)
        if (std::ranges::any_of(files, lack, &ImportedFile::run)) warnings.push_back(what + of_those(files, lack) + so);
    for (const auto& file : files) {
        if (const auto invalid = invalid_words(file); !invalid.empty()) warnings.push_back(invalid);
        if (file.cut_off) warnings.push_back(file.run.imported->file + " was cut off: the rest is missing");
    }
    return warnings;
}

}  // namespace

int import_verb(const Words& words) {
    const auto options = parse_import(words);
    if (!options) return options.error().code;
    const std::vector<std::filesystem::path> inputs(options->files.begin(), options->files.end());
    if (const auto usable = check_result_output(options->output, inputs); !usable)
        return complain(usage, "tocuda: " + usable.error().what);
    const auto files = import_all(*options);
    if (!files) return complain(usage, "tocuda: " + files.error().what);
    const int rows = count_rows(*files, true);
    const int without = count_rows(*files, false);
    if (rows + without == 0) return complain(nothing_done, "tocuda: " + options->files.front() + ": holds no row");
    std::string sections;
    for (const auto& file : *files) sections += section_of(file);
    if (const auto written = replace_content(options->output, sections); !written)
        return complain(usage, "tocuda: " + written.error().what);
    ImportReport report{options->output, {}, rows, without, warnings_of(*files)};
    for (const auto& file : *files) report.sections.push_back(file.run);
    const int code = std::ranges::any_of(*files, &ImportedFile::cut_off) ? finding : as_expected;
    if (options->json) {
        print_document(import_document(report));
        return code;
    }
    for (const auto& warning : report.warnings) complain("tocuda: " + warning);
    fmt::print("{}\n  {} of {}{}\n", report.file, counted(rows + without, "row"),
               counted(static_cast<int>(files->size()), "file"),
               without == 0 ? "" : fmt::format("; {} without a value: `tocuda judge` says why", without));
    return code;
}

}  // namespace tocuda
