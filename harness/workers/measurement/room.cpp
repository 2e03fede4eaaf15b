// tocuda, Apache-2.0.
// Reads the free memory of the machine, and of the control group: its limit, less its usage that cannot be reclaimed.
#include "measurement/room.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>

namespace tocuda {
namespace {

std::optional<std::int64_t> number_in(std::string_view text) {
    const auto start = text.find_first_not_of(" \t");
    if (start == text.npos) return std::nullopt;
    std::int64_t number = 0;
    const auto [end, wrong] = std::from_chars(text.data() + start, text.data() + text.size(), number);
    if (wrong != std::errc{}) return std::nullopt;
    return number;
}

// Returns the number after this word at the start of a line.
std::optional<std::int64_t> number_after(std::string_view word, std::string_view text) {
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        if (line.starts_with(word)) return number_in(line.substr(word.size()));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return std::nullopt;
}

std::optional<std::int64_t> left_in_group(const HostMemoryFiles& files) {
    if (!files.limit || !files.used) return std::nullopt;
    const auto limit = number_in(*files.limit);  // nullopt for "max"
    const auto used = number_in(*files.used);
    if (!limit || !used) return std::nullopt;
    const auto given_back =
        files.group_statistics ? number_after("inactive_file ", *files.group_statistics).value_or(0) : 0;
    return std::max<std::int64_t>(0, *limit - *used + given_back);
}

std::optional<std::string> contents(const std::string& path) {
    std::ifstream file(path);
    if (!file) return std::nullopt;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// In a container these are the files of its own group; outside, those of the whole machine, which set no limit.
HostMemoryFiles read_files() {
    HostMemoryFiles files{.meminfo = contents("/proc/meminfo").value_or(""),
                          .version = contents("/proc/version").value_or("")};
    for (const std::string root : {"/sys/fs/cgroup/", "/sys/fs/cgroup/memory/"}) {
        const bool older = root.ends_with("/memory/");
        files.limit = contents(root + (older ? "memory.limit_in_bytes" : "memory.max"));
        files.used = contents(root + (older ? "memory.usage_in_bytes" : "memory.current"));
        files.group_statistics = contents(root + "memory.stat");
        if (files.limit) break;
    }
    return files;
}

// Linux names who compiled it in parentheses; a sandbox that only looks like it does not.
bool is_linux(std::string_view version) { return version.empty() || version.find('(') != version.npos; }

}  // namespace

std::optional<std::size_t> free_host_bytes(const HostMemoryFiles& files) {
    std::optional<std::size_t> least;
    const auto machine = number_after("MemAvailable:", files.meminfo);
    if (machine && *machine >= 0 && is_linux(files.version)) least = static_cast<std::size_t>(*machine) * 1024;
    const auto group = left_in_group(files);
    if (group)
        least = std::min(least.value_or(std::numeric_limits<std::size_t>::max()), static_cast<std::size_t>(*group));
    return least;
}

std::optional<std::size_t> free_host_bytes() { return free_host_bytes(read_files()); }

}  // namespace tocuda
