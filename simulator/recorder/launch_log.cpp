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
    const std::lock_guard lock(mutex_);
    unsorted_names_.emplace_back(function, name);
}

void LaunchLog::add_handle(const void* handle, const void* function) {
    const std::lock_guard lock(mutex_);
    handles_[handle] = function;
}

void LaunchLog::add(const void* function_or_handle, const void* stream, const std::array<std::uint32_t, 6>& shape) {
    const std::lock_guard lock(mutex_);
    ++counts_[function_or_handle];
    if (entries_.size() < most_entries) entries_.push_back({function_or_handle, stream, shape});
}

const char* LaunchLog::name_of(const void* function_or_handle) {
    names_.insert(unsorted_names_.begin(), unsorted_names_.end());
    unsorted_names_.clear();
    const auto handle = handles_.find(function_or_handle);
    const auto name = names_.find(handle == handles_.end() ? function_or_handle : handle->second);
    return name == names_.end() ? "" : name->second;
}

void LaunchLog::mark() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
}

std::size_t LaunchLog::read(tocuda_recorder_launch* launches, std::size_t room) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < std::min(room, entries_.size()); ++i) {
        const Entry& entry = entries_[i];
        launches[i].name = name_of(entry.kernel);
        launches[i].stream = reinterpret_cast<std::uintptr_t>(entry.stream);
        std::copy_n(entry.shape.begin(), 3, launches[i].grid);
        std::copy_n(entry.shape.begin() + 3, 3, launches[i].block);
    }
    return entries_.size();
}

std::map<std::string, std::uint64_t> LaunchLog::counts() {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::uint64_t> by_name;
    for (const auto& [kernel, count] : counts_) by_name[name_of(kernel)] += count;
    return by_name;
}

}  // namespace tocuda::simulator
