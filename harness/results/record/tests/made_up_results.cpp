// tocuda, Apache-2.0.
// Writes synthetic result files of any length, to measure by hand how fast they are read, compared and merged.
#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "json_lines/lines.hpp"
#include "record/digest.hpp"

namespace {

struct Size {
    int files;
    int ids;
    int processes;
    int samples;
};

std::string uuid(int first, int number) {
    std::string text(64, '\0');
    text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%08x-0000-4000-8000-%012x",
                                                       static_cast<unsigned>(first), static_cast<unsigned>(number))));
    return text;
}

tocuda::RunLine run_of(int number) {
    tocuda::RunLine run{.run = uuid(0x10000000 + number, number),
                        .time = "2026-11-21T10:00:00Z",
                        .verb = "bench",
                        .device = tocuda::Device::simulated,
                        .session = uuid(0x20000000 + number, number),
                        .boot = uuid(0x30000000 + number, number),
                        .suite = {"0.1.0", std::string(40, 'a'), false}};
    run.driver = {"580.95.05", "13.0", "simulated"};
    run.gpus = {tocuda::Gpu{.index = 0, .uuid = "GPU-1", .name = "made up"}};
    run.protocol = tocuda::Protocol{};
    return run;
}

tocuda::MeasurementRow row_of(int id, int process, const Size& size, double factor, std::mt19937_64& random) {
    std::normal_distribution<double> noise(1, 0.002);
    const double seconds = 1e-5 * (1 + id % 100) * factor * noise(random);
    tocuda::MeasurementRow row{
        .benchmark = fmt::format("made/up/{}", id / 50),
        .id = "",
        .device = tocuda::Device::simulated,
        .stand_in = {"runtime made up"},
        .round = 1 + process,
        .process = process * size.ids + id,
        .samples = {.parameters = {{"bytes", 1024 << (id % 20)}, {"step", id}},
                    .check = "every byte, before and after",
                    .batch = 40,
                    .bytes_one_way = 1 << 10,
                    .bytes_touched = 2 << 10,
                    .gpu = "GPU-1",
                    .before = tocuda::Telemetry{.sm_clock_mhz = 1980,
                                                .memory_clock_mhz = 3201,
                                                .temperature_c = 41,
                                                .power_w = 120.5,
                                                .reasons = std::vector<std::string>{},
                                                .violation_ns = {{"sw_power_cap", 7}, {"hw_thermal", 0}},
                                                .link_generation = 5,
                                                .link_width = 16,
                                                .foreign_processes = 0}}};
    row.samples.after = row.samples.before;
    row.id = tocuda::row_id(row.benchmark, row.samples.parameters, tocuda::Protocol{}.version);
    for (int i = 0; i < size.samples; ++i) row.samples.seconds.push_back(seconds * noise(random));
    return row;
}

void write_file(const std::filesystem::path& path, int number, const Size& size, double factor) {
    std::mt19937_64 random(static_cast<std::uint64_t>(number));
    std::ofstream out(path, std::ios::binary);
    tocuda::Digest digest;
    const auto put = [&](const std::string& line) {
        out << line << '\n';
        digest.add(line + "\n");
    };
    put(to_line(run_of(number)));
    for (int process = 0; process < size.processes; ++process)
        for (int id = 0; id < size.ids; ++id) put(to_line(row_of(id, process, size, factor, random)));
    out << to_line(tocuda::EndLine{"complete", size.ids * size.processes, digest.hex()}) << '\n';
}

}  // namespace

int main(int count, char** words) {
    if (count < 6) {
        std::fputs("usage: made_up_results FOLDER FILES IDS PROCESSES SAMPLES [TIME_FACTOR [FIRST_FILE_NUMBER]]\n",
                   stderr);
        return 2;
    }
    const Size size{std::atoi(words[2]), std::atoi(words[3]), std::atoi(words[4]), std::atoi(words[5])};
    const double factor = count > 6 ? std::atof(words[6]) : 1;
    const int first = count > 7 ? std::atoi(words[7]) : 0;
    std::filesystem::create_directories(words[1]);
    for (int i = first; i < first + size.files; ++i)
        write_file(std::filesystem::path(words[1]) / (fmt::format("made-up-{}.jsonl", i)), i, size, factor);
    return 0;
}
