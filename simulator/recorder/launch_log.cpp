// tocuda, Apache-2.0.
#include "recorder/launch_log.hpp"

#include <algorithm>

namespace tocuda::simulator {
namespace {

constexpr std::size_t most_entries = 65536;

}  // namespace

LaunchLog& LaunchLog::here() {
    static LaunchLog* const only = new LaunchLog;
    return *only;
}

void LaunchLog::add_name(const void* function, const char* name) {
    const std::lock_guard lock(changing);
    unsorted_names.emplace_back(function, name);
}

void LaunchLog::add_handle(const void* handle, const void* function) {
    const std::lock_guard lock(changing);
    handles[handle] = function;
}

void LaunchLog::add(const void* function_or_handle, const void* stream, const std::array<std::uint32_t, 6>& shape) {
    const std::lock_guard lock(changing);
    ++count_by_kernel[function_or_handle];
    if (entries.size() < most_entries) entries.push_back({function_or_handle, stream, shape});
}

const char* LaunchLog::name_of(const void* function_or_handle) {
    names.insert(unsorted_names.begin(), unsorted_names.end());
    unsorted_names.clear();
    const auto handle = handles.find(function_or_handle);
    const auto name = names.find(handle == handles.end() ? function_or_handle : handle->second);
    return name == names.end() ? "" : name->second;
}

void LaunchLog::mark() {
    const std::lock_guard lock(changing);
    entries.clear();
}

std::size_t LaunchLog::read(tocuda_recorder_launch* launches, std::size_t room) {
    const std::lock_guard lock(changing);
    for (std::size_t i = 0; i < std::min(room, entries.size()); ++i) {
        const Entry& entry = entries[i];
        launches[i].name = name_of(entry.kernel);
        launches[i].stream = reinterpret_cast<std::uintptr_t>(entry.stream);
        std::copy_n(entry.shape.begin(), 3, launches[i].grid);
        std::copy_n(entry.shape.begin() + 3, 3, launches[i].block);
    }
    return entries.size();
}

std::map<std::string, std::uint64_t> LaunchLog::counts() {
    const std::lock_guard lock(changing);
    std::map<std::string, std::uint64_t> by_name;
    for (const auto& [kernel, count] : count_by_kernel) by_name[name_of(kernel)] += count;
    return by_name;
}

}  // namespace tocuda::simulator
