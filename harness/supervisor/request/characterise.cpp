// tocuda, Apache-2.0.
#include "request/characterise.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "request/selection.hpp"

namespace tocuda {
namespace {

// A benchmark and the values of its parameters, as `tocuda bench` accepts them; a parameter that is not named has its
// default values, or those of --full if it has none. Six rounds of all must leave time for rows that have not settled.
constexpr const char* selection[] = {
    // Memory and copies within the GPU.
    "copy/device_to_device/best bytes=64MiB,1GiB",
    "copy/device_to_device/engine bytes=1GiB",
    "memory/read bytes=1GiB",
    "memory/write bytes=1GiB",
    "memory/triad bytes=1GiB",
    "curve/read on=gpu bytes=16KiB,32KiB,64KiB,128KiB,256KiB,512KiB,1MiB,2MiB,4MiB,8MiB,16MiB,32MiB,64MiB,256MiB,4GiB",
    "curve/copy on=gpu",
    "curve/read on=one bytes=16KiB,1MiB,1GiB",
    // Over the link.
    "copy/host_to_device/pinned bytes=4KiB,1MiB,64MiB,256MiB",
    "copy/device_to_host/pinned bytes=4KiB,1MiB,64MiB,256MiB",
    "copy/host_to_device/pageable bytes=64MiB pages=touched",
    "copy/device_to_host/pageable bytes=64MiB pages=touched",
    "copy/host_to_device/staged bytes=64MiB",
    "copy/both_ways/pinned bytes=64MiB",
    // Between GPUs, if there are two.
    "pairs/copy bytes=64MiB by=engine ways=one,both",
    "pairs/latency",
    // Latencies.
    "latency/l2_distance percentile=0,50,100",
    "latency/device bytes=4KiB..4GiB",
    "latency/host bytes=16MiB",
    // Calls.
    "calls/launch",
    "calls/launch_rate blocks=1",
    "calls/event",
    "calls/synchronise wait=spin,yield,blocking stream=one_kernel",
    "calls/graph_launch nodes=1,10,100,1000 what=submit",
    "calls/graph_update nodes=100",
    "calls/copy_one_byte to=gpu",
    "calls/pointer_attributes memory=device",
    "allocate/device bytes=64MiB",
    "allocate/pool bytes=64MiB",
    "allocate/register bytes=64MiB pages=touched",
    // Loading. The smaller file is for simulated GPUs, which skip the larger one.
    "load/file bytes=256MiB,2GiB by=mapped cache=warm,cold threads=1 place=TMPDIR",
    "load/file bytes=256MiB,2GiB by=read_ring cache=warm,cold threads=8 place=TMPDIR",
    // LibTorch.
    "framework/to bytes=4KiB,256MiB",
    "framework/pinned_to bytes=4KiB,256MiB",
    // Starts.
    "start/first_byte loading=LAZY until=first_kernel",
    // A minute, once.
    "sustained/device_to_device by=kernel seconds=60",
};

Expected<Wanted> wanted_of(const char* part) {
    Wanted wanted;
    std::istringstream words(part);
    std::string word;
    words >> word;
    wanted.patterns.push_back(word);
    while (words >> word) {
        const auto choice = parameter_choice(word);
        if (!choice) return tl::unexpected(choice.error());
        wanted.choices.push_back(*choice);
    }
    return wanted;
}

// One sweep holds all sets of a benchmark, because one process measures them.
void add(Sweep sweep, std::vector<Sweep>& sweeps) {
    const auto same =
        std::ranges::find_if(sweeps, [&](const Sweep& one) { return one.benchmark.name == sweep.benchmark.name; });
    if (same == sweeps.end()) sweeps.push_back(std::move(sweep));
    else std::ranges::move(sweep.sets, std::back_inserter(same->sets));
}

}  // namespace

std::vector<std::string> characterised_benchmarks() {
    std::vector<std::string> names;
    for (const std::string_view part : selection) names.emplace_back(part.substr(0, part.find(' ')));
    return names;
}

Expected<Sweeps> sweeps_that_characterise(const Catalogue& catalogue) {
    Sweeps all;
    for (const auto* part : selection) {
        const auto wanted = wanted_of(part);
        if (!wanted) return tl::unexpected(wanted.error());
        if (select_benchmarks(catalogue, wanted->patterns).empty()) continue;
        auto found = sweeps_of(catalogue, *wanted);
        if (!found) return found;
        for (auto& sweep : found->sweeps) add(std::move(sweep), all.sweeps);
    }
    std::ranges::sort(all.sweeps, {}, [](const Sweep& sweep) { return sweep.benchmark.name; });
    return all;
}

}  // namespace tocuda
