// tocuda, Apache-2.0.
// Probes CUDA first, then NVML for the same GPUs.
#include "machine/probe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace tocuda {
namespace {

constexpr int said_on = 3;

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const auto written = write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace

void probe(const ProbedLibraries& libraries, const std::function<void(const ProbeReport&)>& say) {
    ProbeReport report;
    const auto begin = [&](const std::string& step) {
        report.doing = step;
        say(report);
        report.unavailable.clear();  // already reported; later reports add to it
    };
    probe_cuda(libraries.driver, report, begin);
    probe_nvml(libraries.management, report, begin);
    if (libraries.health) probe_health(libraries.management, report, begin);
    if (libraries.health && report.devices.value_or(0) == 0) probe_nodes("/dev", report, begin);
    report.finished = true;
    say(report);
}

int probe_main(int count, char** arguments) {
    if (fcntl(said_on, F_GETFD) < 0) {
        std::fputs("tocuda __probe: descriptor 3 is closed; the probe writes its report there\n", stderr);
        return 2;
    }
    bool heard = true;
    const bool health = count > 2 && std::string_view(arguments[2]) == "health";
    probe({.health = health}, [&](const ProbeReport& report) { heard = heard && write_all(said_on, text_of(report)); });
    return heard ? 0 : 1;
}

}  // namespace tocuda
