// tocuda, Apache-2.0.
// Computes the bandwidth of a PCIe link from its generation and width.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "measurement/peaks.hpp"

namespace tocuda {
namespace {

struct Generation {
    double gigatransfers;  // per second and lane
    double payload;        // the share of the bits that is not encoding
};
constexpr std::array<Generation, 6> generations{
    {{2.5, 8.0 / 10}, {5, 8.0 / 10}, {8, 128.0 / 130}, {16, 128.0 / 130}, {32, 128.0 / 130}, {64, 242.0 / 256}}};

double speed_of(const LinkWord& word) { return link_bytes_per_second(word.generation, word.width); }

std::string text_of(const LinkWord& word) {
    return "PCIe " + std::to_string(word.generation) + ".0 x" + std::to_string(word.width) + ", " + word.source;
}

}  // namespace

Peak largest_link_peak(const std::vector<LinkWord>& words) {
    const auto largest = std::max_element(
        words.begin(), words.end(), [](const auto& one, const auto& other) { return speed_of(one) < speed_of(other); });
    if (largest == words.end() || speed_of(*largest) <= 0) return {};
    Peak peak{.bytes_per_second = speed_of(*largest), .source = text_of(*largest), .counted = Counted::one_way};
    for (const auto& word : words) {
        if (speed_of(word) <= 0 || speed_of(word) == peak.bytes_per_second) continue;
        peak.source += "; disagrees with " + text_of(word);
        peak.doubt = link_maximum_disputed;
    }
    return peak;
}

double link_bytes_per_second(int generation, int width) {
    if (generation < 1 || generation > static_cast<int>(generations.size()) || width < 1) return 0;
    const auto& of = generations[static_cast<std::size_t>(generation) - 1];
    return of.gigatransfers * 1e9 * of.payload / 8 * width;
}

std::optional<int> generation_of(const std::string& link_speed) {
    const auto speed = std::strtod(link_speed.c_str(), nullptr);
    const auto found = std::find_if(generations.begin(), generations.end(),
                                    [&](const Generation& each) { return std::abs(each.gigatransfers - speed) < 0.1; });
    if (found == generations.end()) return std::nullopt;
    return static_cast<int>(found - generations.begin()) + 1;
}

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
