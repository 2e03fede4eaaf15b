// tocuda, Apache-2.0.
#include "measurement/nvlink_words.hpp"

#include <algorithm>
#include <cmath>

namespace tocuda {
namespace {

// How many links carried a share of what this GPU sent; 0 if they do not add up to it.
std::size_t links_used(const NvLinkSent& before, const NvLinkSent& after) {
    const auto all = after.bytes - before.bytes;
    std::size_t used = 0;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < std::min(before.by_link.size(), after.by_link.size()); ++i) {
        const auto one = after.by_link[i] - before.by_link[i];
        sum += one;
        if (100 * one > all) ++used;
    }
    return 100 * std::abs(sum - all) > 5 * all ? 0 : used;
}

}  // namespace

std::string nvlink_words(const std::vector<NvLinkSent>& before, const std::vector<NvLinkSent>& after,
                         std::int64_t bytes) {
    if (bytes < std::int64_t{1} << 20) return "";  // the counters have a resolution of 1 KiB
    std::int64_t counted = 0;
    std::size_t links = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        counted += after[i].bytes - before[i].bytes;
        links += links_used(before[i], after[i]);
    }
    const auto share = static_cast<double>(counted) / static_cast<double>(bytes);
    if (share < 0.05) return "NVLink counted none of these bytes";
    if (share > 1.1) return "NVLink counted more than these bytes";
    if (share < 0.95) return "NVLink counted " + std::to_string(std::lround(10 * share) * 10) + " % of these bytes";
    return "NVLink counted these bytes" + (links == 0 ? "" : ", over " + std::to_string(links) + " links");
}

}  // namespace tocuda
