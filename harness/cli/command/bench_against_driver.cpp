// tocuda, Apache-2.0.
// The libcuda of a folder, as cuda-compat packages bring it, against the installed one: processes that differ in
// nothing else take turns.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "command/bench_against.hpp"
#include "command/turns.hpp"
#include "engine/engine.hpp"
#include "execution/recording.hpp"
#include "machine/uuid.hpp"

namespace tocuda {
namespace {

namespace fs = std::filesystem;

constexpr int system_driver_mismatch = 803;
constexpr int compat_not_supported = 804;

struct Libcuda {
    UserDriver driver{};
    std::string version{};  // "590.44.01", of the file's name; empty: it has none
    std::string cuda{};     // "13.1"
    int init = 0;           // cuInit's result
    std::string trouble{};  // why it cannot be used; empty: it can
};

std::string version_in_name(const std::string& file) {
    constexpr std::string_view stem = "libcuda.so.";
    const auto name = fs::path(file).filename().string();
    const auto version = name.starts_with(stem) ? name.substr(stem.size()) : "";
    const bool is_number =
        std::ranges::all_of(version, [](unsigned char letter) { return std::isdigit(letter) != 0 || letter == '.'; });
    return is_number && version.find('.') != std::string::npos ? version : "";
}

// Asks in a child what the loader finds if it looks into `folder` first (empty: as usual), and whether that starts.
Libcuda libcuda_in(const std::string& folder, const Place& place, bool quiet) {
    Job job{.command = {"/proc/self/exe", "__probe"},
            .simulation = place.available.simulation,
            .libraries = folder,
            .seconds = probe_seconds};
    const auto [said, ended] = ask(std::move(job), quiet ? "" : "waiting for the driver: it is listing its GPUs");
    const auto report = probe_report_of(said);
    Libcuda found{.driver = {.folder = folder}, .init = report.init.value_or(0)};
    std::error_code failed;
    if (report.library) found.driver.file = fs::weakly_canonical(*report.library, failed).string();
    found.version = version_in_name(found.driver.file);
    if (report.version) found.cuda = cuda_version_text(*report.version);
    const bool simulated = place.available.device == Device::simulated;
    if (!report.finished) found.trouble = "the driver's probe " + describe_end(ended.outcome);
    else if (!report.library)
        found.trouble = report.unavailable.empty() ? "it cannot be loaded" : report.unavailable.front().cause;
    else if (report.simulated.value_or(false) != simulated)
        found.trouble = simulated ? "simulated GPUs need a simulated libcuda, and this is a real one"
                                  : "this is a simulated libcuda, and the GPUs are real";
    else if (!report.usable())
        found.trouble = report.init.value_or(0) != 0
                            ? fmt::format("its cuInit returned {} {}", *report.init, report.init_text)
                            : "it finds no GPU";
    return found;
}

std::string gpu_name(const Place& place) {
    for (const auto& gpu : place.line.gpus)
        if (gpu.index == place.first()) return gpu.name.value_or("this GPU");
    return "this GPU";
}

// Why the libcuda of the folder cannot be used; empty if it can.
std::string why_not_taken(const Libcuda& theirs, const Place& place) {
    const auto module = place.line.driver.kernel_module.value_or("of unknown version");
    const auto folder = fs::weakly_canonical(theirs.driver.folder);
    if (!theirs.driver.file.empty() && theirs.driver.file != fs::weakly_canonical(folder / "libcuda.so.1").string())
        return fmt::format("the loader took {} instead of its libcuda.so.1", theirs.driver.file);
    const auto which = "its libcuda" + (theirs.version.empty() ? "" : " " + theirs.version);
    if (theirs.init == system_driver_mismatch)
        return fmt::format(
            "{} does not work with the installed kernel module {} (cuInit returned 803, system driver "
            "mismatch): NVIDIA supports newer ones than the module, of a cuda-compat package for it",
            which, module);
    if (theirs.init == compat_not_supported)
        return fmt::format(
            "{} is not taken by {} (cuInit returned 804, compatibility not supported on this device): "
            "NVIDIA allows it on data-centre GPUs, not on GeForce",
            which, gpu_name(place));
    return theirs.trouble;
}

// What uses no GPU is the same with any libcuda.
PairedSweeps of_gpus(const std::vector<Sweep>& chosen) {
    PairedSweeps both;
    for (const auto& sweep : chosen) {
        if (sweep.benchmark.needs.gpus == 0) both.alone.push_back(sweep.benchmark.name);
        else both.ours.push_back(sweep);
    }
    both.theirs = both.ours;
    return both;
}

RunLine line_with(RunLine line, const Libcuda& theirs) {
    line.run = random_uuid();
    line.driver.libcuda = theirs.version;
    line.driver.cuda = theirs.cuda;
    return line;
}

OrExit<std::string> folder_of_libcuda(const std::string& named) {
    std::error_code failed;
    const auto folder = fs::absolute(named, failed).lexically_normal();
    if (!fs::exists(folder / "libcuda.so.1", failed))
        return refuse(usage, "--against-driver " + named + ": there is no libcuda.so.1 in it");
    if (folder.string().find(':') != std::string::npos)
        return refuse(usage, "--against-driver " + named + ": the loader takes no folder with a colon in its name");
    return folder.string();
}

OrExit<int> measure(const BenchRequest& request, const PairedSweeps& sweeps, const Place& place,
                    const std::string& folder) {
    auto ours = libcuda_in("", place, request.quiet);
    auto theirs = libcuda_in(folder, place, request.quiet);
    const auto& module = place.line.driver.kernel_module;
    if (const auto why = why_not_taken(theirs, place); !why.empty())
        return refuse(nothing_done, "--against-driver " + request.against_driver + ": " + why);
    if (const auto why = why_not_compared(theirs.driver.file, ours.driver.file, module); !why.empty())
        return refuse(usage, "--against-driver " + request.against_driver + ": " + why);
    if (!ours.trouble.empty()) return refuse(nothing_done, "the installed libcuda: " + ours.trouble);
    if (ours.version.empty()) ours.version = module.value_or("of unknown version");
    if (theirs.version.empty()) theirs.version = "of CUDA " + theirs.cuda;
    const LibcudaPair pair{theirs.version, theirs.cuda, ours.version, ours.cuda, module.value_or("unknown")};
    if (pair.version == pair.installed && !request.quiet)
        complain("tocuda: --against-driver: both libcudas have version " + pair.version);
    const auto measured = measure_in_turns(request, place, sweeps,
                                           {.older = Whose::ours,
                                            .other = [&](const RunLine& line) { return line_with(line, theirs); },
                                            .drivers = {&ours.driver, &theirs.driver}});
    if (!measured) return tl::unexpected(measured.error());
    return report_against(*measured, against_libcuda(folder, pair), request);
}

}  // namespace

// A compatibility folder in LD_LIBRARY_PATH would stand for the installed libcuda.
std::string why_not_compared(const std::string& theirs, const std::string& ours,
                             const std::optional<std::string>& module) {
    if (ours == theirs) return "its libcuda.so.1 is the one that is loaded without it: nothing to compare";
    const auto version = version_in_name(ours);
    if (version.empty() || !module || version == *module) return "";
    return fmt::format(
        "without it the loader takes {}, which is not that of the installed module {}: take its folder "
        "out of LD_LIBRARY_PATH",
        ours, *module);
}

OrExit<int> bench_against_driver(const BenchRequest& request, const Catalogue& catalogue) {
    const auto folder = folder_of_libcuda(request.against_driver);
    if (!folder) return tl::unexpected(folder.error());
    if (const auto refused = why_not_recorded(request)) return tl::unexpected(*refused);
    const auto chosen = sweeps_of(catalogue, request.wanted);
    if (!chosen) return refuse(usage, chosen.error().what);
    if (const auto why = why_nothing_to_measure(*chosen, request.wanted); !why.empty())
        return refuse(nothing_done, why);
    const auto sweeps = of_gpus(chosen->sweeps);
    if (sweeps.ours.empty())
        return refuse(nothing_done, "--against-driver: no chosen benchmark uses a GPU, and so a libcuda");
    if (!sweeps.alone.empty() && !request.quiet)
        complain(fmt::format("tocuda: {} benchmarks skipped because they use no GPU, and so no libcuda; the first: {}",
                             sweeps.alone.size(), sweeps.alone.front()));
    const auto place = place_to_measure(request.where, sweeps.ours, false, catalogue, request.quiet);
    if (!place) return tl::unexpected(place.error());
    return measure(request, sweeps, *place, *folder);
}

}  // namespace tocuda
