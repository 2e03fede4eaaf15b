// tocuda, Apache-2.0.
// Which kernels were launched, in order. Stores addresses while the program runs and looks up names when asked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/schema/recorder.h"

namespace tocuda::simulator {

class LaunchLog {
public:
    static LaunchLog& here();

    void add_name(const void* function, const char* name);
    void add_handle(const void* handle, const void* function);
    void add(const void* function_or_handle, const void* stream, const std::array<std::uint32_t, 6>& shape);

    void mark();
    std::size_t read(tocuda_recorder_launch* launches, std::size_t room);
    std::map<std::string, std::uint64_t> counts();  // since the start of the process

private:
    struct Entry {
        const void* kernel;
        const void* stream;
        std::array<std::uint32_t, 6> shape;
    };

    const char* name_of(const void* function_or_handle);

    std::mutex changing;
    std::vector<Entry> entries;
    std::unordered_map<const void*, std::uint64_t> count_by_kernel;
    std::vector<std::pair<const void*, const char*>> unsorted_names;
    std::unordered_map<const void*, const char*> names;
    std::unordered_map<const void*, const void*> handles;
};

}  // namespace tocuda::simulator
